/* SPDX-License-Identifier: Apache-2.0 */
/* Sockets and memory that processes of the engine share. All descriptors are close-on-exec. */
#ifndef ASSAY_ENGINE_WORKER_CHANNEL_H
#define ASSAY_ENGINE_WORKER_CHANNEL_H

#include "assay/buffer.h"
#include "engine/worker_message.h"

typedef enum assay_channel_result {
    ASSAY_CHANNEL_OK,
    ASSAY_CHANNEL_AGAIN, /* not without waiting */
    ASSAY_CHANNEL_GONE,  /* nobody is at the other end */
    ASSAY_CHANNEL_BAD    /* what came is no message; out of descriptors */
} assay_channel_result;

/* A pair of sockets; both -1 on failure. ASSAY_EIO. */
ASSAY_MUST_USE assay_status assay_channel_pair(int fd[2], assay_errinfo *err);

/* Sends a message, with a descriptor unless it is -1 (which stays the caller's too). */
assay_channel_result assay_channel_send(int fd, const assay_worker_message *m, const assay_subject_entry *entry,
                                        int passed, bool wait);
/* Receives one; *passed is the descriptor that came with it, or -1. entry may be NULL. */
assay_channel_result assay_channel_receive(int fd, assay_worker_message *m, assay_subject_entry *entry, int *passed,
                                           bool wait);

/* ---- memory with a descriptor, which no file system has a name for. name: for /proc only. */

/* n blobs one after the other. It cannot grow or shrink any more. Cost: a copy. *fd is -1 on failure. Errors:
 * ASSAY_EIO, ASSAY_ENOMEM. */
ASSAY_MUST_USE assay_status assay_memory_share(int *fd, const char *name, const assay_blob *blobs, size_t n,
                                               assay_errinfo *err);

/* Such memory mapped, so that it can be wiped for everybody. Bytes of inputs: secret. */
typedef struct assay_shared_memory {
    uint8_t *p;
    size_t n;
} assay_shared_memory;
/* Takes fd over. ASSAY_EFORMAT unless it is n bytes long and cannot shrink; ASSAY_ENOMEM. */
ASSAY_MUST_USE assay_status assay_memory_map(assay_shared_memory *m, int fd, uint64_t n, assay_errinfo *err);
/* Overwrites it with zeros and lets go of it. Empty is fine. */
void assay_memory_wipe_shared(assay_shared_memory *m);

/* The whole contents, at most max bytes, read: whoever has the other end may still change them. Takes fd over. Errors:
 * ASSAY_EIO, ASSAY_ERANGE (more than max), ASSAY_ENOMEM. */
ASSAY_MUST_USE assay_status assay_memory_read(assay_buffer *out, int fd, uint64_t max, assay_errinfo *err);

#endif

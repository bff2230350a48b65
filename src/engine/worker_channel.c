/* SPDX-License-Identifier: Apache-2.0 */
/* Packets with a descriptor (SCM_RIGHTS), and memfds. Linux: unix(7), memfd_create(2). */
#define _GNU_SOURCE
#include "engine/worker_channel.h"
#include "base/mem.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

assay_status assay_channel_pair(int fd[2], assay_errinfo *err)
{
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd) == 0) return ASSAY_OK;
    fd[0] = fd[1] = -1;
    return ASSAY_FAIL_OS(err, ASSAY_EIO, "worker", "no socket for it", errno);
}

/* Room for one descriptor, aligned as the kernel wants it. */
typedef union control {
    struct cmsghdr head;
    char room[CMSG_SPACE(sizeof(int))];
} control;

assay_channel_result assay_channel_send(int fd, const assay_worker_message *m, const assay_subject_entry *entry,
                                        int passed, bool wait)
{
    uint8_t bytes[ASSAY_MESSAGE_BYTES];
    assay_writer w = {.p = bytes, .cap = sizeof bytes, .max = sizeof bytes}; /* allocates nothing: it has its room */
    control c;
    ssize_t sent = -1;
    int why = EMSGSIZE;
    assay_message_encode(&w, m, entry);
    if (!w.bad) {
        struct iovec part = {w.p, w.n};
        struct msghdr h = {.msg_iov = &part, .msg_iovlen = 1};
        memset(&c, 0, sizeof c);
        if (passed >= 0) {
            h.msg_control = &c;
            h.msg_controllen = sizeof c.room;
            c.head.cmsg_level = SOL_SOCKET;
            c.head.cmsg_type = SCM_RIGHTS;
            c.head.cmsg_len = CMSG_LEN(sizeof(int));
            memcpy(CMSG_DATA(&c.head), &passed, sizeof passed);
        }
        do sent = sendmsg(fd, &h, MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT));
        while (sent < 0 && errno == EINTR);
        why = errno;
    }
    if (sent >= 0) return ASSAY_CHANNEL_OK;
    /* ETOOMANYREFS: the receiver has yet to take descriptors that were sent before */
    if (why == EAGAIN || why == ENOBUFS || why == ENOMEM || why == ETOOMANYREFS) return ASSAY_CHANNEL_AGAIN;
    return why == EPIPE || why == ECONNRESET ? ASSAY_CHANNEL_GONE : ASSAY_CHANNEL_BAD;
}

/* The descriptor in what was received, or -1. Of several, which nobody sends who keeps to the rules, none stays open.
 */
static int taken(struct msghdr *h)
{
    int fd = -1, one;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c; c = CMSG_NXTHDR(h, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
        const size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof one;
        for (size_t i = 0; i < n; i++) {
            memcpy(&one, CMSG_DATA(c) + i * sizeof one, sizeof one);
            if (n == 1)
                fd = one;
            else
                (void)close(one);
        }
    }
    return fd;
}

assay_channel_result assay_channel_receive(int fd, assay_worker_message *m, assay_subject_entry *entry, int *passed,
                                           bool wait)
{
    uint8_t bytes[ASSAY_MESSAGE_BYTES];
    control c;
    ssize_t n;
    struct iovec part = {bytes, sizeof bytes};
    struct msghdr h = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &c, .msg_controllen = sizeof c.room};
    *passed = -1;
    /* ECONNRESET is said once, before what was sent, by a peer that is gone without having read everything */
    for (int resets = 0;;) {
        n = recvmsg(fd, &h, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT));
        if (n >= 0 || (errno != EINTR && (errno != ECONNRESET || resets++))) break;
    }
    if (n < 0 && errno == EAGAIN) return ASSAY_CHANNEL_AGAIN;
    if (n <= 0) return ASSAY_CHANNEL_GONE; /* no message is empty */
    *passed = taken(&h);
    if (!(h.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) && assay_message_decode(m, entry, bytes, (size_t)n, NULL) == ASSAY_OK)
        return ASSAY_CHANNEL_OK;
    if (*passed >= 0) (void)close(*passed);
    *passed = -1;
    return ASSAY_CHANNEL_BAD;
}

/* ---- memory */

static int write_all(int fd, const uint8_t *p, size_t n)
{
    while (n > 0) {
        const ssize_t done = write(fd, p, n);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return done < 0 ? errno : EIO;
        p += done;
        n -= (size_t)done;
    }
    return 0;
}

enum { NOT_EXECUTABLE = 8 /* MFD_NOEXEC_SEAL, from Linux 6.3 on, where a system may insist on it */ };

assay_status assay_memory_share(int *fd, const char *name, const assay_blob *blobs, size_t n, assay_errinfo *err)
{
    int why = 0;
    *fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | NOT_EXECUTABLE);
    if (*fd < 0 && errno == EINVAL) *fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (*fd < 0) return ASSAY_FAIL_OS(err, ASSAY_EIO, name, "no memory to share", errno);
    for (size_t i = 0; i < n && why == 0; i++) why = write_all(*fd, blobs[i].p, blobs[i].n);
    if (why == 0 && fcntl(*fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) why = errno;
    if (why == 0) return ASSAY_OK;
    (void)close(*fd);
    *fd = -1;
    return ASSAY_FAIL_OS(err, why == ENOMEM || why == ENOSPC ? ASSAY_ENOMEM : ASSAY_EIO, name,
                         "memory to share cannot be filled", why);
}

assay_status assay_memory_map(assay_shared_memory *m, int fd, uint64_t n, assay_errinfo *err)
{
    struct stat st;
    assay_status s = ASSAY_OK;
    *m = (assay_shared_memory){NULL, 0};
    const int seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(fd, &st) != 0 || (uint64_t)st.st_size != n) {
        s = ASSAY_FAIL(err, ASSAY_EFORMAT, "inputs", "memory of another size than was said");
    } else if (n > 0) { /* populated at once: with large inputs a fault a page costs more than the copy */
        void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
        if (p == MAP_FAILED)
            s = ASSAY_FAIL_OS(err, ASSAY_ENOMEM, "inputs", "cannot be mapped", errno);
        else
            *m = (assay_shared_memory){p, (size_t)n};
    }
    (void)close(fd);
    return s;
}

void assay_memory_wipe_shared(assay_shared_memory *m)
{
    if (!m->p) return;
    assay_mem_wipe(m->p, m->n);
    (void)munmap(m->p, m->n);
    *m = (assay_shared_memory){NULL, 0};
}

assay_status assay_memory_read(assay_buffer *out, int fd, uint64_t max, assay_errinfo *err)
{
    struct stat st;
    assay_status s = ASSAY_OK;
    *out = (assay_buffer){NULL, 0};
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size <= 0) /* a memfd is a regular file */
        s = ASSAY_FAIL(err, ASSAY_EIO, "outputs", "are not there");
    else if ((uint64_t)st.st_size > max)
        s = ASSAY_FAIL2(err, ASSAY_ERANGE, "outputs", "are more bytes than any proof has (bytes, most)", st.st_size,
                        max);
    else if (!(out->p = assay_mem_alloc_raw((size_t)st.st_size, 1)))
        s = ASSAY_FAIL(err, ASSAY_ENOMEM, "outputs", "out of memory");
    while (s == ASSAY_OK && out->n < (size_t)st.st_size) {
        const ssize_t n = pread(fd, out->p + out->n, (size_t)st.st_size - out->n, (off_t)out->n);
        if (n < 0 && errno == EINTR) continue;
        if (n > 0)
            out->n += (size_t)n;
        else
            s = ASSAY_FAIL(err, ASSAY_EIO, "outputs", "cannot be read");
    }
    (void)close(fd);
    if (s != ASSAY_OK) assay_buffer_free(out);
    return s;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Stamps of files. */
#define _POSIX_C_SOURCE 200809L
#include "engine/stamp.h"
#include "base/file.h"
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t nanoseconds(struct timespec t)
{
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

assay_status assay_file_stamp_of(assay_file_stamp *out, int fd, const char *path, assay_errinfo *err)
{
    struct stat st;
    if (fstat(fd, &st) != 0) return ASSAY_FAIL_OS(err, ASSAY_EIO, path, "cannot be looked at", errno);
    *out = (assay_file_stamp){.device = st.st_dev,
                              .inode = st.st_ino,
                              .n_bytes = (uint64_t)st.st_size,
                              .modified_ns = nanoseconds(st.st_mtim),
                              .changed_ns = nanoseconds(st.st_ctim)};
    return ASSAY_OK;
}

static void mix(uint64_t *a, uint64_t b)
{
    *a = *a * UINT64_C(0x9E3779B97F4A7C15) + b;
}

/* Two stamps as one: any change in either changes it. */
static void mix_stamps(assay_file_stamp *to, const assay_file_stamp *other)
{
    mix(&to->device, other->device);
    mix(&to->inode, other->inode);
    to->n_bytes += other->n_bytes;
    mix(&to->modified_ns, other->modified_ns);
    mix(&to->changed_ns, other->changed_ns);
}

assay_status assay_file_stamp_read(assay_file_stamp *out, const char *path, assay_errinfo *err)
{
    uint64_t n_bytes;
    int fd = -1;
    *out = (assay_file_stamp){0};
    assay_status s = assay_file_open(&fd, &n_bytes, path, err);
    if (s != ASSAY_OK) return s;
    s = assay_file_stamp_of(out, fd, path, err);
    (void)close(fd);
    return s;
}

assay_status assay_subject_stamp(assay_file_stamp *out, assay_job_kind kind, const char *path, assay_errinfo *err)
{
    /* key.bin has the digest of weights.bin, and the ID, which binds all other files */
    static const char *const parts[] = {"isk/key.bin", "model/weights.bin"};
    char file[ASSAY_SUBJECT_PATH];
    assay_file_stamp one = {0};
    assay_status s = ASSAY_OK;
    *out = (assay_file_stamp){0};
    if (kind != ASSAY_JOB_REPLY) return assay_file_stamp_read(out, path, err);
    for (size_t i = 0; s == ASSAY_OK && i < sizeof parts / sizeof *parts; i++) {
        s = assay_path_join(file, sizeof file, path, parts[i], err);
        if (s == ASSAY_OK) s = assay_file_stamp_read(&one, file, err);
        if (s == ASSAY_OK) mix_stamps(out, &one);
    }
    return s;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Read-only maps of files. */
#define _POSIX_C_SOURCE 200809L
#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

assay_status assay_map_open(assay_map *m, const char *path, assay_errinfo *err)
{
    static const uint8_t nothing;
    assay_status s = ASSAY_OK;
    struct stat st;
    m->p = NULL;
    m->n = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe with no writer must not hang */
    if (fd < 0 || fstat(fd, &st) != 0) {
        s = errno == ENOENT ? ASSAY_FAIL(err, ASSAY_EIO, path, "no such file")
                            : ASSAY_FAIL_OS(err, ASSAY_EIO, path, "cannot be opened", errno);
        goto out;
    }
    if (!S_ISREG(st.st_mode)) {
        s = ASSAY_FAIL(err, ASSAY_EIO, path, "not a regular file");
        goto out;
    }
    if (st.st_size == 0) {
        m->p = &nothing;
        goto out;
    }
    void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED) {
        s = ASSAY_FAIL_OS(err, ASSAY_EIO, path, "cannot be mapped", errno);
        goto out;
    }
    m->p = (const uint8_t *)p;
    m->n = (size_t)st.st_size;
out:
    if (fd >= 0) (void)close(fd);
    return s;
}

void assay_map_close(assay_map *m)
{
    if (m->n) (void)munmap((void *)(uintptr_t)m->p, m->n);
    m->p = NULL;
    m->n = 0;
}

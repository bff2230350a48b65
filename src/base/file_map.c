/* SPDX-License-Identifier: Apache-2.0 */
/* Read-only maps of files. */
#define _POSIX_C_SOURCE 200809L
#include "base/file.h"
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

assay_status assay_map_open(assay_map *m, const char *path, assay_errinfo *err)
{
    static const uint8_t nothing;
    uint64_t nbytes;
    int fd;
    m->p = NULL;
    m->n = 0;
    assay_status s = assay_file_open(&fd, &nbytes, path, err);
    if (s != ASSAY_OK) return s;
    void *p = nbytes ? mmap(NULL, (size_t)nbytes, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
    if (p == MAP_FAILED) {
        s = ASSAY_FAIL_OS(err, ASSAY_EIO, path, "cannot be mapped", errno);
    } else {
        m->p = nbytes ? (const uint8_t *)p : &nothing;
        m->n = (size_t)nbytes;
    }
    (void)close(fd);
    return s;
}

void assay_map_close(assay_map *m)
{
    if (m->n) (void)munmap((void *)(uintptr_t)m->p, m->n);
    m->p = NULL;
    m->n = 0;
}

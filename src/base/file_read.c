/* SPDX-License-Identifier: Apache-2.0 */
/* Whole reads with a bound. */
#define _POSIX_C_SOURCE 200809L
#include "base/file.h"
#include "base/mem.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads up to n bytes; fewer only at the end of the file. */
static ssize_t read_whole(int fd, uint8_t *p, size_t n)
{
    size_t done = 0;
    while (done < n) {
        ssize_t got = read(fd, p + done, n - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

assay_status assay_file_open(int *fd, uint64_t *nbytes, const char *path, assay_errinfo *err)
{
    assay_status s = ASSAY_OK;
    struct stat st;
    *nbytes = 0;
    *fd = -1;
    if (!*path) return ASSAY_FAIL(err, ASSAY_EIO, "input file", "its name is empty");
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe with no writer must not hang */
    if (*fd < 0 || fstat(*fd, &st) != 0)
        s = errno == ENOENT ? ASSAY_FAIL(err, ASSAY_EIO, path, "no such file")
                            : ASSAY_FAIL_OS(err, ASSAY_EIO, path, "cannot be opened", errno);
    else if (!S_ISREG(st.st_mode))
        s = ASSAY_FAIL(err, ASSAY_EIO, path, "not a regular file");
    else
        *nbytes = (uint64_t)st.st_size;
    if (s != ASSAY_OK && *fd >= 0) {
        (void)close(*fd);
        *fd = -1;
    }
    return s;
}

assay_status assay_file_read(const char *path, size_t max, uint8_t **out, size_t *n, assay_errinfo *err)
{
    uint8_t *p = NULL;
    size_t expected = 0;
    uint64_t nbytes;
    int fd;
    *out = NULL;
    *n = 0;
    assay_status s = assay_file_open(&fd, &nbytes, path, err);
    if (s != ASSAY_OK) return s;
    if (nbytes > max) {
        s = ASSAY_FAIL2(err, ASSAY_ERANGE, path, "file too large (bytes, limit)", nbytes, max);
        goto out;
    }
    expected = (size_t)nbytes;
    p = (uint8_t *)assay_mem_alloc_raw(expected + 1, 1);
    if (!p) {
        s = ASSAY_FAIL(err, ASSAY_ENOMEM, path, "out of memory");
        goto out;
    }
    if (read_whole(fd, p, expected) != (ssize_t)expected) {
        s = ASSAY_FAIL(err, ASSAY_EIO, path, "cannot be read whole");
        goto out;
    }
    *out = p;
    *n = expected;
    p = NULL;
out:
    assay_mem_free_secret(p, expected);
    (void)close(fd);
    return s;
}

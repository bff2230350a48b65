/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a token. Who may read the file is asked of the open file, so that it cannot be changed in between. */
#define _POSIX_C_SOURCE 200809L
#include "daemon/token.h"
#include "base/file.h"
#include "base/mem.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static assay_status check_mode(int fd, const char *path, assay_errinfo *err)
{
    struct stat st;
    if (fstat(fd, &st) != 0) return ASSAY_FAIL_OS(err, ASSAY_EIO, path, "cannot be looked at", errno);
    if (st.st_mode & (S_IRWXG | S_IRWXO))
        return ASSAY_FAIL(err, ASSAY_EFORMAT, path, "others than its owner may use this file: chmod 600");
    return ASSAY_OK;
}

/* How many bytes the token has that begins at p; 0: it is none. */
static size_t token_bytes(const char *p, size_t n)
{
    size_t length = 0;
    while (length < n && p[length] > 0x20 && p[length] < 0x7F) length++;
    const bool ends = length == n || p[length] == '\n' || p[length] == '\r';
    return ends ? length : 0;
}

assay_status assay_token_read(char out[ASSAY_TOKEN_BYTES], const char *path, assay_errinfo *err)
{
    int fd = -1;
    uint64_t nbytes = 0;
    char text[ASSAY_TOKEN_BYTES];
    memset(out, 0, ASSAY_TOKEN_BYTES);
    assay_status s = assay_file_open(&fd, &nbytes, path, err);
    if (s != ASSAY_OK) return s;
    s = check_mode(fd, path, err);
    const ssize_t got = s == ASSAY_OK ? read(fd, text, sizeof text) : 0;
    if (got < 0) s = ASSAY_FAIL_OS(err, ASSAY_EIO, path, "cannot be read", errno);
    if (s == ASSAY_OK) {
        const size_t n = token_bytes(text, (size_t)got);
        if (n == sizeof text)
            s = ASSAY_FAIL1(err, ASSAY_EFORMAT, path, "the token is too long; at most", ASSAY_TOKEN_BYTES - 1);
        else if (n < ASSAY_TOKEN_LEAST)
            s = ASSAY_FAIL1(err, ASSAY_EFORMAT, path,
                            "the first line is no token: printable characters without spaces, at least",
                            ASSAY_TOKEN_LEAST);
        else
            memcpy(out, text, n);
    }
    assay_mem_wipe(text, sizeof text);
    (void)close(fd);
    return s;
}

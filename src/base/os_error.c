/* SPDX-License-Identifier: Apache-2.0 */
/* Error numbers of the operating system in words. A table of our own: strerror is not safe in threads, and speaks the
 * language of the locale. */
#define _POSIX_C_SOURCE 200809L
#include "base/status.h"
#include <errno.h>
#include <stddef.h>

static const struct {
    int number;
    const char *words;
} known[] = {
    {EPERM, "not permitted"},
    {ENOENT, "no such file or folder"},
    {EINTR, "interrupted"},
    {EIO, "the device failed"},
    {ENXIO, "no such device"},
    {EBADF, "not an open file"},
    {EAGAIN, "not now"},
    {ENOMEM, "out of memory"},
    {EACCES, "permission denied"},
    {EBUSY, "in use"},
    {EEXIST, "exists already"},
    {EXDEV, "on another file system"},
    {ENODEV, "not possible on this file system"},
    {ENOTDIR, "part of the path is not a folder"},
    {EISDIR, "is a folder"},
    {EINVAL, "not valid here"},
    {ENFILE, "too many open files in the system"},
    {EMFILE, "too many open files"},
    {ETXTBSY, "is a running program"},
    {EFBIG, "would be larger than files may be"},
    {ENOSPC, "no space left on the device"},
    {EROFS, "the file system is read-only"},
    {EMLINK, "too many links"},
    {EPIPE, "nobody reads"},
    {ENAMETOOLONG, "the name is too long"},
    {ENOLCK, "no locks left"},
    {ENOSYS, "not offered by this system"},
    {ENOTEMPTY, "the folder is not empty"},
    {ELOOP, "too many symbolic links"},
    {EOVERFLOW, "too large"},
    {ENOTSUP, "not possible on this file system"},
    {EDQUOT, "the quota is used up"},
    {ESTALE, "the network file is gone"},
    {ETIMEDOUT, "no answer in time"},
    {EADDRINUSE, "the address is in use"},
    {EADDRNOTAVAIL, "not an address of this machine"},
    {ECONNREFUSED, "nobody listens there"},
    {ENETUNREACH, "the network cannot be reached"},
    {EHOSTUNREACH, "the host cannot be reached"},
};

const char *assay_os_words(int64_t number)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].number == number) return known[i].words;
    return NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Advisory locks: flock, so that the lock goes with the process however it ends. */
#define _DEFAULT_SOURCE
#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

assay_status assay_lock_take(assay_lock *l, const char *path, bool wait, assay_errinfo *err)
{
    int rc;
    l->fd = -1;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return ASSAY_FAIL1(err, ASSAY_EIO, path, "lock file cannot be opened", errno);
    do rc = flock(fd, LOCK_EX | (wait ? 0 : LOCK_NB));
    while (rc != 0 && errno == EINTR);
    if (rc != 0) {
        int why = errno;
        (void)close(fd);
        if (why == EWOULDBLOCK) return ASSAY_FAIL(err, ASSAY_EBUSY, path, "locked by another process");
        return ASSAY_FAIL1(err, ASSAY_EIO, path, "cannot be locked", why);
    }
    l->fd = fd;
    return ASSAY_OK;
}

void assay_lock_release(assay_lock *l)
{
    if (l->fd >= 0) (void)close(l->fd);
    l->fd = -1;
}

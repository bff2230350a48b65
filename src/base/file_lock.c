/* SPDX-License-Identifier: Apache-2.0 */
/* Advisory locks: flock, so that the lock goes with the process however it ends. */
#define _DEFAULT_SOURCE
#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether the open file still is what the name stands for: a lock on a file that was removed keeps nobody out. */
static bool still_named(int fd, const char *path)
{
    struct stat held, named;
    return fstat(fd, &held) == 0 && stat(path, &named) == 0 && held.st_dev == named.st_dev &&
           held.st_ino == named.st_ino;
}

bool assay_lock_held(const assay_lock *l, const char *path)
{
    return l->fd >= 0 && still_named(l->fd, path);
}

assay_status assay_lock_take(assay_lock *l, const char *path, bool wait, assay_errinfo *err)
{
    l->fd = -1;
    for (;;) {
        int rc, fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0) return ASSAY_FAIL_OS(err, ASSAY_EIO, path, "lock file cannot be opened", errno);
        do rc = flock(fd, LOCK_EX | (wait ? 0 : LOCK_NB));
        while (rc != 0 && errno == EINTR);
        int why = errno;
        if (rc == 0 && still_named(fd, path)) {
            l->fd = fd;
            return ASSAY_OK;
        }
        (void)close(fd);
        if (rc == 0) continue;
        if (why == EWOULDBLOCK) return ASSAY_FAIL(err, ASSAY_EBUSY, path, "locked by another process");
        return ASSAY_FAIL_OS(err, ASSAY_EIO, path, "cannot be locked", why);
    }
}

void assay_lock_release(assay_lock *l)
{
    if (l->fd >= 0) (void)close(l->fd);
    l->fd = -1;
}

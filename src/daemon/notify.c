/* SPDX-License-Identifier: Apache-2.0 */
/* One datagram to systemd's socket, which may be abstract. */
#define _GNU_SOURCE
#include "daemon/notify.h"
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

assay_status assay_notify_send(const char *socket_name, const char *state, assay_errinfo *err)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    if (!socket_name || !*socket_name) return ASSAY_OK;
    const size_t n = strlen(socket_name);
    if ((socket_name[0] != '/' && socket_name[0] != '@') || n >= sizeof name.sun_path)
        return ASSAY_FAIL(err, ASSAY_EINVAL, socket_name, "NOTIFY_SOCKET is not the name of a socket");
    memcpy(name.sun_path, socket_name, n);
    if (socket_name[0] == '@') name.sun_path[0] = '\0';
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return ASSAY_FAIL_OS(err, ASSAY_EIO, socket_name, "no socket", errno);
    const struct sockaddr *to = (const struct sockaddr *)(const void *)&name;
    const ssize_t sent =
        sendto(fd, state, strlen(state), MSG_NOSIGNAL, to, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
    const int why = errno;
    (void)close(fd);
    return sent >= 0 ? ASSAY_OK : ASSAY_FAIL_OS(err, ASSAY_EIO, socket_name, "systemd cannot be told", why);
}

/* A decimal number of at most 18 digits; 0 for anything else. */
static uint64_t decimal(const char *p)
{
    uint64_t v = 0;
    size_t n = 0;
    for (; p[n] >= '0' && p[n] <= '9' && n < 18; n++) v = 10 * v + (uint64_t)(p[n] - '0');
    return p[n] ? 0 : v;
}

uint64_t assay_notify_watchdog_ms(const char *usec_text, const char *pid_text, int64_t own_pid)
{
    if (!usec_text || (pid_text && decimal(pid_text) != (uint64_t)own_pid)) return 0;
    return decimal(usec_text) / 2000;
}

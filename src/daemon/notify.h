/* SPDX-License-Identifier: Apache-2.0 */
/* Telling systemd how the daemon is (sd_notify(3)), without its library. */
#ifndef ASSAY_DAEMON_NOTIFY_H
#define ASSAY_DAEMON_NOTIFY_H

#include "base/status.h"
#include <stdbool.h>
#include <stdint.h>

/* Sends "READY=1", "STOPPING=1", "WATCHDOG=1", "STATUS=...", lines of them, to `socket`, the value of NOTIFY_SOCKET;
 * NULL or "" when there is none: nothing is done. Errors: ASSAY_EIO, ASSAY_EINVAL (not such a name). */
ASSAY_MUST_USE assay_status assay_notify_send(const char *socket, const char *state, assay_errinfo *err);

/* How often systemd wants to hear WATCHDOG=1: half of WATCHDOG_USEC, in ms; 0: never. pid_text: WATCHDOG_PID, NULL if
 * there is none; another process's is not ours. */
uint64_t assay_notify_watchdog_ms(const char *usec_text, const char *pid_text, int64_t own_pid);

#endif

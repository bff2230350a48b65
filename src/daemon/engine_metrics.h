/* SPDX-License-Identifier: Apache-2.0 */
/* What Prometheus is told of the engine and of the gRPC server: /metrics and GetMetrics. */
#ifndef ASSAY_DAEMON_ENGINE_METRICS_H
#define ASSAY_DAEMON_ENGINE_METRICS_H

#include "base/bytes.h"
#include "daemon/server.h"
#include "engine/engine.h"

enum { ASSAY_METRICS_MAX = 1 << 20 }; /* bytes that they take at most: the room for w */

/* Families assay_*, each with help; times in seconds, memory in bytes. server: NULL leaves its families out. */
void assay_metrics_write(assay_writer *w, const assay_engine_look *look, const assay_server_stats *server);

#endif

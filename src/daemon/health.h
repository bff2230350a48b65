/* SPDX-License-Identifier: Apache-2.0 */
/* The service grpc.health.v1.Health: which services can be called. "" is the server as a whole. */
#ifndef ASSAY_DAEMON_HEALTH_H
#define ASSAY_DAEMON_HEALTH_H

#include "daemon/rpc.h"

typedef struct assay_health assay_health;

enum { ASSAY_HEALTH_METHODS = 2 };

/* services[n]: full names, which are copied; all of them, and "", begin as not serving. Errors: ASSAY_ENOMEM. */
ASSAY_MUST_USE assay_status assay_health_new(assay_health **h, const char *const *services, size_t n,
                                             assay_errinfo *err);
/* Its methods, to be served while it lives. */
void assay_health_methods(assay_health *h, assay_rpc_method out[ASSAY_HEALTH_METHODS]);
/* From any thread; service NULL: all of them. Watchers are told of a change. */
void assay_health_set(assay_health *h, const char *service, bool serving);
/* Before the server stops: nothing serves any more, watchers are told and let go. */
void assay_health_stop(assay_health *h);
/* After the server has stopped. NULL is fine. */
void assay_health_free(assay_health *h);

#endif

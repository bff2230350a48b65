/* SPDX-License-Identifier: Apache-2.0 */
/* The services cuzk.v1.ProvingEngine and assay.v1.Engine over an engine. docs/daemon.md says what each call does. */
#ifndef ASSAY_DAEMON_ENGINE_SERVICE_H
#define ASSAY_DAEMON_ENGINE_SERVICE_H

#include "daemon/log.h"
#include "daemon/server.h"
#include "engine/engine.h"

typedef struct assay_service assay_service;

enum { ASSAY_SERVICE_METHODS = 11 };

/* Starts the one thread that answers calls which wait for jobs. engine and log (which may be NULL) are borrowed.
 * circuits, models: the engine's folders, asked again to say why a job was refused. Errors: ASSAY_ENOMEM, ASSAY_EIO. */
ASSAY_MUST_USE assay_status assay_service_new(assay_service **s, assay_engine *engine, const char *circuits,
                                              const char *models, const assay_log *log, assay_errinfo *err);
/* Its methods, to be served while it lives. */
void assay_service_methods(assay_service *s, assay_rpc_method out[ASSAY_SERVICE_METHODS]);
/* Whose numbers GetMetrics tells; NULL: no server's. */
void assay_service_set_server(assay_service *s, const assay_server *server);

/* Before the server stops: calls that wait are ended with UNAVAILABLE, now and from now on; their jobs stay. Nothing
 * waits for the engine when this returns. */
void assay_service_stop(assay_service *s);
/* After the server has stopped, and then the engine was closed: it has answered everything by then. NULL is fine. */
void assay_service_free(assay_service *s);

#endif

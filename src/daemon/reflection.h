/* SPDX-License-Identifier: Apache-2.0 */
/* The service grpc.reflection.v1.ServerReflection, and the same under v1alpha: what can be called here, and the
 * descriptors that say how. They come from the descriptor set that the build made of proto/. */
#ifndef ASSAY_DAEMON_REFLECTION_H
#define ASSAY_DAEMON_REFLECTION_H

#include "daemon/rpc.h"

typedef struct assay_reflection assay_reflection;

enum { ASSAY_REFLECTION_METHODS = 2, ASSAY_MAX_SERVICES = 32 };

/* methods[n]: what the server serves, whose services are told of; so are the reflection services themselves. Files that
 * define none of them stay unknown. Errors: ASSAY_ENOMEM, ASSAY_ERANGE (too many services). */
ASSAY_MUST_USE assay_status assay_reflection_new(assay_reflection **r, const assay_rpc_method *methods, size_t n,
                                                 assay_errinfo *err);
/* Its methods, to be served while it lives. */
void assay_reflection_methods(assay_reflection *r, assay_rpc_method out[ASSAY_REFLECTION_METHODS]);
/* The names of the services, for the health service too: valid as long as r. */
const char *const *assay_reflection_services(const assay_reflection *r, size_t *n);
/* After the server has stopped. NULL is fine. */
void assay_reflection_free(assay_reflection *r);

#endif

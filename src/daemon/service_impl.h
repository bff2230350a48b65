/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the services share.
 *
 * A call that submits becomes a ticket until its job is durable (service_submit.c). A call that waits for a job's end,
 * or watches a job, becomes a follower, which the service's thread answers (service_follow.c): callbacks of the engine
 * and of the server only mark and wake. Nothing of the engine is called with the lock held. */
#ifndef ASSAY_DAEMON_SERVICE_IMPL_H
#define ASSAY_DAEMON_SERVICE_IMPL_H

#include "base/clock.h"
#include "daemon/engine_service.h"
#include "daemon/message.h"
#include <pthread.h>

/* Who wants a job: calls of Prove, and calls that submit it just now. When the last of them is gone before the job's
 * end, a job that Prove made, and that nobody submitted to run by itself, is cancelled. */
typedef struct assay_wanted {
    struct assay_wanted *next;
    unsigned refs;
    bool made_by_prove; /* here, in this life of the daemon */
    bool runs_alone;    /* submitted to run without a client */
    bool cancelling;    /* no refs any more; the thread is about to cancel it */
    char id[ASSAY_JOB_ID + 1];
} assay_wanted;

typedef struct assay_follower assay_follower;

struct assay_service {
    assay_engine *engine;
    assay_catalogue *catalogue;
    const assay_log *log;
    const assay_server *_Atomic server;
    pthread_t thread;
    bool started;

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t work;  /* for the thread */
    pthread_cond_t quiet; /* a cancellation is through, a follower ended */
    assay_follower *followers;
    size_t n_followers; /* the one that is served too */
    assay_wanted *wanted;
    bool stopped, closing;
};

/* ---- service.c */

/* The request of a call, split: bytes of `fields` as parts, the rest as a message of `type`. what: the field to name
 * when there are too many parts. False after the call was refused. assay_service_clear frees it. */
typedef struct assay_service_request {
    assay_message message;
    assay_part *parts;
    size_t n_parts;
} assay_service_request;
bool assay_service_read(assay_service_request *r, assay_call *c, const ProtobufCMessageDescriptor *type, const void *p,
                        size_t n, uint64_t fields, size_t max, const char *what);
/* The same for a request without large parts: only r->message is filled. */
bool assay_service_read_small(assay_service_request *r, assay_call *c, const ProtobufCMessageDescriptor *type);
void assay_service_clear(assay_service_request *r);

/* Ends a call with a message; with INVALID_ARGUMENT and "field: reason". */
void assay_service_reply(assay_call *c, const ProtobufCMessage *m);
void assay_service_refuse_field(assay_call *c, const char *field, const char *reason);
/* The code that stands for a status of the engine's. */
assay_rpc_code assay_service_code(assay_status s);
void assay_service_fail(assay_call *c, const assay_errinfo *err);

/* Whether text may be a job's id, or a subject's name: at most 128 bytes of printable ASCII. */
bool assay_service_is_id(const char *text);

/* ---- service_submit.c */

typedef enum assay_answer_form { ANSWER_CUZK, ANSWER_ASSAY, ANSWER_PROVE } assay_answer_form;

/* Submits what the call asks for, and answers it, or follows the job for it. spec: its inputs may point into the call's
 * request, which is dropped when the job is durable, and into `own`, which is owned from now on (as inputs[] itself is,
 * from assay_mem). An empty spec.id: one is made. */
void assay_service_submit(assay_service *s, assay_call *c, assay_answer_form form, const assay_job_spec *spec,
                          assay_blob *inputs, assay_writer *own);

/* ---- service_follow.c */

typedef enum assay_follow_form { FOLLOW_PROVE, FOLLOW_AWAIT, FOLLOW_WATCH } assay_follow_form;

/* Answers the call, which is held, when the job of that id ends (FOLLOW_WATCH: at every change). wanted: a share of
 * it, which is given back; NULL for none. timeout_ms: of FOLLOW_AWAIT; 0 for none. */
void assay_service_follow(assay_service *s, assay_call *c, assay_follow_form form, const char *id, assay_wanted *wanted,
                          uint64_t timeout_ms, bool without_result);

/* One more who wants a job; waits for a cancellation of it that is under way. NULL when out of memory. */
assay_wanted *assay_wanted_take(assay_service *s, const char *id);
/* One less. ended: of itself, or it was never made. */
void assay_wanted_give(assay_service *s, assay_wanted *w, bool ended);

ASSAY_MUST_USE assay_status assay_follow_start(assay_service *s, assay_errinfo *err);
void assay_follow_stop(assay_service *s);
void assay_follow_free(assay_service *s);

/* ---- service_result.c */

/* The reply to a job's end, of AwaitProof or inside of Prove's; the event of Watch. */
void assay_result_reply(assay_service *s, assay_call *c, assay_follow_form form, const assay_job_view *job);
void assay_result_timeout(assay_call *c, const char *id);
void assay_result_failed(assay_call *c, const char *id, const char *error);
/* ASSAY_ENOMEM: the client has too much to take already. */
ASSAY_MUST_USE assay_status assay_result_event(assay_service *s, assay_call *c, const assay_job_view *job,
                                               bool with_result, assay_errinfo *err);

/* ---- the methods */

enum { ASSAY_CUZK_METHODS = 8, ASSAY_OWN_METHODS = 3 };
void assay_cuzk_methods(assay_service *s, assay_rpc_method out[ASSAY_CUZK_METHODS]);
void assay_own_methods(assay_service *s, assay_rpc_method out[ASSAY_OWN_METHODS]);
/* service_look.c */
void assay_cuzk_get_status(void *ctx, assay_call *c);
void assay_cuzk_get_metrics(void *ctx, assay_call *c);
void assay_cuzk_preload(void *ctx, assay_call *c);
void assay_cuzk_evict(void *ctx, assay_call *c);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* assay-bench status, metrics, preload, evict, cancel: single calls. */
#include "cli/bench_client.h"
#include "cli/bench_commands.h"
#include "cli/report.h"
#include <cuzk/v1/proving_engine.pb-c.h>
#include <stdio.h>

enum { CALL_MS = 600000 };

/* Prints a reply. */
typedef void print_fn(const assay_args *a, const ProtobufCMessage *m);

static int call(const assay_args *a, const char *path, const ProtobufCMessage *request,
                const ProtobufCMessageDescriptor *type, print_fn *print)
{
    assay_bench_target t = {0};
    assay_bench_answer answer = {0};
    assay_client *c = NULL;
    assay_errinfo err = {0};
    assay_status s = assay_bench_target_read(&t, a, NULL, &err);
    if (s == ASSAY_OK) s = assay_client_new(&c, &t.options, &err);
    if (s == ASSAY_OK) s = assay_bench_call(c, path, request, CALL_MS, type, &answer, &err);
    int code = ASSAY_EXIT_OK;
    if (s != ASSAY_OK)
        code = assay_report_error(a, ASSAY_READING, s, &err);
    else if (answer.code != ASSAY_RPC_OK)
        code = assay_bench_refused(a, answer.code, answer.text);
    else
        print(a, answer.m.m);
    assay_bench_answer_clear(&answer);
    assay_client_free(c);
    assay_bench_target_clear(&t);
    return assay_report_finish(a, code);
}

/* ---- status */

static double mib(uint64_t bytes)
{
    return (double)bytes / (1 << 20);
}

static void print_status_text(const Cuzk__V1__GetStatusResponse *r)
{
    printf("up %llu s; %llu proofs completed, %llu failed; memory held %.1f of %.1f MiB\n",
           (unsigned long long)r->uptime_seconds, (unsigned long long)r->total_proofs_completed,
           (unsigned long long)r->total_proofs_failed, mib(r->pinned_memory_bytes), mib(r->pinned_memory_limit_bytes));
    for (size_t i = 0; i < r->n_gpus; i++) {
        const Cuzk__V1__GPUStatus *g = r->gpus[i];
        printf("worker %u: ", (unsigned)g->ordinal);
        assay_report_path(g->name);
        if (*g->current_job_id) {
            printf(", proving ");
            assay_report_path(g->current_job_id);
            printf(" (%s)", g->current_proof_kind);
        }
        printf("\n");
    }
    for (size_t i = 0; i < r->n_loaded_srs; i++) {
        printf("key ");
        assay_report_path(r->loaded_srs[i]->circuit_id);
        printf(": %.1f MiB, used by %u\n", mib(r->loaded_srs[i]->size_bytes), (unsigned)r->loaded_srs[i]->ref_count);
    }
    for (size_t i = 0; i < r->n_queues; i++)
        printf("%s: %u waiting, %u running\n", r->queues[i]->proof_kind, (unsigned)r->queues[i]->pending,
               (unsigned)r->queues[i]->in_progress);
}

static void print_status_json(const Cuzk__V1__GetStatusResponse *r)
{
    assay_json_begin();
    assay_json_number("uptime_seconds", r->uptime_seconds);
    assay_json_number("total_proofs_completed", r->total_proofs_completed);
    assay_json_number("total_proofs_failed", r->total_proofs_failed);
    assay_json_number("memory_bytes", r->pinned_memory_bytes);
    assay_json_number("memory_limit_bytes", r->pinned_memory_limit_bytes);
    assay_json_array_begin("workers");
    for (size_t i = 0; i < r->n_gpus; i++) {
        assay_json_begin();
        assay_json_number("ordinal", r->gpus[i]->ordinal);
        assay_json_string("name", r->gpus[i]->name);
        assay_json_string("job", r->gpus[i]->current_job_id);
        assay_json_string("kind", r->gpus[i]->current_proof_kind);
        assay_json_close();
    }
    assay_json_array_end();
    assay_json_array_begin("keys");
    for (size_t i = 0; i < r->n_loaded_srs; i++) {
        assay_json_begin();
        assay_json_string("name", r->loaded_srs[i]->circuit_id);
        assay_json_number("bytes", r->loaded_srs[i]->size_bytes);
        assay_json_number("references", r->loaded_srs[i]->ref_count);
        assay_json_close();
    }
    assay_json_array_end();
    assay_json_array_begin("queues");
    for (size_t i = 0; i < r->n_queues; i++) {
        assay_json_begin();
        assay_json_string("kind", r->queues[i]->proof_kind);
        assay_json_number("waiting", r->queues[i]->pending);
        assay_json_number("running", r->queues[i]->in_progress);
        assay_json_close();
    }
    assay_json_array_end();
    assay_json_end();
}

static void print_status(const assay_args *a, const ProtobufCMessage *m)
{
    const Cuzk__V1__GetStatusResponse *r = (const Cuzk__V1__GetStatusResponse *)(const void *)m;
    if (args_has(a, OPT_JSON))
        print_status_json(r);
    else
        print_status_text(r);
}

int assay_bench_status(const assay_args *a)
{
    Cuzk__V1__GetStatusRequest q;
    cuzk__v1__get_status_request__init(&q);
    return call(a, "/cuzk.v1.ProvingEngine/GetStatus", &q.base, &cuzk__v1__get_status_response__descriptor,
                print_status);
}

/* ---- metrics */

static void print_metrics(const assay_args *a, const ProtobufCMessage *m)
{
    const char *text = ((const Cuzk__V1__GetMetricsResponse *)(const void *)m)->prometheus_text;
    if (args_has(a, OPT_JSON)) {
        assay_json_begin();
        assay_json_string("prometheus_text", text);
        assay_json_end();
    } else {
        (void)fputs(text, stdout);
    }
}

int assay_bench_metrics(const assay_args *a)
{
    Cuzk__V1__GetMetricsRequest q;
    cuzk__v1__get_metrics_request__init(&q);
    return call(a, "/cuzk.v1.ProvingEngine/GetMetrics", &q.base, &cuzk__v1__get_metrics_response__descriptor,
                print_metrics);
}

/* ---- preload, evict, cancel: the operand is the name */

static void print_fact(const assay_args *a, const char *text, const char *key, bool fact)
{
    if (args_has(a, OPT_JSON)) {
        assay_json_begin();
        assay_json_bool(key, fact);
        assay_json_end();
    } else if (!args_has(a, OPT_QUIET)) {
        assay_report_path(a->operand[0]);
        printf(": %s\n", text);
    }
}

static void print_preload(const assay_args *a, const ProtobufCMessage *m)
{
    const Cuzk__V1__PreloadSrsResponse *r = (const Cuzk__V1__PreloadSrsResponse *)(const void *)m;
    char text[64];
    (void)snprintf(text, sizeof text, "loaded in %.3f s", 0.001 * (double)r->load_time_ms);
    print_fact(a, r->already_loaded ? "was loaded already" : text, "already_loaded", r->already_loaded);
}

int assay_bench_preload(const assay_args *a)
{
    Cuzk__V1__PreloadSrsRequest q;
    cuzk__v1__preload_srs_request__init(&q);
    q.circuit_id = (char *)(uintptr_t)a->operand[0];
    return call(a, "/cuzk.v1.ProvingEngine/PreloadSRS", &q.base, &cuzk__v1__preload_srs_response__descriptor,
                print_preload);
}

static void print_evict(const assay_args *a, const ProtobufCMessage *m)
{
    const Cuzk__V1__EvictSrsResponse *r = (const Cuzk__V1__EvictSrsResponse *)(const void *)m;
    char text[64];
    (void)snprintf(text, sizeof text, "evicted, %.1f MiB freed", mib(r->freed_bytes));
    print_fact(a, r->was_loaded ? text : "was not loaded", "was_loaded", r->was_loaded);
}

int assay_bench_evict(const assay_args *a)
{
    Cuzk__V1__EvictSrsRequest q;
    cuzk__v1__evict_srs_request__init(&q);
    q.circuit_id = (char *)(uintptr_t)a->operand[0];
    return call(a, "/cuzk.v1.ProvingEngine/EvictSRS", &q.base, &cuzk__v1__evict_srs_response__descriptor, print_evict);
}

static void print_cancel(const assay_args *a, const ProtobufCMessage *m)
{
    const bool running = ((const Cuzk__V1__CancelProofResponse *)(const void *)m)->was_running;
    print_fact(a, running ? "cancelled while it ran" : "cancelled; it did not run", "was_running", running);
}

int assay_bench_cancel(const assay_args *a)
{
    Cuzk__V1__CancelProofRequest q;
    cuzk__v1__cancel_proof_request__init(&q);
    q.job_id = (char *)(uintptr_t)a->operand[0];
    return call(a, "/cuzk.v1.ProvingEngine/CancelProof", &q.base, &cuzk__v1__cancel_proof_response__descriptor,
                print_cancel);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* How many small jobs a daemon accepts durably, and how quickly it answers GetStatus meanwhile.
 *     flood ADDRESS CIRCUIT WITNESS.wtns CONNECTIONS SECONDS
 * Each connection submits one job after the other, each under an id of its own; one more asks for the status every 5
 * ms. Prints one JSON object. Jobs need not be worked for this: what is counted is that they were accepted. */
#define _POSIX_C_SOURCE 200809L
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/bench_client.h"
#include <assay/v1/engine.pb-c.h>
#include <cuzk/v1/proving_engine.pb-c.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CONNECTIONS = 1024, LOOKS = 1 << 16, CALL_MS = 60000, EVERY_NS = 5000000 };

typedef struct flood {
    const char *address, *circuit;
    uint8_t *witness;
    size_t n_witness;
    uint64_t until;
    _Atomic uint64_t accepted, refused;
    uint64_t look_ns[LOOKS];
    size_t n_looks;
} flood;

static uint64_t now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static assay_client *connect_to(const flood *f)
{
    const assay_client_options o = {.address = f->address, .connect_timeout = 10000};
    assay_client *c = NULL;
    assay_errinfo err = {0};
    char text[512];
    if (assay_client_new(&c, &o, &err) != ASSAY_OK)
        fprintf(stderr, "flood: %s\n", assay_errinfo_text(&err, text, sizeof text));
    return c;
}

static void *submit(void *arg)
{
    flood *f = arg;
    assay_client *c = connect_to(f);
    ProtobufCBinaryData witness = {f->n_witness, f->witness};
    Assay__V1__SubmitGroth16Request q;
    assay__v1__submit_groth16_request__init(&q);
    q.circuit = (char *)(uintptr_t)f->circuit;
    q.witness = &witness;
    q.n_witness = 1;
    while (c && assay_clock_ms() < f->until) {
        assay_bench_answer answer;
        if (assay_bench_call(c, "/assay.v1.Engine/SubmitGroth16", &q.base, CALL_MS,
                             &assay__v1__submit_response__descriptor, &answer, NULL) != ASSAY_OK)
            break;
        if (answer.code == ASSAY_RPC_OK)
            f->accepted++;
        else if (f->refused++ == 0)
            fprintf(stderr, "flood: %s: %s\n", assay_rpc_code_name(answer.code), answer.text);
        assay_bench_answer_clear(&answer);
    }
    assay_client_free(c);
    return NULL;
}

static void *look(void *arg)
{
    flood *f = arg;
    assay_client *c = connect_to(f);
    Cuzk__V1__GetStatusRequest q;
    cuzk__v1__get_status_request__init(&q);
    while (c && assay_clock_ms() < f->until && f->n_looks < LOOKS) {
        const struct timespec pause = {0, EVERY_NS};
        assay_bench_answer answer;
        const uint64_t begin = now_ns();
        if (assay_bench_call(c, "/cuzk.v1.ProvingEngine/GetStatus", &q.base, CALL_MS,
                             &cuzk__v1__get_status_response__descriptor, &answer, NULL) != ASSAY_OK)
            break;
        f->look_ns[f->n_looks++] = now_ns() - begin;
        assay_bench_answer_clear(&answer);
        (void)nanosleep(&pause, NULL);
    }
    assay_client_free(c);
    return NULL;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static double at_ms(const flood *f, size_t part)
{
    return f->n_looks ? 1e-6 * (double)f->look_ns[(f->n_looks - 1) * part / 1000] : 0;
}

static int usage(void)
{
    fprintf(stderr, "flood ADDRESS CIRCUIT WITNESS.wtns CONNECTIONS SECONDS\n");
    return 2;
}

int main(int argc, char **argv)
{
    static pthread_t threads[CONNECTIONS];
    pthread_t looker;
    assay_errinfo err = {0};
    char text[512];
    flood *f = assay_mem_alloc(1, sizeof *f);
    if (argc != 6 || !f) return usage();
    const unsigned long n = strtoul(argv[4], NULL, 10), seconds = strtoul(argv[5], NULL, 10);
    if (n < 1 || n > CONNECTIONS || seconds < 1 || seconds > 3600) return usage();
    f->address = argv[1];
    f->circuit = argv[2];
    if (assay_file_read(argv[3], 1 << 28, &f->witness, &f->n_witness, &err) != ASSAY_OK) {
        fprintf(stderr, "flood: %s\n", assay_errinfo_text(&err, text, sizeof text));
        return 2;
    }
    const uint64_t begin = assay_clock_ms();
    f->until = begin + 1000 * seconds;
    unsigned long started = 0;
    const bool looking = pthread_create(&looker, NULL, look, f) == 0;
    while (started < n && pthread_create(&threads[started], NULL, submit, f) == 0) started++;
    for (unsigned long i = 0; i < started; i++) (void)pthread_join(threads[i], NULL);
    const double took = 0.001 * (double)(assay_clock_ms() - begin);
    if (looking) (void)pthread_join(looker, NULL);
    qsort(f->look_ns, f->n_looks, sizeof *f->look_ns, by_value);
    printf("{\"connections\": %lu, \"seconds\": %.3f, \"accepted\": %llu, \"refused\": %llu, \"accepted_per_second\": "
           "%.1f, \"status_calls\": %zu, \"status_p50_ms\": %.3f, \"status_p99_ms\": %.3f, \"status_max_ms\": %.3f}\n",
           started, took, (unsigned long long)f->accepted, (unsigned long long)f->refused, (double)f->accepted / took,
           f->n_looks, at_ms(f, 500), at_ms(f, 990), at_ms(f, 1000));
    const bool good = f->accepted > 0 && f->n_looks > 0;
    assay_mem_free_secret(f->witness, f->n_witness);
    assay_mem_free(f);
    return good ? 0 : 1;
}

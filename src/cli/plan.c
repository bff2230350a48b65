/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of proofs. */
#include "cli/plan.h"
#include "base/pool.h"
#include "cli/report.h"
#include <stdio.h>
#include <string.h>

/* 0 becomes the number that a pool would start. */
static assay_status count_threads(unsigned *threads, assay_errinfo *err)
{
    assay_pool *pool = NULL;
    if (*threads) return ASSAY_OK;
    assay_status s = assay_pool_new(&pool, 0, err);
    *threads = assay_pool_threads(pool);
    assay_pool_free(pool);
    return s;
}

assay_status assay_cli_plan(assay_cp_plan *out, const char *folder, const assay_request *const *requests, size_t n,
                            uint32_t policy, unsigned threads, assay_errinfo *err)
{
    assay_public pub;
    memset(&pub, 0, sizeof pub);
    assay_status s = assay_public_read(&pub, folder, err);
    if (s == ASSAY_OK) s = count_threads(&threads, err);
    for (size_t i = 0; s == ASSAY_OK && i < n; i++)
        s = assay_cp_plan_make(&out[i], &pub, assay_request_n_prompt(requests[i]), assay_request_n_tokens(requests[i]),
                               policy, threads, err);
    assay_public_clear(&pub);
    return s;
}

/* The one with the largest peak, while all others wait. */
uint64_t assay_cli_plan_together(const assay_cp_plan *plans, size_t n)
{
    uint64_t waiting = 0, most = 0;
    for (size_t i = 0; i < n; i++) waiting += plans[i].waiting_bytes;
    for (size_t i = 0; i < n; i++) {
        uint64_t bytes = plans[i].peak_bytes + waiting - plans[i].waiting_bytes;
        most = bytes > most ? bytes : most;
    }
    return most;
}

size_t assay_cli_plan_fit(const assay_cp_plan *plans, size_t n, uint64_t limit)
{
    size_t fit = 1;
    while (fit < n && assay_cli_plan_together(plans, fit + 1) <= limit) fit++;
    return fit;
}

static double mebibytes(uint64_t bytes)
{
    return (double)bytes / 1048576.0;
}

static void print_json(const assay_cp_plan *plans, const char *const *names, const assay_request *const *requests,
                       size_t n)
{
    assay_json_begin();
    assay_json_array_begin("plans");
    for (size_t i = 0; i < n; i++) {
        assay_json_begin();
        assay_json_string("request", names[i]);
        assay_json_number("prompt_tokens", assay_request_n_prompt(requests[i]));
        assay_json_number("tokens", assay_request_n_tokens(requests[i]));
        assay_json_number("memory_bytes", plans[i].peak_bytes);
        assay_json_number("commitment_bytes", plans[i].commitment_bytes);
        assay_json_string("stage", plans[i].stage);
        assay_json_number("cells", plans[i].cells);
        assay_json_number("rows", plans[i].n_rows);
        assay_json_number("look_ups", plans[i].look_ups);
        assay_json_number("instances", plans[i].n_instances);
        assay_json_number("proof_bytes", plans[i].proof_bytes);
        assay_json_close();
    }
    assay_json_array_end();
    assay_json_number("memory_bytes", assay_cli_plan_together(plans, n));
    assay_json_end();
}

void assay_cli_plan_print(const assay_args *a, const assay_cp_plan *plans, const char *const *names,
                          const assay_request *const *requests, size_t n)
{
    if (args_has(a, OPT_JSON)) {
        print_json(plans, names, requests, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const assay_cp_plan *p = &plans[i];
        uint32_t n_prompt = assay_request_n_prompt(requests[i]), tokens = assay_request_n_tokens(requests[i]);
        printf("%s: %u prompt and %u reply tokens\n", names[i], (unsigned)n_prompt, (unsigned)(tokens - n_prompt));
        printf("  memory     %.1f MiB at most, of which the commitment %.1f; most while %s\n", mebibytes(p->peak_bytes),
               mebibytes(p->commitment_bytes), p->stage);
        printf("  cells      %llu in %u rows\n", (unsigned long long)p->cells, (unsigned)p->n_rows);
        printf("  look-ups   %llu in %u instances\n", (unsigned long long)p->look_ups, (unsigned)p->n_instances);
        printf("  proof      about %llu bytes\n", (unsigned long long)p->proof_bytes);
    }
    if (n > 1) printf("together: %.1f MiB at most\n", mebibytes(assay_cli_plan_together(plans, n)));
}

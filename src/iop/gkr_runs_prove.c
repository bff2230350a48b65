/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of ones in the layer above the leaves: looked-up leaves have numerator 1, and half of all nodes stand on leaves.
 */
#include "iop/prove.h"
#include <string.h>

/* RUN_BLOCK: nodes in which runs are found; MIN_BLOCKS: shorter runs of ones cost more in calls than they save. */
enum { RUN_BLOCK = 1 << GKR_RUN_ROUNDS, MIN_BLOCKS = 4, SHIFT_GRAIN = 16384 };

void assay_gkr_runs_plain(gkr_layer *l)
{
    l->run[0] = (gkr_run){0, l->n_real, 0, false};
    l->n_runs = 1;
}

static bool block_of_ones(const uint32_t *p, size_t n, size_t block)
{
    size_t from = 2 * RUN_BLOCK * block;
    if (n - from < 2 * RUN_BLOCK) return false;
    uint32_t other = 0;
    for (size_t i = 0; i < 2 * RUN_BLOCK; i++) other |= p[from + i] ^ 1;
    return other == 0;
}

/* Appends n nodes; like runs in a row become one. */
static void append(gkr_layer *l, size_t n, bool ones)
{
    gkr_run *last = l->n_runs ? &l->run[l->n_runs - 1] : NULL;
    if (last && last->ones == ones) {
        last->n += n;
        return;
    }
    size_t from = last ? last->from + last->n : 0;
    size_t p_from = last ? last->p_from + (last->ones ? 0 : last->n) : 0;
    l->run[l->n_runs++] = (gkr_run){from, n, p_from, ones};
}

static void find_runs(gkr_layer *l, const uint32_t *p, size_t n)
{
    size_t n_blocks = l->n_real / RUN_BLOCK, block = 0;
    l->n_runs = 0;
    while (block < n_blocks && l->n_runs + 2 < GKR_MAX_RUNS) {
        size_t end = block;
        while (end < n_blocks && block_of_ones(p, n, end)) end++;
        bool ones = end - block >= MIN_BLOCKS;
        if (!ones && end < n_blocks) end++; /* the block that ended the search */
        append(l, (end - block) * RUN_BLOCK, ones);
        block = end;
    }
    size_t done = l->n_runs ? l->run[l->n_runs - 1].from + l->run[l->n_runs - 1].n : 0;
    if (done < l->n_real) append(l, l->n_real - done, false);
}

typedef struct leaf_job {
    gkr_layer *l;
    const gkr_run *run;
    const uint32_t *p;
    size_t n; /* leaves */
    kel shift;
} leaf_job;

/* q += shift on nodes begin .. end-1 of a run. */
static void shift_nodes(void *ctx, size_t begin, size_t end)
{
    const leaf_job *job = (const leaf_job *)ctx;
    for (int side = 2; side < 4; side++)
        for (int j = 0; j < K_WORDS; j++) {
            uint32_t *w = job->l->a[side].c[j] + job->run->from, shift = job->shift.v[j];
            for (size_t i = begin; i < end; i++) w[i] = m31_add(w[i], shift);
        }
}

/* p0, p1 of nodes begin .. end-1 of a run, in arrays that are zero; the last node may have one leaf only. */
static void fill_nodes(void *ctx, size_t begin, size_t end)
{
    const leaf_job *job = (const leaf_job *)ctx;
    for (int side = 0; side < 2; side++) {
        uint32_t *out = job->l->a[side].c[0] + job->run->p_from;
        for (size_t i = begin; i < end; i++) {
            size_t leaf = 2 * (job->run->from + i) + (size_t)side;
            out[i] = leaf < job->n ? job->p[leaf] : 0;
        }
    }
}

size_t assay_gkr_runs_find(gkr_layer *l, const uint32_t *p, size_t n)
{
    size_t stored = 0, dissolved = (l->n_real >> GKR_RUN_ROUNDS) + 1;
    if (l->n_vars > GKR_RUN_ROUNDS && !k_is_zero(l->lambda)) {
        l->lambda_inv = k_inv(l->lambda);
        find_runs(l, p, n);
    }
    for (unsigned k = 0; k < l->n_runs; k++)
        if (!l->run[k].ones) stored += l->run[k].n;
    return (stored > dissolved ? stored : dissolved) + 1; /* and the padding node that completes a pair */
}

void assay_gkr_runs_fill(gkr_layer *l, const uint32_t *p, size_t n)
{
    for (unsigned k = 0; k < l->n_runs; k++) {
        leaf_job job = {l, &l->run[k], p, n, l->lambda_inv};
        assay_pool_range(l->be->pool, job.run->n, SHIFT_GRAIN, job.run->ones ? shift_nodes : fill_nodes, &job);
    }
}

/* From the last run down, so that p moves up into free places only. */
void assay_gkr_runs_dissolve(gkr_layer *l)
{
    for (unsigned k = l->n_runs; k-- > 0;) {
        gkr_run run = l->run[k];
        leaf_job job = {l, &run, NULL, 0, k_neg(l->lambda_inv)};
        if (run.ones) shift_nodes(&job, 0, run.n);
        for (int side = 0; side < 2; side++)
            for (int j = 0; j < K_WORDS; j++) {
                uint32_t *w = l->a[side].c[j];
                if (!run.ones) memmove(w + run.from, w + run.p_from, run.n * sizeof *w);
                for (size_t i = 0; run.ones && i < run.n; i++) w[run.from + i] = j == 0;
            }
    }
    assay_gkr_runs_plain(l);
}

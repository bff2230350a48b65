/* SPDX-License-Identifier: Apache-2.0 */
#include "groth16/capacity.h"
#include "base/mem.h"
#include "groth16/distinct.h"
#include "groth16/plan.h"

enum {
    BLOCK = 4096,     /* coefficients of a sample that are read at a time */
    READING = 1 << 18 /* bytes: buffers of a key that is loaded */
};

/* All coefficients, or blocks of them from all over the section. */
static assay_status sample(uint64_t *n_values, const assay_zkey *z, assay_errinfo *err)
{
    const uint64_t all = z->n_coefs, wanted = all < ASSAY_DISTINCT_SAMPLE ? all : ASSAY_DISTINCT_SAMPLE;
    const uint64_t blocks = (wanted + BLOCK - 1) / BLOCK;
    assay_distinct d;
    assay_zkey_coef *coef = NULL;
    assay_status s = assay_distinct_init(&d, z->file.source.name, err);
    if (s == ASSAY_OK && !(coef = assay_mem_alloc_raw(BLOCK, sizeof *coef)))
        s = ASSAY_FAIL(err, ASSAY_ENOMEM, z->file.source.name, "out of memory");
    for (uint64_t b = 0; s == ASSAY_OK && b < blocks; b++) {
        const uint64_t first = all == wanted ? b * BLOCK : all * b / blocks;
        const size_t n = (size_t)(all - first < BLOCK ? all - first : BLOCK);
        s = assay_zkey_coefs(coef, z, (uint32_t)first, n, err);
        for (size_t i = 0; s == ASSAY_OK && i < n; i++) assay_distinct_add(&d, &coef[i].value);
    }
    *n_values = assay_distinct_estimate(&d, all);
    assay_mem_free(coef);
    assay_distinct_clear(&d);
    return s;
}

/* What load_all of key.c allocates. */
static void count_resident(assay_groth16_capacity *out, const assay_zkey *z, uint64_t n_values)
{
    uint64_t held, most;
    const uint64_t starts = 2 * ((uint64_t)z->domain + 1) * sizeof(uint32_t);
    assay_values_bytes(&held, &most, n_values);
    out->held = held + starts + ((uint64_t)z->n_coefs + 1) * 2 * sizeof(uint32_t);
    for (unsigned s = ASSAY_ZKEY_A; s <= ASSAY_ZKEY_H; s++)
        out->held += assay_zkey_n_points(z, s) * assay_zkey_group(z, s)->affine_bytes;
    out->loading = READING + starts + most - held;
}

/* A plan whose bound is too small has no peak. */
static assay_status plan_as(assay_groth16_plan *out, const assay_zkey *z, bool resident, const assay_group_backend *be,
                            uint64_t memory, assay_errinfo *err)
{
    const assay_groth16_key key = {.path = (char *)(uintptr_t)z->file.source.name, .z = *z, .resident = resident};
    assay_groth16_pieces pieces;
    assay_errinfo quiet = {0};
    assay_status s = assay_groth16_plan_pieces(out, &pieces, &key, be, memory, NULL, &quiet);
    if (s != ASSAY_OK) out->peak = 0;
    if (s == ASSAY_ENOMEM && out->least > memory) return ASSAY_OK;
    if (s != ASSAY_OK && err) *err = quiet;
    return s;
}

assay_status assay_groth16_capacity_read(assay_groth16_capacity *out, const char *zkey, unsigned threads,
                                         uint64_t memory_resident, uint64_t memory_in_file, assay_errinfo *err)
{
    assay_zkey z;
    assay_group_backend be;
    assay_pool *pool = NULL;
    uint64_t n_values = 0;
    *out = (assay_groth16_capacity){0};
    assay_status s = assay_zkey_open(&z, zkey, true, err);
    if (s != ASSAY_OK) return s;
    s = sample(&n_values, &z, err);
    if (s == ASSAY_OK) s = assay_pool_new(&pool, threads, err);
    if (s == ASSAY_OK) {
        assay_group_backend_cpu_init(&be, pool);
        *out = (assay_groth16_capacity){.curve = z.curve, .n_wires = z.n_vars, .n_public = z.n_public};
        count_resident(out, &z, n_values);
        s = plan_as(&out->resident, &z, true, &be, memory_resident, err);
        if (s == ASSAY_OK) s = plan_as(&out->in_file, &z, false, &be, memory_in_file, err);
    }
    assay_pool_free(pool);
    assay_zkey_close(&z);
    if (s != ASSAY_OK) *out = (assay_groth16_capacity){0};
    return s;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The pieces of a commitment at one shape: tables of the code, encoding alone, commit, opening, transposed code, the
 * whole tail for prover and verifier. Usage: bench_commit [c] [rows] [threads]. Times are the fastest of RUNS runs, by
 * the clock and summed over threads. Machine-dependent: compare ratios. */
#include "base/mem.h"
#include "commit/matrix.h"
#include "commit/tail.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RUNS = 5, SECURITY = 128 };

typedef struct data {
    unsigned c;
    size_t rows;
    assay_backend be;
    assay_code *code;
    const uint32_t **row;
    uint32_t *words, *scratch, *columns;
    assay_matrix *m;
    assay_kvec u;
    uint64_t pos[ASSAY_MAX_QUERIES];
    kel w[ASSAY_MAX_QUERIES];
    size_t npos;
    uint8_t root[32];
    assay_writer proof;
    kel z[30];
    assay_tail_claim claim;
    bool good;
} data;

static double now(void)
{
    struct timespec t;
    (void)timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void tables(data *d)
{
    assay_code_free(d->code);
    d->good = d->good && assay_code_new(&d->code, d->c, ASSAY_MAIN_LOG_RATE, NULL) == ASSAY_OK;
}

static void encode_row(void *ctx, size_t i)
{
    const data *d = (const data *)ctx;
    unsigned group = (unsigned)(i / d->rows);
    assay_code_encode_group(d->code, &d->be, group, d->scratch + ((i % d->rows) << d->c), d->row[i % d->rows]);
}
static void encode(data *d)
{
    assay_pool_run(d->be.pool, d->rows << ASSAY_MAIN_LOG_RATE, encode_row, d);
}

static void commit(data *d)
{
    static const uint8_t key[32] = {1};
    assay_matrix_free(d->m);
    d->good = d->good && assay_matrix_commit(&d->m, d->code, &d->be, d->row, d->rows, ASSAY_TREE_WITNESS, key, d->root,
                                             NULL) == ASSAY_OK;
}

static void open_columns(data *d)
{
    assay_channel ch;
    assay_writer_clear(&d->proof);
    assay_writer_init(&d->proof, (size_t)1 << 28);
    assay_channel_init(&ch, ASSAY_PROVE, &d->proof, NULL);
    d->good = d->good && assay_matrix_open(d->m, &d->be, &ch, d->pos, d->npos, d->columns, NULL) == ASSAY_OK;
}

static void check_columns(data *d)
{
    assay_channel ch;
    assay_reader r = assay_reader_of(d->proof.p, d->proof.n);
    assay_channel_init(&ch, ASSAY_VERIFY, NULL, &r);
    assay_matrix_check(&ch, d->root, ASSAY_TREE_WITNESS, d->c + ASSAY_MAIN_LOG_RATE, true, d->pos, d->npos, d->columns,
                       d->rows);
    d->good = d->good && channel_ok(&ch);
}

static void transpose(data *d)
{
    assay_kvec phi;
    d->good = d->good && assay_kvec_new(&phi, (size_t)1 << d->c) &&
              assay_code_transpose(d->code, &d->be, &phi, d->pos, d->w, d->npos) == ASSAY_OK;
    assay_kvec_free(&phi);
}

/* The tail's first positions without an oracle: claims on the positions of the code, true for u = 0 only. */
static size_t open_nothing(void *ctx, assay_channel *ch, assay_tail_claim *out, size_t max)
{
    const data *d = (const data *)ctx;
    (void)ch;
    for (size_t i = 0; i < d->npos && i < max; i++)
        out[i] = (assay_tail_claim){ASSAY_FUN_POSITION, NULL, 0, d->pos[i], k_zero()};
    return d->npos;
}

static void tail_prove(data *d)
{
    assay_channel ch;
    assay_tail_prover *tp = NULL;
    assay_writer_clear(&d->proof);
    assay_writer_init(&d->proof, (size_t)1 << 28);
    assay_channel_init(&ch, ASSAY_PROVE, &d->proof, NULL);
    d->good = d->good && assay_tail_prover_new(&tp, &d->be, d->code, &d->u, NULL) == ASSAY_OK;
    if (!d->good) return;
    assay_tail_run(&ch, tp, SECURITY, d->c, &d->claim, 1, open_nothing, d);
    assay_tail_prover_free(tp);
    d->good = channel_ok(&ch);
}

static void tail_verify(data *d)
{
    assay_channel ch;
    assay_reader r = assay_reader_of(d->proof.p, d->proof.n);
    assay_channel_init(&ch, ASSAY_VERIFY, NULL, &r);
    assay_tail_run(&ch, NULL, SECURITY, d->c, &d->claim, 1, open_nothing, d);
    d->good = d->good && channel_ok(&ch);
}

static void measure(data *d, const char *what, void (*fn)(data *))
{
    double wall = 1e9, cpu = 1e9;
    for (int i = 0; i < RUNS; i++) {
        clock_t cpu_start = clock();
        double start = now();
        fn(d);
        double took = now() - start, used = (double)(clock() - cpu_start) / CLOCKS_PER_SEC;
        if (took < wall) wall = took;
        if (used < cpu) cpu = used;
    }
    printf("%-24s %10.2f ms %10.2f ms of CPU\n", what, wall * 1e3, cpu * 1e3);
}

static bool set_up(data *d)
{
    size_t n = (size_t)1 << d->c;
    uint64_t x = 88172645463325252u;
    d->good = assay_code_new(&d->code, d->c, ASSAY_MAIN_LOG_RATE, NULL) == ASSAY_OK && assay_kvec_new(&d->u, n);
    d->words = (uint32_t *)assay_mem_alloc(d->rows << d->c, 4);
    d->scratch = (uint32_t *)assay_mem_alloc(d->rows << d->c, 4);
    d->columns = (uint32_t *)assay_mem_alloc(d->rows * ASSAY_MAX_QUERIES, 4);
    d->row = (const uint32_t **)assay_mem_alloc(d->rows, sizeof *d->row);
    if (!d->good || !d->words || !d->scratch || !d->columns || !d->row) return false;
    for (size_t i = 0; i < d->rows << d->c; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        d->words[i] = (uint32_t)(x % M31_P);
    }
    for (size_t r = 0; r < d->rows; r++) d->row[r] = d->words + (r << d->c);
    assay_channel ch;
    assay_writer w;
    assay_writer_init(&w, 1);
    assay_channel_init(&ch, ASSAY_PROVE, &w, NULL);
    d->npos = assay_channel_positions(&ch, "positions", d->c + ASSAY_MAIN_LOG_RATE,
                                      assay_query_count(SECURITY, ASSAY_MAIN_LOG_RATE), d->pos);
    assay_channel_challenges(&ch, "w", d->w, d->npos);
    assay_channel_challenges(&ch, "z", d->z, d->c);
    d->claim = (assay_tail_claim){ASSAY_FUN_EQ, d->z, 0, 0, k_zero()};
    return true;
}

int main(int argc, char **argv)
{
    data d = {0};
    assay_pool *pool = NULL;
    d.c = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 19;
    d.rows = argc > 2 ? strtoul(argv[2], NULL, 10) : 17;
    unsigned threads = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
    if (assay_pool_new(&pool, threads, NULL) != ASSAY_OK) return 1;
    assay_backend_cpu_init(&d.be, pool);
    if (!set_up(&d)) return 1;
    printf("%s, %u threads, %zu rows of 2^%u, %zu positions\n", d.be.name, assay_pool_threads(pool), d.rows, d.c,
           d.npos);
    measure(&d, "tables of the code", tables);
    measure(&d, "encode all rows", encode);
    measure(&d, "commit", commit);
    measure(&d, "open", open_columns);
    printf("%-24s %10zu bytes\n", "opening", d.proof.n);
    measure(&d, "check the opening", check_columns);
    measure(&d, "transposed code", transpose);
    measure(&d, "tail, prover", tail_prove);
    printf("%-24s %10zu bytes\n", "tail", d.proof.n);
    measure(&d, "tail, verifier", tail_verify);
    if (!d.good) printf("a step failed\n");
    assay_writer_clear(&d.proof);
    assay_matrix_free(d.m);
    assay_kvec_free(&d.u);
    assay_code_free(d.code);
    assay_mem_free(d.words);
    assay_mem_free(d.scratch);
    assay_mem_free(d.columns);
    assay_mem_free((void *)d.row);
    assay_pool_free(pool);
    return d.good ? 0 : 1;
}

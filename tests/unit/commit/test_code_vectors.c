/* SPDX-License-Identifier: Apache-2.0 */
/* The code, the trees and the openings against tests/vectors/code_vectors.txt, which an independent program made. */
#include "base/mem.h"
#include "commit/matrix.h"
#include "commit/queries.h"
#include "harness.h"
#include "hash/sha256.h"
#include "vectors/vector_file.h"

typedef struct fixture {
    assay_pool *pool;
    assay_backend be;
    assay_code *code;
    unsigned c, log_rate;
} fixture;

static bool set_up(fixture *f, unsigned c, unsigned log_rate)
{
    assay_errinfo err = {0};
    *f = (fixture){.c = c, .log_rate = log_rate};
    if (!CHECK_OK(assay_pool_new(&f->pool, 1, &err))) return false;
    assay_backend_cpu_init(&f->be, f->pool);
    return CHECK_OK(assay_code_new(&f->code, c, log_rate, &err));
}

static void tear_down(fixture *f)
{
    assay_code_free(f->code);
    assay_pool_free(f->pool);
}

/* The message of `digest` lines. */
static uint32_t word_at(uint64_t i)
{
    return (uint32_t)((i * i % M31_P * (2654435761u % M31_P) + 12345) % M31_P);
}

/* The codeword of m, freed by the caller. */
static uint32_t *encode(const fixture *f, const uint32_t *m)
{
    size_t n = (size_t)1 << f->c;
    uint32_t *w = assay_mem_alloc(n << f->log_rate, sizeof *w);
    for (unsigned g = 0; w && g < 1u << f->log_rate; g++) assay_code_encode_group(f->code, &f->be, g, w + g * n, m);
    CHECK(w != NULL);
    return w;
}

TEST(variables)
{
    vector_file v;
    REQUIRE(vector_open(&v, "code_vectors.txt"));
    while (vector_line(&v, "variables")) {
        unsigned c = (unsigned)vector_u64(&v), log_rate = (unsigned)vector_u64(&v);
        uint64_t at = vector_u64(&v);
        uint32_t x[32];
        assay_code_vars(c, log_rate, at, x);
        for (unsigned i = 0; i < c; i++) CHECK_EQ_U64(x[i], vector_f(&v));
    }
    vector_close(&v, 30);
}

TEST(words)
{
    vector_file v;
    REQUIRE(vector_open(&v, "code_vectors.txt"));
    while (vector_line(&v, "word")) {
        fixture f;
        uint32_t m[32];
        unsigned c = (unsigned)vector_u64(&v), log_rate = (unsigned)vector_u64(&v);
        REQUIRE(c <= 5 && set_up(&f, c, log_rate));
        for (size_t i = 0; i < (size_t)1 << c; i++) m[i] = vector_f(&v);
        uint32_t *w = encode(&f, m);
        for (size_t i = 0; w && i < (size_t)1 << (c + log_rate); i++) CHECK_EQ_U64(w[i], vector_f(&v));
        assay_mem_free(w);
        tear_down(&f);
    }
    vector_close(&v, 5);
}

TEST(digests)
{
    vector_file v;
    REQUIRE(vector_open(&v, "code_vectors.txt"));
    while (vector_line(&v, "digest")) {
        fixture f;
        uint8_t got[32];
        unsigned c = (unsigned)vector_u64(&v), log_rate = (unsigned)vector_u64(&v);
        REQUIRE(set_up(&f, c, log_rate));
        uint32_t *m = assay_mem_alloc((size_t)1 << c, sizeof *m);
        for (size_t i = 0; m && i < (size_t)1 << c; i++) m[i] = word_at(i);
        uint32_t *w = m ? encode(&f, m) : NULL;
        if (CHECK(w != NULL)) {
            for (size_t i = 0; i < (size_t)1 << (c + log_rate); i++) assay_store_u32((uint8_t *)(w + i), w[i]);
            assay_sha256_digest(got, w, (size_t)4 << (c + log_rate));
            vector_check_digest(&v, got);
        }
        assay_mem_free(m);
        assay_mem_free(w);
        tear_down(&f);
    }
    vector_close(&v, 5);
}

TEST(extensions)
{
    vector_file v;
    REQUIRE(vector_open(&v, "code_vectors.txt"));
    while (vector_line(&v, "extension")) {
        unsigned c = (unsigned)vector_u64(&v), log_rate = (unsigned)vector_u64(&v);
        uint64_t at = vector_u64(&v);
        uint32_t x[32];
        kel z[32];
        assay_code_vars(c, log_rate, at, x);
        for (unsigned i = 0; i < c; i++) z[i] = vector_k(&v);
        CHECK(k_eq(assay_code_functional_at(c, x, z), vector_k(&v)));
    }
    vector_close(&v, 10);
}

/* One line: commits, opens, compares root and bytes. */
static void check_opening(vector_file *v)
{
    fixture f;
    assay_matrix *m = NULL;
    assay_channel ch;
    assay_writer w;
    uint8_t key[32], root[32], digest[32];
    uint64_t pos[ASSAY_MAX_QUERIES];
    uint8_t tree = (uint8_t)vector_u64(v);
    bool salted = vector_u64(v) == 1;
    unsigned c = (unsigned)vector_u64(v), log_rate = (unsigned)vector_u64(v);
    size_t nrows = vector_u64(v), n = vector_u64(v);
    REQUIRE(n <= ASSAY_MAX_QUERIES && set_up(&f, c, log_rate));
    for (size_t i = 0; i < n; i++) pos[i] = vector_u64(v);
    for (size_t i = 0; i < 32; i++) key[i] = (uint8_t)i;
    uint32_t *words = assay_mem_alloc(nrows << c, sizeof *words), *columns = assay_mem_alloc(n, 4 * nrows);
    const uint32_t **rows = assay_mem_alloc(nrows, sizeof *rows);
    REQUIRE(words && columns && rows);
    for (size_t i = 0; i < nrows << c; i++) words[i] = word_at(i);
    for (size_t r = 0; r < nrows; r++) rows[r] = words + (r << c);
    assay_writer_init(&w, (size_t)1 << 24);
    assay_channel_init(&ch, ASSAY_PROVE, &w, NULL);
    if (CHECK_OK(assay_matrix_commit(&m, f.code, &f.be, rows, nrows, tree, salted ? key : NULL, root, NULL)) &&
        CHECK_OK(assay_matrix_open(m, &f.be, &ch, pos, n, columns, NULL))) {
        assay_sha256_digest(digest, w.p, w.n);
        vector_check_digest(v, root);
        vector_check_digest(v, digest);
        CHECK_EQ_U64(w.n, vector_u64(v));
    }
    assay_writer_clear(&w);
    assay_matrix_free(m);
    assay_mem_free(words);
    assay_mem_free(columns);
    assay_mem_free((void *)rows);
    tear_down(&f);
}

TEST(openings)
{
    vector_file v;
    REQUIRE(vector_open(&v, "code_vectors.txt"));
    while (vector_line(&v, "opening")) check_opening(&v);
    vector_close(&v, 6);
}

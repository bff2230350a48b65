/* SPDX-License-Identifier: Apache-2.0 */
/* Failing allocations while a matrix is committed, opened, saved and loaded. */
#include "base/mem.h"
#include "commit/matrix.h"
#include "fault/fault.h"
#include <string.h>

enum { LOG_COLUMNS = 6, LOG_RATE = 2, ROWS = 5, QUERIES = 4 };

typedef struct fixture {
    const uint32_t *rows[ROWS];
    uint8_t key[32];
} fixture;

static assay_status load_again(const fixture *f, const assay_code *code, const assay_matrix *m, const uint8_t root[32],
                               assay_errinfo *err)
{
    assay_matrix *copy = NULL;
    assay_writer w;
    assay_writer_init(&w, 1 << 20);
    assay_status s = assay_matrix_save(m, &w, err);
    if (s == ASSAY_OK) {
        assay_reader r = assay_reader_of(w.p, w.n);
        s = assay_matrix_load(&copy, code, f->rows, ROWS, ASSAY_TREE_WITNESS, f->key, root, &r, err);
    }
    assay_matrix_free(copy);
    assay_writer_clear(&w);
    return s;
}

static assay_status open_some(const assay_matrix *m, const assay_backend *be, assay_errinfo *err)
{
    static const uint64_t pos[QUERIES] = {0, 17, 18, 255};
    uint32_t columns[QUERIES * ROWS];
    assay_writer w;
    assay_channel ch;
    assay_writer_init(&w, 1 << 20);
    assay_channel_init(&ch, ASSAY_PROVE, &w, NULL);
    assay_status s = assay_matrix_open(m, be, &ch, pos, QUERIES, columns, err);
    if (ch.status != ASSAY_OK) s = ASSAY_FAIL(err, ch.status, "channel", "failed"); /* a channel keeps no detail */
    assay_writer_clear(&w);
    return s;
}

static assay_status use_matrix(void *ctx, assay_errinfo *err)
{
    const fixture *f = (const fixture *)ctx;
    assay_code *code = NULL;
    assay_matrix *m = NULL;
    assay_backend be;
    uint8_t root[32];
    assay_backend_cpu_init(&be, NULL);
    assay_status s = assay_code_new(&code, LOG_COLUMNS, LOG_RATE, err);
    if (s == ASSAY_OK) s = assay_matrix_commit(&m, code, &be, f->rows, ROWS, ASSAY_TREE_WITNESS, f->key, root, err);
    if (s == ASSAY_OK) s = open_some(m, &be, err);
    if (s == ASSAY_OK) s = load_again(f, code, m, root, err);
    assay_matrix_free(m);
    assay_code_free(code);
    return s;
}

TEST(matrix)
{
    static uint32_t words[ROWS][1 << LOG_COLUMNS];
    fixture f;
    memset(&f, 7, sizeof f);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < 1 << LOG_COLUMNS; j++) words[i][j] = (uint32_t)(assay_test_random() >> 33) % M31_P;
        f.rows[i] = words[i];
    }
    CHECK(assay_fault_every(use_matrix, &f, 1) >= 6);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Cells that are not cells, and shapes with nothing to spare: docs/protocol.md §6. Words that no relation names may be
 * anything, and change nothing; words beside a matrix's rows are named and must be zero.
 *
 * ctest: labels soundness
 * ctest: timeout 600
 * ctest: uses support
 * ctest: uses unit/model */
#include "base/mem.h"
#include "harness.h"
#include "support/cheats.h"
#include "unit/model/small_model.h"
#include <stdio.h>
#include <string.h>

static const cheat honest = {.breaks = ""};
static const cheat false_q = {.breaks = "q", .t = TEN_Q, .index = 0, .token = 0, .at = 1, .by = 1, .made = cheat_add};

/* ---- the witness */

static size_t junk_words;
/* Every word of the F-rows that is in no box: free space and random slots. */
static void junk_rows(void *ctx, const assay_frame *f, uint32_t **rows)
{
    const size_t n = (size_t)1 << f->shape.params.c;
    uint8_t *named = assay_mem_alloc(n, f->shape.n_rows);
    (void)ctx;
    if (!CHECK(named != NULL)) return;
    for (uint32_t g = 0; g < f->shape.n_grids; g++)
        for (uint32_t b = 0; b < f->shape.grid[g].n_box; b++)
            memset(named + f->shape.grid[g].box[b].base, 1, (size_t)1 << f->shape.grid[g].box[b].log_n);
    for (size_t i = 0; i < n * f->shape.n_rows; i++) {
        if (named[i]) continue;
        rows[i / n][i % n] = (uint32_t)(assay_test_random() % M31_P);
        junk_words++;
    }
    assay_mem_free(named);
}

/* An honest proof, with or without the hook, is accepted; a false one is rejected for what it breaks, and sharp. */
static void both(stage *st, void (*rows)(void *, const assay_frame *, uint32_t **))
{
    static const cheat *const what[] = {&honest, &false_q};
    REQUIRE(st->ready);
    for (int lie = 0; lie < 2; lie++) {
        cheater c;
        assay_request rq;
        assay_writer proof;
        cheat_begin(&c, st, what[lie]);
        if (cheat_request(&c, &rq)) {
            assay_cheat hooks = cheat_hooks(&c);
            hooks.rows = rows;
            for (int drop = 0; drop <= lie; drop++) {
                hooks.drop = drop ? "q" : NULL;
                if (cheat_prove(&c, &rq, &hooks, &proof)) {
                    CHECK_EQ_STR(c.broken, lie && !drop ? "q" : "");
                    CHECK_EQ_STR(c.families, "");
                    CHECK(cheat_accepted(st, &rq, &proof, hooks.drop, NULL) == (lie == drop));
                }
                assay_writer_clear(&proof);
            }
            assay_request_clear(&rq);
        }
        cheat_end(&c);
    }
}
TEST(junk_where_no_cell_is)
{
    junk_words = 0;
    both(stage_main(), junk_rows);
    CHECK(junk_words > 1000);
}
TEST(junk_where_no_cell_is_in_the_least_shape)
{
    both(stage_least(), junk_rows);
}

/* ---- the weights */

/* mark[row][column]: 1 a weight, 2 beside one: the column of a matrix in a row beyond its outputs. */
static uint8_t *mark_weights(const cp_fixture *f)
{
    const size_t n = (size_t)1 << f->pub.params.c;
    const uint32_t jb = f->pub.params.jb;
    assay_grid grids[MAT_COUNT];
    assay_errinfo err;
    uint8_t *mark = assay_mem_alloc(n, f->rows.n_rows);
    memset(grids, 0, sizeof grids);
    if (!CHECK(mark != NULL) || !CHECK_OK(assay_weights_place(grids, &f->model.cfg, &f->pub.params, &err))) return mark;
    for (unsigned m = 0; m < MAT_COUNT; m++) {
        const assay_matrix_dims d = assay_matrix_dims_of(&f->model.cfg, (assay_matrix_kind)m);
        for (uint32_t b = 0; b < grids[m].n_box; b++) {
            const assay_box *x = &grids[m].box[b];
            for (size_t i = 0; i < (size_t)1 << x->log_n; i++) {
                const size_t high = x->start[1] + (i >> x->log_len[2] & (((size_t)1 << x->log_len[1]) - 1));
                for (size_t j = 0; j < f->rows.n_rows; j++)
                    mark[j * n + x->base + i] = (high << jb) + j < d.out ? 1 : 2;
            }
        }
        assay_grid_clear(&grids[m]);
    }
    return mark;
}
static void junk_weights(cp_fixture *f, uint8_t where)
{
    const size_t n = (size_t)1 << f->pub.params.c;
    uint8_t *mark = mark_weights(f);
    size_t changed = 0;
    for (size_t i = 0; mark && i < n * f->rows.n_rows; i++) {
        if (mark[i] != where) continue;
        f->rows.row[i / n][i % n] = (uint32_t)(assay_test_random() % M31_P);
        changed++;
    }
    CHECK(changed > 8);
    assay_mem_free(mark);
}
static void junk_between(cp_fixture *f)
{
    junk_weights(f, 0);
}
static void junk_beside(cp_fixture *f)
{
    junk_weights(f, 2);
}
/* The least stage, committed anew. */
static bool commit_with(stage *st, void (*rows)(cp_fixture *))
{
    assay_model m;
    *st = *stage_least();
    return CHECK(st->ready) && assay_small_model(&m, (assay_small_shape){1, 8, 1, 1, 8, 8, 6, false}, 11) &&
           CHECK_OK(cp_fixture_commit_rows(&st->fx, &m, &(assay_commit_params){128, 12, 9, 2}, 11, rows));
}
TEST(junk_between_weights)
{
    stage st;
    if (commit_with(&st, junk_between)) both(&st, NULL);
    cp_fixture_clear(&st.fx);
}
/* Outputs that do not exist would be outputs that nobody checks: their weights count, and must give zero. */
TEST(junk_beside_weights)
{
    static const cheat what = {.breaks = "gain | head"};
    stage st;
    if (commit_with(&st, junk_beside)) cheat_check(&st, &what);
    cp_fixture_clear(&st.fx);
}

/* ---- shapes */

static void shape(assay_small_shape h, uint32_t n_prompt, uint32_t n_new, const assay_commit_params *params)
{
    stage *st = stage_of(h, n_prompt, n_new, params);
    both(st, NULL);
    stage_close(st);
}
TEST(least_of_everything)
{
    shape((assay_small_shape){1, 4, 1, 1, 2, 2, 3, false}, 1, 0, &(assay_commit_params){128, 12, 9, 2});
}
TEST(one_token_of_a_larger_model)
{
    shape((assay_small_shape){2, 16, 4, 2, 4, 24, 37, false}, 1, 0, &(assay_commit_params){128, 12, 9, 3});
}
TEST(no_reply)
{
    shape((assay_small_shape){1, 12, 3, 3, 4, 20, 11, false}, 7, 0, &(assay_commit_params){128, 12, 9, 2});
}
TEST(one_prompt_token)
{
    shape((assay_small_shape){1, 12, 2, 1, 6, 9, 11, true}, 1, 6, &(assay_commit_params){128, 12, 9, 2});
}
TEST(odd_sizes)
{
    shape((assay_small_shape){3, 13, 3, 1, 6, 21, 11, true}, 3, 5, &(assay_commit_params){128, 13, 9, 2});
}
TEST(one_row_of_weights)
{
    shape((assay_small_shape){1, 8, 1, 1, 8, 8, 6, false}, 2, 2, &(assay_commit_params){128, 12, 9, 0});
}
TEST(many_rows_of_weights)
{
    shape((assay_small_shape){1, 8, 1, 1, 8, 8, 6, false}, 2, 2, &(assay_commit_params){128, 12, 9, 6});
}
TEST(two_levels_of_tail)
{
    shape((assay_small_shape){1, 8, 1, 1, 8, 8, 6, false}, 2, 2, &(assay_commit_params){128, 17, 9, 2});
}

/* ---- one point on two axes */

static kel at_points(int64_t (*m)[8], const kel *u, const kel *v)
{
    kel sum = k_zero();
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) sum = k_add(sum, k_mul(k_mul(u[i], v[j]), k_from_i64(m[i][j])));
    return sum;
}
/* An error d[i][j] = -d[j][i] is not zero, and is zero at any point whose coordinates for i and j are the same. */
TEST(antisymmetric_error_needs_two_points)
{
    int64_t d[8][8] = {{0}};
    kel u[8], v[8];
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < i; j++) {
            d[i][j] = (int64_t)(assay_test_random() % 1000) - 500;
            d[j][i] = -d[i][j];
        }
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < K_WORDS; k++) {
            u[i].v[k] = (uint32_t)(assay_test_random() % M31_P);
            v[i].v[k] = (uint32_t)(assay_test_random() % M31_P);
        }
    CHECK(k_is_zero(at_points(d, u, u)));
    CHECK(!k_is_zero(at_points(d, u, v)));
}
/* So each relation over two axes must reject such an error: +1 at (i, j), -1 at (j, i). */
static void antisymmetric(const cheater *c, int32_t *const *v)
{
    const cheat *w = c->what;
    *cheat_cell(c, v, w->t, w->token, w->at) += 1;
    *cheat_cell(c, v, w->t, w->at, w->token) -= 1;
}
#define ANTISYMMETRIC(id, name, tensor, layer)                                                                         \
    CHEAT(antisymmetric_##id, .breaks = name, .t = tensor, .index = layer, .token = 3, .at = 2, .made = antisymmetric)
ANTISYMMETRIC(embedding, "embed", TEN_H0, 0)
ANTISYMMETRIC(rebase, "rebase", TEN_REB, 0)
ANTISYMMETRIC(n, "norm", TEN_N, 3)
ANTISYMMETRIC(q, "q", TEN_Q, 1)
ANTISYMMETRIC(k, "k", TEN_K, 1)
ANTISYMMETRIC(v, "v", TEN_V1, 1)
ANTISYMMETRIC(rotated_q, "rotate q", TEN_QR, 1)
ANTISYMMETRIC(rotated_k, "rotate k", TEN_KR, 1)
ANTISYMMETRIC(mixed, "rows", TEN_O1, 1)
ANTISYMMETRIC(output, "o", TEN_Y, 1)
ANTISYMMETRIC(gate, "gate", TEN_GATE, 1)
ANTISYMMETRIC(up, "up", TEN_UP, 1)
ANTISYMMETRIC(gated, "act", TEN_ACT, 1)
ANTISYMMETRIC(down, "down", TEN_DOWN, 1)
ANTISYMMETRIC(final, "gain", TEN_NG, 0)

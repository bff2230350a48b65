/* SPDX-License-Identifier: Apache-2.0 */
/* Cheats below the claims: docs/protocol.md §9 and §10. All claims hold on what the prover goes on with; that is not
 * what it committed to, or the opened vector or a column is another one.
 *
 * ctest: labels soundness
 * ctest: timeout 600
 * ctest: uses support
 * ctest: uses unit/model */
#include "commit/tail_claims.h"
#include "harness.h"
#include "poly/eq.h"
#include "support/cheats.h"
#include <string.h>

static const cheat honest = {.breaks = ""};
static const uint8_t coins[32] = {9};

/* A cheat on the opening; begins with its cheater, which the hooks of cheats.c expect. */
typedef struct opener opener;
struct opener {
    cheater c;
    assay_request rq;
    assay_cheat hooks;
    assay_tamper tamper;
    uint32_t *word, *weight; /* what is changed after the commitment and put back before the opening */
    uint32_t kept, kept_weight;
    uint32_t place, nth, seen;
    const char *label;
    kel delta;
    kel found; /* by the first of two proofs */
    uint8_t last_column[8192];
    void (*vector)(opener *o, const assay_merge_result *mr, kel phi, const assay_kvec *m, assay_kvec *u);
};

static void change(opener *o, uint32_t *word)
{
    o->word = word;
    o->kept = *word;
    *word = m31_add(*word, 1);
}

static void put_back(void *ctx, const assay_merge_result *mr, kel phi, const assay_kvec *m, assay_kvec *u)
{
    opener *o = ctx;
    if (o->word) *o->word = o->kept;
    if (o->weight) *o->weight = o->kept_weight;
    if (o->vector) o->vector(o, mr, phi, m, u);
}

static void bend(void *ctx, const char *label, kel *v, size_t n)
{
    opener *o = ctx;
    if (n && o->label && strcmp(label, o->label) == 0) v[0] = k_add(v[0], o->delta);
}

static bool begin(opener *o, stage *st, const cheat *what)
{
    memset(o, 0, sizeof *o);
    if (!CHECK(st->ready)) return false;
    cheat_begin(&o->c, st, what);
    if (!cheat_request(&o->c, &o->rq)) return false;
    o->hooks = cheat_hooks(&o->c);
    o->hooks.ctx = o;
    o->hooks.coins = coins;
    o->hooks.opening = put_back;
    o->tamper = (assay_tamper){.k = bend, .ctx = o};
    o->hooks.messages = &o->tamper;
    return true;
}

/* One proof: what its cells break, and that it is rejected for the reason given. */
static void judge(opener *o, const char *breaks, const char *why)
{
    assay_writer proof;
    const char *reason = "";
    o->seen = 0;
    if (cheat_prove(&o->c, &o->rq, &o->hooks, &proof)) {
        CHECK_EQ_STR(o->c.broken, breaks);
        CHECK(!cheat_accepted(o->c.st, &o->rq, &proof, NULL, &reason));
        CHECK_EQ_STR(reason, why);
    }
    assay_writer_clear(&proof);
}
static void only_run(opener *o)
{
    assay_writer proof;
    (void)cheat_prove(&o->c, &o->rq, &o->hooks, &proof);
    assay_writer_clear(&proof);
}
static void end(opener *o)
{
    assay_request_clear(&o->rq);
    cheat_end(&o->c);
}

static const char POSITIONS[] = "a sumcheck of the tail fails"; /* c = 13: the positions are claims of a sumcheck */
static const char VECTOR[] = "the last vector does not satisfy the claims"; /* c = 12: in clear */
static const char COLUMN[] = "an opened column does not belong to its root";

/* ---- another word than the committed one */

static void slot_of_a_row(void *ctx, const assay_frame *f, uint32_t **rows, assay_kvec *m, assay_kvec *r)
{
    (void)m;
    (void)r;
    change(ctx, &rows[f->shape.n_rows / 2][((size_t)1 << f->shape.params.c) - 1]);
}
static uint32_t *cell_of(const assay_frame *f, uint32_t **rows)
{
    const uint64_t at = f->shape.grid[TEN_Q].box[0].base;
    return &rows[at >> f->shape.params.c][at & (((size_t)1 << f->shape.params.c) - 1)];
}
static void cell_of_a_row(void *ctx, const assay_frame *f, uint32_t **rows, assay_kvec *m, assay_kvec *r)
{
    (void)m;
    (void)r;
    change(ctx, cell_of(f, rows));
}
static void word_of_m(void *ctx, const assay_frame *f, uint32_t **rows, assay_kvec *m, assay_kvec *r)
{
    (void)f;
    (void)rows;
    (void)r;
    change(ctx, &m->c[2][((opener *)ctx)->place]);
}
static void word_of_r(void *ctx, const assay_frame *f, uint32_t **rows, assay_kvec *m, assay_kvec *r)
{
    (void)f;
    (void)rows;
    (void)m;
    change(ctx, &r->c[5][((opener *)ctx)->place]);
}
typedef void after_commit(void *ctx, const assay_frame *f, uint32_t **rows, assay_kvec *m, assay_kvec *r);
static void committed_another(stage *st, after_commit *what, uint32_t place, const char *why)
{
    opener o;
    if (!begin(&o, st, &honest)) return;
    o.hooks.after_commit = what;
    o.place = place;
    judge(&o, "", why);
    end(&o);
}
TEST(slot_not_committed)
{
    committed_another(stage_main(), slot_of_a_row, 0, POSITIONS);
}
TEST(slot_not_committed_in_clear)
{
    committed_another(stage_least(), slot_of_a_row, 0, VECTOR);
}
TEST(mask_not_committed)
{
    committed_another(stage_main(), word_of_m, 5000, POSITIONS);
}
TEST(mask_coefficient_not_committed)
{
    committed_another(stage_main(), word_of_m, 3, POSITIONS);
}
TEST(mask_not_committed_in_clear)
{
    committed_another(stage_least(), word_of_m, 4000, VECTOR);
}
TEST(random_row_not_committed)
{
    committed_another(stage_main(), word_of_r, 8191, POSITIONS);
}
TEST(random_row_not_committed_in_clear)
{
    committed_another(stage_least(), word_of_r, 0, VECTOR);
}

/* A cell of Q: the claims are made of the honest one, another is committed. */
static void false_cell(void *ctx, const assay_frame *f, uint32_t **rows)
{
    uint32_t *word = cell_of(f, rows);
    (void)ctx;
    *word = m31_sub(*word, 1);
}
TEST(cell_not_committed)
{
    opener o;
    if (!begin(&o, stage_main(), &honest)) return;
    o.hooks.rows = false_cell;
    o.hooks.after_commit = cell_of_a_row; /* one more: the honest one */
    judge(&o, "", POSITIONS);
    end(&o);
}

/* Weights: a slot, which no claim sees; another row of weights; each folded but not committed. */
static void slot_of_weights(void *ctx, uint32_t **rows)
{
    opener *o = ctx;
    o->weight = &rows[1][(1u << 13) - 1];
    o->kept_weight = *o->weight;
    *o->weight = m31_add(*o->weight, 1);
}
static void one_weight(void *ctx, uint32_t **rows)
{
    opener *o = ctx;
    o->weight = &rows[0][o->place];
    o->kept_weight = *o->weight;
    *o->weight = m31_add(*o->weight, 1);
}
TEST(weight_slot_not_committed)
{
    opener o;
    if (!begin(&o, stage_main(), &honest)) return;
    o.hooks.weights = slot_of_weights;
    judge(&o, "", POSITIONS);
    end(&o);
}
/* Weight Q[1][0][0] = committed one + 1, in the run and in the fold: every claim holds. */
static void same_weight(const cheater *c, assay_model *m)
{
    (void)c;
    m->layer[1].q[0]++;
}
TEST(weight_not_committed)
{
    static const cheat base = {.breaks = "", .weights = same_weight};
    opener o;
    assay_frame f;
    if (!begin(&o, stage_main(), &base)) return;
    REQUIRE_OK(assay_frame_init(&f, &o.c.st->fx.pub, &o.rq, NULL, 0, &o.c.st->fx.err));
    const assay_grid *g = &f.shape.weights[MAT_Q];
    for (uint32_t b = 0; b < g->n_box; b++) { /* cell (layer 1, high 0, input 0) */
        const assay_box *x = &g->box[b];
        const uint32_t n = 1u << x->log_len[0];
        if (x->start[0] <= 1 && 1 < x->start[0] + n && x->start[1] == 0 && x->start[2] == 0)
            o.place = (uint32_t)x->base + ((1 - x->start[0]) << (x->log_len[1] + x->log_len[2]));
    }
    assay_frame_clear(&f);
    o.hooks.weights = one_weight;
    judge(&o, "", POSITIONS);
    end(&o);
}

/* ---- the opened vector */

static kel prefix_value(const assay_merge_result *mr, unsigned n_vars, const assay_kvec *v)
{
    kel sum = k_zero();
    for (size_t i = 0; i <= 2 * (size_t)n_vars; i++) sum = k_add(sum, k_mul(mr->prefix[i], kvec_get(v, i)));
    return sum;
}
static unsigned log_of(size_t n)
{
    unsigned c = 0;
    while ((size_t)1 << c < n) c++;
    return c;
}
static unsigned vars_of(const opener *o)
{
    assay_frame f;
    unsigned n = 0;
    if (CHECK_OK(assay_frame_init(&f, &o->c.st->fx.pub, &o->rq, NULL, 0, &o->c.st->fx.err)))
        n = f.shape.params.c + f.shape.row_bits;
    assay_frame_clear(&f);
    return n;
}

/* Both evaluation claims keep holding: the change is in the kernel of both. */
static void kernel(opener *o, const assay_merge_result *mr, kel phi, const assay_kvec *m, assay_kvec *u)
{
    const unsigned c = log_of(u->n);
    const size_t a = u->n - 2, b = u->n - 1; /* beyond the prefix */
    const kel ea = assay_eq_index(mr->point, c, a), eb = assay_eq_index(mr->point, c, b);
    (void)o;
    (void)phi;
    (void)m;
    kvec_set(u, a, k_add(kvec_get(u, a), eb));
    kvec_set(u, b, k_sub(kvec_get(u, b), ea));
}
static void anywhere(opener *o, const assay_merge_result *mr, kel phi, const assay_kvec *m, assay_kvec *u)
{
    (void)o;
    (void)mr;
    (void)phi;
    (void)m;
    kvec_set(u, 1000, k_add(kvec_get(u, 1000), k_one()));
}
static void other_vector(stage *st,
                         void (*how)(opener *, const assay_merge_result *, kel, const assay_kvec *, assay_kvec *),
                         const char *why)
{
    opener o;
    if (!begin(&o, st, &honest)) return;
    o.vector = how;
    judge(&o, "", why);
    end(&o);
}
TEST(vector_altered)
{
    other_vector(stage_main(), anywhere, POSITIONS);
}
TEST(vector_altered_in_clear)
{
    other_vector(stage_least(), anywhere, VECTOR);
}
TEST(vector_altered_inside_both_claims)
{
    other_vector(stage_main(), kernel, POSITIONS);
}
TEST(vector_altered_inside_both_claims_in_clear)
{
    other_vector(stage_least(), kernel, VECTOR);
}

/* A false claim, with e chosen so that the last check of the merge passes. */
static void fit_e(opener *o, const assay_merge_result *mr, kel phi, const assay_kvec *m, assay_kvec *u)
{
    const kel s = prefix_value(mr, vars_of(o), m), e = k_mul(k_sub(mr->last_claim, k_mul(mr->rho, s)), k_inv(phi));
    (void)u;
    if (k_is_zero(o->delta))
        o->found = k_sub(e, mr->e); /* first proof */
    else
        CHECK(k_eq(e, k_add(mr->e, o->delta)) || k_eq(e, mr->e));
}
static void lie_in_the_merge(stage *st, const cheat *base, const char *broken, const char *why)
{
    opener o;
    if (!begin(&o, st, base)) return;
    o.vector = fit_e;
    only_run(&o);
    CHECK(!k_is_zero(o.found));
    o.label = "merge/e";
    o.delta = o.found;
    judge(&o, broken, why);
    end(&o);
}
static const cheat false_q = {.breaks = "q", .t = TEN_Q, .index = 0, .token = 0, .at = 1, .by = 1, .made = cheat_add};
TEST(lie_pushed_into_the_merge)
{
    lie_in_the_merge(stage_main(), &false_q, "q", POSITIONS);
}
TEST(lie_pushed_into_the_merge_in_clear)
{
    lie_in_the_merge(stage_least(), &false_q, "q", VECTOR);
}

/* ---- columns: 192 of the weights, 192 of the witness, then the tail's */

static void replace_column(void *ctx, const char *label, uint8_t *p, size_t n)
{
    opener *o = ctx;
    uint8_t own[sizeof o->last_column];
    if (strcmp(label, "column") != 0 || !CHECK(n <= sizeof own)) return;
    memcpy(own, p, n);
    if (o->seen++ == o->nth) memcpy(p, o->last_column, n); /* the column before, of the same tree */
    memcpy(o->last_column, own, n);
}
static void step_column(void *ctx, const char *label, uint8_t *p, size_t n)
{
    opener *o = ctx;
    if (strcmp(label, "column") == 0 && o->seen++ == o->nth) p[(o->place * 4) % n] ^= 1;
}
static void opened_column(uint32_t nth, uint32_t place, void (*how)(void *, const char *, uint8_t *, size_t))
{
    opener o;
    if (!begin(&o, stage_main(), &honest)) return;
    o.tamper.bytes = how;
    o.nth = nth;
    o.place = place;
    judge(&o, "", COLUMN);
    end(&o);
}
TEST(weights_column_replaced)
{
    opened_column(1, 0, replace_column);
}
TEST(witness_column_replaced)
{
    opened_column(192 + 191, 0, replace_column);
}
TEST(tail_column_replaced)
{
    opened_column(384 + 1, 0, replace_column);
}
TEST(weights_column_altered)
{
    opened_column(0, 3, step_column);
}
TEST(mask_column_altered)
{
    opened_column(192, 0, step_column);
}
TEST(random_row_column_altered)
{
    opened_column(200, 6, step_column);
}
TEST(witness_column_altered)
{
    opened_column(383, 20, step_column);
}
TEST(tail_column_altered)
{
    opened_column(384, 95, step_column);
}

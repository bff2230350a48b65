/* SPDX-License-Identifier: Apache-2.0 */
/* Merge and fold against dense computation. */
#include "base/mem.h"
#include "harness.h"
#include "poly/eq.h"
#include "stack.h"
#include "toy.h"
#include <string.h>

/* One run of both parties; claims and results of the verifier, u of the prover. */
typedef struct opened {
    assay_merge_result pr, vr;
    assay_tail_claim claims[2];
    assay_kvec u;
    bool accepted;
} opened;

static void open_stack(const stack *s, opened *o, kel value, const assay_tamper *tamper)
{
    assay_channel p, v;
    assay_writer w;
    assay_tail_claim pc[2];
    memset(o, 0, sizeof *o);
    assay_writer_init(&w, 1 << 20);
    assay_channel_init(&p, ASSAY_PROVE, &w, NULL);
    p.tamper = tamper;
    assay_merge_prover mp = stack_prover(s);
    assay_merge_run(&p, &s->shape, &mp, value, &o->pr);
    for (size_t row = 0; row < s->shape.n_rows + 2; row++) CHECK(mp.phi[row].own == NULL);
    assay_merge_fold(&p, &s->shape, &mp, stack_phi_at(s, o->pr.point), &o->pr, pc, &o->u);
    CHECK(channel_ok(&p));
    stack_prover_clear(s, &mp);
    assay_reader r = assay_reader_of(w.p, w.n);
    assay_channel_init(&v, ASSAY_VERIFY, NULL, &r);
    assay_merge_run(&v, &s->shape, NULL, value, &o->vr);
    assay_merge_fold(&v, &s->shape, NULL, stack_phi_at(s, o->vr.point), &o->vr, o->claims, NULL);
    CHECK(channel_ok(&v));
    CHECK_EQ_U64(assay_reader_left(&r), 0);
    CHECK(k_eq(assay_channel_challenge(&p, "last"), assay_channel_challenge(&v, "last")));
    CHECK_EQ_MEM(&o->pr, &o->vr, sizeof o->pr);
    for (int i = 0; i < 2; i++) CHECK(k_eq(pc[i].value, o->claims[i].value));
    o->accepted = true;
    for (int i = 0; i < 2; i++) {
        kel sum = k_zero();
        size_t n = i ? o->claims[1].n : (size_t)1 << s->shape.c;
        for (size_t x = 0; x < n; x++) {
            kel fun = i ? o->claims[1].k[x] : assay_eq_index(o->claims[0].k, s->shape.c, x);
            sum = k_add(sum, k_mul(fun, kvec_get(&o->u, x)));
        }
        if (!k_eq(sum, o->claims[i].value)) o->accepted = false;
    }
    assay_writer_clear(&w);
}

static kel fold_at(const stack *s, const kel *row_point, size_t x)
{
    kel sum = k_zero();
    for (size_t row = 0; row < s->shape.n_rows + 2; row++)
        sum = k_add(sum, k_mul(assay_eq_index(row_point, s->shape.row_bits, row), stack_at(s, row, x)));
    return sum;
}

static void check_dense(const stack *s, const opened *o)
{
    unsigned c = s->shape.c, n = c + s->shape.row_bits;
    const assay_merge_result *r = &o->vr;
    kel e = k_zero(), mu = k_zero(), f = k_zero(), mask = k_zero();
    for (size_t x = 0; x < (size_t)1 << c; x++) {
        kel fold = fold_at(s, r->point + c, x), ez = assay_eq_index(r->point, c, x), m = kvec_get(&s->m, x);
        e = k_add(e, k_mul(ez, fold));
        mu = k_add(mu, k_mul(ez, m));
        if (x <= 2 * n) f = k_add(f, k_mul(r->prefix[x], fold));
        if (x <= 2 * n) mask = k_add(mask, k_mul(r->prefix[x], m));
        CHECK(k_eq(kvec_get(&o->u, x), k_add(m, k_mul(r->eps, fold))));
    }
    CHECK(k_eq(e, r->e) && k_eq(mu, r->mu) && k_eq(f, r->f));
    CHECK(k_eq(r->last_claim, k_add(k_mul(stack_phi_at(s, r->point), e), k_mul(r->rho, mask))));
    CHECK(k_eq(r->prefix[0], k_one()) && k_eq(r->prefix[2 * n], k_sqr(r->point[n - 1])));
    CHECK_EQ_U64(o->claims[1].n, 2 * n + 1);
}

static void shape_case(unsigned c, unsigned row_bits, size_t n_rows, unsigned threads)
{
    stack s;
    opened o;
    stack_new(&s, c, row_bits, n_rows, threads);
    open_stack(&s, &o, s.value, NULL);
    CHECK(o.accepted);
    check_dense(&s, &o);
    assay_kvec_free(&o.u);
    open_stack(&s, &o, k_add_f(s.value, 1), NULL); /* a false claim */
    CHECK(!o.accepted);
    assay_kvec_free(&o.u);
    stack_free(&s);
}

TEST(no_row_over_f)
{
    shape_case(5, 1, 0, 1);
}
TEST(one_row)
{
    shape_case(5, 2, 1, 1);
}
TEST(full_rows)
{
    shape_case(6, 3, 6, 2);
}
TEST(odd_rows)
{
    shape_case(8, 4, 9, 2);
}
TEST(more_row_bits_than_needed)
{
    shape_case(6, 5, 3, 1);
}

typedef struct liar {
    size_t at, seen, element;
} liar;

static void lie(void *ctx, const char *label, kel *v, size_t n)
{
    liar *l = (liar *)ctx;
    (void)label;
    if (l->seen++ == l->at) v[l->element % n] = k_add_f(v[l->element % n], 1);
}

TEST(a_lie_in_any_message_breaks_a_claim)
{
    stack s;
    opened o;
    liar l = {SIZE_MAX, 0, 0};
    assay_tamper tamper = {.k = lie, .ctx = &l};
    stack_new(&s, 5, 2, 2, 1);
    open_stack(&s, &o, s.value, &tamper);
    assay_kvec_free(&o.u);
    size_t n = l.seen;
    CHECK_EQ_U64(n, 1 + 7 + 3);
    for (size_t at = 0; at < n; at++)
        for (size_t element = 0; element < 2; element++) {
            l = (liar){at, 0, element};
            open_stack(&s, &o, s.value, &tamper);
            CHECK(!o.accepted);
            assay_kvec_free(&o.u);
        }
    stack_free(&s);
}

/* A column of the messages themselves: position_value must give u's entry when the code is the identity. */
TEST(position_value)
{
    stack s;
    opened o;
    uint32_t column[12 + 6];
    kel er[8];
    stack_new(&s, 6, 3, 6, 1);
    open_stack(&s, &o, s.value, NULL);
    assay_eq_table(er, o.vr.point + 6, 3);
    for (size_t x = 0; x < 64; x++) {
        kel m = kvec_get(&s.m, x), r = kvec_get(&s.r, x);
        memcpy(column, m.v, sizeof m.v);
        memcpy(column + 6, r.v, sizeof r.v);
        for (size_t i = 0; i < 6; i++) column[12 + i] = s.rows[i][x];
        CHECK(k_eq(assay_merge_position_value(&s.shape, &o.vr, er, kvec_get(&s.p, x), column), kvec_get(&o.u, x)));
    }
    assay_kvec_free(&o.u);
    stack_free(&s);
}

TEST(a_zero_challenge_is_refused)
{
    stack s;
    uint8_t zeros[3 * K_BYTES] = {0};
    stack_new(&s, 5, 2, 2, 1);
    assay_channel ch;
    assay_merge_result res = {.eps = k_zero()};
    assay_tail_claim claims[2];
    assay_reader r = assay_reader_of(zeros, sizeof zeros);
    assay_channel_init(&ch, ASSAY_VERIFY, NULL, &r);
    assay_merge_fold(&ch, &s.shape, NULL, k_one(), &res, claims, NULL);
    CHECK(ch.reject != NULL);
    assay_writer w;
    assay_writer_init(&w, 4096);
    assay_channel_init(&ch, ASSAY_PROVE, &w, NULL);
    assay_merge_prover mp = stack_prover(&s);
    assay_kvec u = {{0}, 0, NULL, 0};
    assay_merge_fold(&ch, &s.shape, &mp, k_one(), &res, claims, &u);
    CHECK_EQ_U64(ch.status, ASSAY_EINTERNAL);
    stack_prover_clear(&s, &mp);
    assay_writer_clear(&w);
    stack_free(&s);
}

TEST(a_row_too_short_for_the_mask_is_refused)
{
    stack s;
    assay_channel ch;
    assay_writer w;
    assay_merge_result res;
    stack_new(&s, 4, 4, 2, 1); /* 2 * 8 + 1 > 16 */
    assay_writer_init(&w, 1 << 16);
    assay_channel_init(&ch, ASSAY_PROVE, &w, NULL);
    assay_merge_prover mp = stack_prover(&s);
    assay_merge_run(&ch, &s.shape, &mp, s.value, &res);
    CHECK_EQ_U64(ch.status, ASSAY_EINVAL);
    stack_prover_clear(&s, &mp);
    assay_writer_clear(&w);
    stack_free(&s);
}

TEST(out_of_memory)
{
    stack s;
    stack_new(&s, 6, 3, 5, 1);
    bool failed = true;
    uint64_t k = 1;
    for (; failed && k < 100; k++) {
        assay_channel ch;
        assay_writer w;
        assay_merge_result res;
        assay_tail_claim claims[2];
        assay_kvec u = {{0}, 0, NULL, 0};
        kel phi_at = k_one();
        assay_writer_init(&w, 1 << 16);
        assay_channel_init(&ch, ASSAY_PROVE, &w, NULL);
        assay_merge_prover mp = stack_prover(&s);
        assay_mem_fail_after(k);
        assay_merge_run(&ch, &s.shape, &mp, s.value, &res);
        assay_merge_fold(&ch, &s.shape, &mp, phi_at, &res, claims, &u);
        assay_mem_fail_after(0);
        failed = ch.status == ASSAY_ENOMEM;
        if (!failed) CHECK_OK(ch.status);
        assay_kvec_free(&u);
        stack_prover_clear(&s, &mp);
        assay_writer_clear(&w);
    }
    CHECK(k > 5 && !failed);
    stack_free(&s);
}

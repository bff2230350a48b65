/* SPDX-License-Identifier: Apache-2.0 */
/* The tail between a prover and a verifier: honest runs at all shapes, lies in every message, words that are not
 * codewords. */
#include "base/mem.h"
#include "commit/matrix.h"
#include "commit/multiproof.h"
#include "commit/tail.h"
#include "harness.h"
#include "hash/merkle_hash.h"
#include "poly/eq.h"
#include <string.h>

enum { PREFIX = 37, ORACLE_TREE = 1 };

static uint32_t random_word(void)
{
    return (uint32_t)(assay_test_random() % M31_P);
}

static kel random_k(void)
{
    kel k;
    for (int j = 0; j < K_WORDS; j++) k.v[j] = random_word();
    return k;
}

/* The first oracle is u itself as one K-row, in a whole Merkle tree of its own, so that words which are not codewords
 * can be committed too. */
typedef struct fixture {
    unsigned c, security;
    assay_pool *pool;
    assay_backend be;
    assay_code *code;
    assay_kvec u;
    uint32_t *word;   /* [D][6] */
    uint8_t *digests; /* D leaves, D/2 nodes, .. */
    uint8_t root[32];
    kel z[30], prefix[PREFIX];
    assay_tail_claim claims[3];
} fixture;

static uint8_t *digest_at(const fixture *f, unsigned level, uint64_t index)
{
    uint64_t all = (uint64_t)2 << (f->c + ASSAY_MAIN_LOG_RATE);
    return f->digests + 32 * (all - (all >> level) + index);
}

static void hash_oracle(fixture *f)
{
    unsigned log_size = f->c + ASSAY_MAIN_LOG_RATE;
    for (uint64_t j = 0; j >> log_size == 0; j++)
        assay_merkle_leaf(digest_at(f, 0, j), ORACLE_TREE, j, NULL, f->word + K_WORDS * j, K_WORDS);
    for (unsigned level = 1; level <= log_size; level++)
        for (uint64_t i = 0; i >> (log_size - level) == 0; i++)
            assay_merkle_node(digest_at(f, level, i), ORACLE_TREE, (uint8_t)level, i, digest_at(f, level - 1, 2 * i),
                              digest_at(f, level - 1, 2 * i + 1));
    memcpy(f->root, digest_at(f, log_size, 0), 32);
}

static bool set_up(fixture *f, unsigned c, unsigned security)
{
    size_t n = (size_t)1 << c, prefix = n < PREFIX ? n : PREFIX;
    memset(f, 0, sizeof *f);
    f->c = c;
    f->security = security;
    if (!CHECK_OK(assay_pool_new(&f->pool, 2, NULL))) return false;
    assay_backend_cpu_init(&f->be, f->pool);
    if (!CHECK_OK(assay_code_new(&f->code, c, ASSAY_MAIN_LOG_RATE, NULL)) || !CHECK(assay_kvec_new(&f->u, n)))
        return false;
    f->word = (uint32_t *)assay_mem_alloc(n << ASSAY_MAIN_LOG_RATE, K_BYTES);
    f->digests = (uint8_t *)assay_mem_alloc(n << ASSAY_MAIN_LOG_RATE, 64);
    uint32_t *row = (uint32_t *)assay_mem_alloc(n, 4);
    kel *eq = (kel *)assay_mem_alloc(n, sizeof *eq);
    if (!CHECK(f->word && f->digests && row && eq)) return false;
    for (size_t i = 0; i < n; i++) kvec_set(&f->u, i, random_k());
    for (unsigned g = 0; g < 1u << ASSAY_MAIN_LOG_RATE; g++)
        for (size_t j = 0; j < K_WORDS; j++) {
            assay_code_encode_group(f->code, &f->be, g, row, f->u.c[j]);
            for (size_t i = 0; i < n; i++) f->word[((g << c) + i) * K_WORDS + j] = row[i];
        }
    hash_oracle(f);
    for (unsigned i = 0; i < c; i++) f->z[i] = random_k();
    for (size_t i = 0; i < prefix; i++) f->prefix[i] = random_k();
    assay_eq_table(eq, f->z, c);
    kel e = k_zero(), p = k_zero();
    for (size_t i = 0; i < n; i++) e = k_add(e, k_mul(eq[i], kvec_get(&f->u, i)));
    for (size_t i = 0; i < prefix; i++) p = k_add(p, k_mul(f->prefix[i], kvec_get(&f->u, i)));
    f->claims[0] = (assay_tail_claim){ASSAY_FUN_EQ, f->z, 0, 0, e};
    f->claims[1] = (assay_tail_claim){ASSAY_FUN_PREFIX, f->prefix, prefix, 0, p};
    f->claims[2] = f->claims[0];
    assay_mem_free(row);
    assay_mem_free(eq);
    return true;
}

static void tear_down(fixture *f)
{
    assay_kvec_free(&f->u);
    assay_code_free(f->code);
    assay_mem_free(f->word);
    assay_mem_free(f->digests);
    assay_pool_free(f->pool);
}

typedef struct oracle_walk {
    const fixture *f;
    assay_channel *ch;
} oracle_walk;

static void write_sibling(void *ctx, unsigned level, uint64_t known, size_t to, size_t from, bool both)
{
    const oracle_walk *w = (const oracle_walk *)ctx;
    (void)to;
    (void)from;
    if (!both) assay_channel_write(w->ch, digest_at(w->f, level, known ^ 1), 32);
}

static size_t open_oracle(void *ctx, assay_channel *ch, assay_tail_claim *out, size_t max)
{
    fixture *f = (fixture *)ctx;
    uint64_t pos[ASSAY_MAX_QUERIES];
    uint32_t columns[ASSAY_MAX_QUERIES * K_WORDS];
    size_t t = assay_query_count(f->security, ASSAY_MAIN_LOG_RATE);
    size_t n = assay_channel_positions(ch, "positions", f->c + ASSAY_MAIN_LOG_RATE, t < max ? t : max, pos);
    if (ch->role == ASSAY_PROVE) {
        for (size_t i = 0; i < n * K_WORDS; i++) {
            uint8_t b[4];
            columns[i] = f->word[pos[i / K_WORDS] * K_WORDS + i % K_WORDS];
            assay_store_u32(b, columns[i]);
            assay_channel_write(ch, b, 4);
        }
        oracle_walk w = {f, ch};
        assay_multiproof_walk(pos, n, f->c + ASSAY_MAIN_LOG_RATE, write_sibling, &w);
    } else {
        assay_matrix_check(ch, f->root, ORACLE_TREE, f->c + ASSAY_MAIN_LOG_RATE, false, pos, n, columns, K_WORDS);
    }
    for (size_t i = 0; i < n; i++) {
        out[i] = (assay_tail_claim){ASSAY_FUN_POSITION, NULL, 0, pos[i], k_zero()};
        memcpy(out[i].value.v, columns + i * K_WORDS, K_BYTES);
    }
    return n;
}

static assay_status prove(fixture *f, assay_writer *w, const assay_tamper *tamper)
{
    assay_channel ch;
    assay_tail_prover *tp = NULL;
    assay_writer_init(w, 1 << 26);
    assay_channel_init(&ch, ASSAY_PROVE, w, NULL);
    ch.tamper = tamper;
    assay_status s = assay_tail_prover_new(&tp, &f->be, f->code, &f->u, NULL);
    if (s != ASSAY_OK) return s;
    assay_tail_run(&ch, tp, f->security, f->c, f->claims, 3, open_oracle, f);
    assay_tail_prover_free(tp);
    return ch.status;
}

static const char *verify(fixture *f, const uint8_t *p, size_t n)
{
    assay_channel ch;
    assay_reader r = assay_reader_of(p, n);
    assay_channel_init(&ch, ASSAY_VERIFY, NULL, &r);
    assay_tail_run(&ch, NULL, f->security, f->c, f->claims, 3, open_oracle, f);
    CHECK_OK(ch.status);
    assay_channel_check(&ch, assay_reader_left(&r) == 0, "bytes left over");
    return ch.reject;
}

static void check_accepted(fixture *f)
{
    assay_writer w;
    CHECK_OK(prove(f, &w, NULL));
    const char *reject = verify(f, w.p, w.n);
    CHECK_EQ_STR(reject ? reject : "accepted", "accepted");
    assay_writer_clear(&w);
}

static void check_rejected(fixture *f, const assay_tamper *tamper)
{
    assay_writer w;
    CHECK_OK(prove(f, &w, tamper));
    CHECK(verify(f, w.p, w.n) != NULL);
    assay_writer_clear(&w);
}

TEST(honest)
{
    static const unsigned c[] = {1, 2, 5, 11, 12, 13, 14, 16, 17};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        fixture f;
        REQUIRE(set_up(&f, c[i], i % 2 ? 100 : 128));
        check_accepted(&f);
        tear_down(&f);
    }
}

TEST(false_claims)
{
    static const unsigned c[] = {1, 5, 12, 13, 17};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        fixture f;
        REQUIRE(set_up(&f, c[i], 128));
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < (c[i] > 13 ? 1 : K_WORDS); j++) {
                kel right = f.claims[k].value;
                f.claims[k].value.v[j] = m31_add(right.v[j], 1);
                check_rejected(&f, NULL);
                f.claims[k].value = right;
            }
        check_accepted(&f);
        tear_down(&f);
    }
}

/* Changes message number `target`; of the columns one in 40 counts as a message. */
typedef struct lie {
    size_t target, seen, columns;
    char label[64];
} lie;

static bool hit(lie *l, const char *label)
{
    if (strcmp(label, "column") == 0 && l->columns++ % 40) return false;
    if (l->seen++ != l->target) return false;
    (void)strncpy(l->label, label, sizeof l->label - 1);
    return true;
}

static void lie_k(void *ctx, const char *label, kel *v, size_t n)
{
    if (!hit((lie *)ctx, label)) return;
    size_t i = assay_test_random() % n, j = assay_test_random() % K_WORDS;
    v[i].v[j] = m31_add(v[i].v[j], 1 + (uint32_t)(assay_test_random() % 1000));
}

static void lie_bytes(void *ctx, const char *label, uint8_t *p, size_t n)
{
    if (hit((lie *)ctx, label)) p[assay_test_random() % n] ^= 1;
}

TEST(lies_in_every_message)
{
    static const unsigned c[] = {5, 12, 13, 14, 17};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        fixture f;
        bool root = false, sumcheck = false, e = false, u = false, column = false;
        REQUIRE(set_up(&f, c[i], 100));
        for (size_t target = 0;; target++) {
            lie l = {target, 0, 0, ""};
            assay_tamper tamper = {.k = lie_k, .bytes = lie_bytes, .ctx = &l};
            assay_writer w;
            CHECK_OK(prove(&f, &w, &tamper));
            bool rejected = verify(&f, w.p, w.n) != NULL;
            assay_writer_clear(&w);
            if (l.seen <= target) {
                CHECK(!rejected);
                break;
            }
            if (!CHECK(rejected)) break;
            root = root || strcmp(l.label, "tail/root") == 0;
            sumcheck = sumcheck || strcmp(l.label, "tail/sc/g") == 0;
            e = e || strcmp(l.label, "tail/e") == 0;
            u = u || strcmp(l.label, "tail/u") == 0;
            column = column || strcmp(l.label, "column") == 0;
        }
        bool levels = c[i] > ASSAY_TAIL_STOP;
        CHECK(root == levels && sumcheck == levels && e == levels && column == levels && u);
        tear_down(&f);
    }
}

TEST(changed_bytes_and_lengths)
{
    static const unsigned c[] = {3, 12, 13};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        fixture f;
        assay_writer w;
        REQUIRE(set_up(&f, c[i], 128));
        REQUIRE_OK(prove(&f, &w, NULL));
        size_t step = w.n / 211 + 1;
        for (size_t at = 0; at < w.n; at += step) {
            w.p[at] ^= 0x10;
            CHECK(verify(&f, w.p, w.n) != NULL);
            w.p[at] ^= 0x10;
        }
        for (size_t n = 0; n < w.n; n += w.n / 17 + 1) CHECK(verify(&f, w.p, n) != NULL);
        CHECK(verify(&f, w.p, w.n - 1) != NULL);
        CHECK(verify(&f, w.p, w.n) == NULL);
        assay_writer_clear(&w);
        tear_down(&f);
    }
}

/* Another writing of the same element: v + p in place of v, in the last vector. */
TEST(words_above_p_are_rejected)
{
    fixture f;
    assay_writer w;
    REQUIRE(set_up(&f, 4, 128));
    REQUIRE_OK(prove(&f, &w, NULL));
    for (size_t word = 0; word < 16 * K_WORDS; word++) {
        uint32_t v = assay_load_u32(w.p + 4 * word);
        assay_store_u32(w.p + 4 * word, v + M31_P);
        const char *reject = verify(&f, w.p, w.n);
        CHECK_EQ_STR(reject ? reject : "accepted", "a field element is not reduced");
        assay_store_u32(w.p + 4 * word, v);
    }
    assay_writer_clear(&w);
    tear_down(&f);
}

/* The first oracle differs from u's codeword in `changed` of every 8 positions. */
static void spoil(fixture *f, unsigned changed)
{
    size_t d = (size_t)1 << (f->c + ASSAY_MAIN_LOG_RATE);
    for (size_t j = 0; j < d; j++)
        if (assay_test_random() % 8 < changed) f->word[j * K_WORDS] = random_word();
    hash_oracle(f);
}

TEST(far_words)
{
    static const unsigned c[] = {5, 12, 13, 15};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++)
        for (unsigned changed = 1; changed <= 8; changed += 2) {
            fixture f;
            REQUIRE(set_up(&f, c[i], 128));
            spoil(&f, changed);
            check_rejected(&f, NULL);
            tear_down(&f);
        }
}

/* One changed position of 2^15 is met by 192 queries in one run of 170: the tests above reject for the distance, not
 * for anything else. */
TEST(a_near_word_is_accepted)
{
    fixture f;
    REQUIRE(set_up(&f, 13, 128));
    f.word[1234 * K_WORDS] = m31_add(f.word[1234 * K_WORDS], 1);
    hash_oracle(&f);
    check_accepted(&f);
    tear_down(&f);
}

/* A prover whose tree of level 0 holds another vector than the one it argues about. */
typedef struct two_faced {
    assay_tail_prover hooks, *inner;
    assay_kvec *u;
} two_faced;

static void swap_halves(two_faced *t)
{
    size_t half = t->u->n / 2;
    for (size_t i = 0; i < half; i++) {
        kel a = kvec_get(t->u, i), b = kvec_get(t->u, half + i);
        kvec_set(t->u, i, b);
        kvec_set(t->u, half + i, a);
    }
}

static void two_faced_commit(void *ctx, assay_channel *ch, unsigned level, uint8_t root[32])
{
    two_faced *t = (two_faced *)ctx;
    if (level == 0) swap_halves(t);
    t->inner->commit(t->inner->ctx, ch, level, root);
    if (level == 0) swap_halves(t);
}

static void two_faced_open(void *ctx, assay_channel *ch, unsigned level, const uint64_t *pos, size_t n,
                           uint32_t *columns)
{
    two_faced *t = (two_faced *)ctx;
    if (level == 0) swap_halves(t);
    t->inner->open(t->inner->ctx, ch, level, pos, n, columns);
    if (level == 0) swap_halves(t);
}

static const assay_sumcheck_prover *pass_sumcheck(void *ctx, assay_channel *ch, unsigned level,
                                                  const assay_tail_claim *claims, size_t n, kel gamma)
{
    two_faced *t = (two_faced *)ctx;
    return t->inner->sumcheck(t->inner->ctx, ch, level, claims, n, gamma);
}

static kel pass_value(void *ctx)
{
    two_faced *t = (two_faced *)ctx;
    return t->inner->value(t->inner->ctx);
}

static void pass_fold(void *ctx, assay_channel *ch, unsigned level, const kel *weights)
{
    two_faced *t = (two_faced *)ctx;
    t->inner->fold(t->inner->ctx, ch, level, weights);
}

static void pass_vector(void *ctx, assay_channel *ch, unsigned level, kel *out)
{
    two_faced *t = (two_faced *)ctx;
    t->inner->vector(t->inner->ctx, ch, level, out);
}

TEST(another_vector_in_the_tree)
{
    static const unsigned c[] = {13, 17};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        fixture f;
        assay_writer w;
        assay_channel ch;
        two_faced t = {
            {two_faced_commit, two_faced_open, pass_sumcheck, pass_value, pass_fold, pass_vector, &t}, NULL, &f.u};
        REQUIRE(set_up(&f, c[i], 128));
        REQUIRE_OK(assay_tail_prover_new(&t.inner, &f.be, f.code, &f.u, NULL));
        assay_writer_init(&w, 1 << 26);
        assay_channel_init(&ch, ASSAY_PROVE, &w, NULL);
        assay_tail_run(&ch, &t.hooks, 128, f.c, f.claims, 3, open_oracle, &f);
        CHECK_OK(ch.status);
        const char *reject = verify(&f, w.p, w.n);
        CHECK_EQ_STR(reject ? reject : "accepted",
                     f.c == 13 ? "the last vector does not satisfy the claims" : "a sumcheck of the tail fails");
        assay_tail_prover_free(t.inner);
        assay_writer_clear(&w);
        tear_down(&f);
    }
}

TEST(wrong_parameters)
{
    fixture f;
    assay_channel ch;
    assay_reader r = assay_reader_of("", 0);
    static const unsigned bad[][3] = {{127, 5, 3}, {128, 0, 3}, {128, 29, 3}, {128, 5, 9}};
    REQUIRE(set_up(&f, 5, 128));
    for (size_t i = 0; i < 4; i++) {
        assay_channel_init(&ch, ASSAY_VERIFY, NULL, &r);
        assay_tail_run(&ch, NULL, bad[i][0], bad[i][1], f.claims, bad[i][2], open_oracle, &f);
        CHECK_STATUS(ch.status, ASSAY_EINVAL);
        CHECK(!channel_ok(&ch));
    }
    f.claims[1].n = 33; /* coefficients beyond the vector */
    assay_channel_init(&ch, ASSAY_VERIFY, NULL, &r);
    assay_tail_run(&ch, NULL, 128, 5, f.claims, 3, open_oracle, &f);
    CHECK_STATUS(ch.status, ASSAY_EINVAL);
    tear_down(&f);
}

/* Every allocation fails in turn: the prover ends with a status, and never hands out a proof that it calls good. */
TEST(allocation_failures)
{
    fixture f;
    REQUIRE(set_up(&f, 13, 100));
    uint64_t failed = 0;
    for (uint64_t k = 1;; k++) {
        assay_writer w;
        (void)assay_mem_fail_after(k);
        assay_status s = prove(&f, &w, NULL);
        uint64_t made = assay_mem_fail_after(0);
        if (made < k) {
            CHECK_OK(s);
            assay_writer_clear(&w);
            break;
        }
        CHECK_STATUS(s, ASSAY_ENOMEM);
        failed++;
        assay_writer_clear(&w);
    }
    CHECK(failed > 20);
    tear_down(&f);
}

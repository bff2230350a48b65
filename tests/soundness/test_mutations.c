/* SPDX-License-Identifier: Apache-2.0 */
/* Random damage to the files of a client: proof, request, next token, verification key, configuration. Every damaged
 * set is rejected or refused, with one line that says why. The seed is fixed.
 *
 * ctest: labels soundness
 * ctest: timeout 900
 * ctest: uses support
 * ctest: uses unit/model */
#include "assay/verify.h"
#include "base/mem.h"
#include "harness.h"
#include "support/cheats.h"
#include <stdio.h>
#include <string.h>

enum { PROOF, REQUEST, NEXT, IVK, CONFIG, FILES };
static const char *const file_name[FILES] = {"proof", "request", "next token", "ivk", "config"};

typedef struct client {
    assay_writer file[FILES];
    uint8_t id[32];
    bool ready;
} client;

/* Files of an honest proof, made once. */
static const client *honest_files(void)
{
    static client cl;
    static const cheat honest = {.breaks = ""};
    stage *st = stage_least();
    cheater c;
    assay_request rq;
    if (cl.ready || !CHECK(st->ready)) return &cl;
    cheat_begin(&c, st, &honest);
    if (!cheat_request(&c, &rq)) return &cl;
    const assay_cheat hooks = {.ctx = &c, .coins = (const uint8_t *)"thirty-two bytes of no randomness"};
    cl.ready = cheat_prove(&c, &rq, &hooks, &cl.file[PROOF]);
    for (int f = REQUEST; f < FILES; f++) assay_writer_init(&cl.file[f], ASSAY_MAX_PUBLIC_FILE);
    assay_request_encode(&cl.file[REQUEST], &rq);
    assay_next_token_encode(&cl.file[NEXT], rq.ids[rq.n_tokens]);
    assay_ivk_encode(&cl.file[IVK], &st->fx.pub);
    assay_config_encode(&cl.file[CONFIG], &st->fx.pub);
    memcpy(cl.id, st->fx.pub.id, 32);
    assay_request_clear(&rq);
    cheat_end(&c);
    return &cl;
}

/* What a client does with five files. id may be NULL. Returns whether it accepts; reason: why not. */
static bool accepts(const assay_buffer *f, const uint8_t *id, char *reason, size_t n_reason)
{
    assay_verifier *v = NULL;
    assay_errinfo err = {0};
    assay_report report = {0};
    reason[0] = 0;
    assay_status s = assay_verifier_new(&v, f[CONFIG].p, f[CONFIG].n, f[IVK].p, f[IVK].n, &err);
    if (s == ASSAY_OK) {
        s = assay_verifier_check_files(v, &report, &f[REQUEST], &f[NEXT], &f[PROOF], id, 128, &err);
        snprintf(reason, n_reason, "%s", report.reason);
    }
    if (s != ASSAY_OK) (void)assay_errinfo_text(&err, reason, n_reason);
    assay_verifier_free(v);
    return s == ASSAY_OK && report.verdict == ASSAY_ACCEPT;
}

/* ---- damage: each kind changes a copy of n bytes with room for twice as many, and returns the new length */

static size_t below(size_t n)
{
    return n ? (size_t)(assay_test_random() % n) : 0;
}
static size_t flip_bit(uint8_t *p, size_t n)
{
    p[below(n)] ^= (uint8_t)(1u << below(8));
    return n;
}
static size_t change_byte(uint8_t *p, size_t n)
{
    p[below(n)] = (uint8_t)assay_test_random();
    return n;
}
static size_t change_word(uint8_t *p, size_t n)
{
    static const uint32_t word[] = {0, 1, 0x7fffffff, 0x80000000u, 0xffffffffu};
    assay_store_u32(p + below(n - 3), word[below(5)]);
    return n;
}
static size_t add_p(uint8_t *p, size_t n) /* the same element of F, not reduced */
{
    uint8_t *at = p + below(n / 4) * 4;
    if (at + 4 <= p + n)
        assay_store_u32(at, (uint32_t)at[0] + ((uint32_t)at[1] << 8) + ((uint32_t)at[2] << 16) +
                                ((uint32_t)at[3] << 24) + M31_P);
    return n;
}
static size_t cut(uint8_t *p, size_t n)
{
    (void)p;
    return below(n);
}
static size_t extend(uint8_t *p, size_t n)
{
    const size_t more = 1 + below(n < 64 ? n : 64);
    for (size_t i = 0; i < more; i++) p[n + i] = (uint8_t)assay_test_random();
    return n + more;
}
static size_t take_out(uint8_t *p, size_t n)
{
    const size_t at = below(n), less = 1 + below(n - at < 40 ? n - at : 40);
    memmove(p + at, p + at + less, n - at - less);
    return n - less;
}
static size_t put_in(uint8_t *p, size_t n)
{
    const size_t at = below(n), more = 1 + below(n < 40 ? n : 40);
    memmove(p + at + more, p + at, n - at);
    for (size_t i = 0; i < more; i++) p[at + i] = (uint8_t)assay_test_random();
    return n + more;
}
static size_t splice(uint8_t *p, size_t n) /* one place copied over another */
{
    const size_t len = 1 + below(n < 200 ? n / 2 : 100), from = below(n - len), to = below(n - len);
    memmove(p + to, p + from, len);
    return n;
}
static size_t swap_parts(uint8_t *p, size_t n) /* two neighbouring elements of K, or what stands there */
{
    uint8_t x[24];
    if (n < 48) return flip_bit(p, n);
    uint8_t *at = p + below(n - 47);
    memcpy(x, at, 24);
    memmove(at, at + 24, 24);
    memcpy(at + 24, x, 24);
    return n;
}
static size_t (*const kinds[])(uint8_t *, size_t) = {flip_bit, flip_bit, change_byte, change_word, add_p,     cut,
                                                     extend,   take_out, put_in,      splice,      swap_parts};

static void damage(int which, size_t times)
{
    const client *cl = honest_files();
    REQUIRE(cl->ready);
    const assay_writer *w = &cl->file[which];
    uint8_t *copy = assay_mem_alloc(2 * w->n + 128, 1);
    REQUIRE(copy != NULL);
    size_t done = 0;
    for (size_t i = 0; done < times; i++) {
        assay_buffer f[FILES];
        char reason[400];
        for (int k = 0; k < FILES; k++) f[k] = (assay_buffer){.p = cl->file[k].p, .n = cl->file[k].n};
        memcpy(copy, w->p, w->n);
        const size_t kind = i % (sizeof kinds / sizeof *kinds), n = kinds[kind](copy, w->n);
        if (n == w->n && memcmp(copy, w->p, n) == 0) continue;
        f[which] = (assay_buffer){.p = copy, .n = n};
        /* Without an ID to compare it is the proof that must not fit another key or configuration. */
        bool yes = accepts(f, which == IVK || which == CONFIG ? NULL : cl->id, reason, sizeof reason);
        if (!CHECK(!yes) || !CHECK(reason[0] && !strchr(reason, '\n')))
            printf("  damaged %s, try %zu, kind %zu\n", file_name[which], i, kind);
        done++;
    }
    assay_mem_free(copy);
}

TEST(untouched)
{
    const client *cl = honest_files();
    char reason[400];
    assay_buffer f[FILES];
    REQUIRE(cl->ready);
    for (int k = 0; k < FILES; k++) f[k] = (assay_buffer){.p = cl->file[k].p, .n = cl->file[k].n};
    CHECK(accepts(f, cl->id, reason, sizeof reason));
    CHECK_EQ_STR(reason, "");
}
TEST(proof)
{
    damage(PROOF, 900);
}
TEST(request)
{
    damage(REQUEST, 300);
}
TEST(next_token)
{
    damage(NEXT, 200);
}
TEST(ivk)
{
    damage(IVK, 300);
}
TEST(config)
{
    damage(CONFIG, 300);
}

/* Every file cut at every length up to 200, and at its last bytes. */
TEST(cut_anywhere)
{
    const client *cl = honest_files();
    char reason[400];
    REQUIRE(cl->ready);
    for (int which = 0; which < FILES; which++)
        for (size_t n = 0; n < cl->file[which].n; n += n < 40 ? 1 : n / 8) {
            assay_buffer f[FILES];
            for (int k = 0; k < FILES; k++)
                f[k] = (assay_buffer){.p = cl->file[k].p, .n = k == which ? n : cl->file[k].n};
            CHECK(!accepts(f, cl->id, reason, sizeof reason));
            CHECK(reason[0]);
        }
}
/* Bytes after the proof, or missing at its end, with a header that agrees. */
TEST(length_corrected)
{
    const client *cl = honest_files();
    char reason[400];
    REQUIRE(cl->ready);
    const size_t n = cl->file[PROOF].n;
    for (int by = -48; by <= 48; by += by == -1 ? 2 : by < -8 || by >= 8 ? 8 : 1) {
        const size_t len = (size_t)((int64_t)n + by);
        uint8_t *copy = assay_mem_alloc(n + 64, 1);
        assay_buffer f[FILES];
        REQUIRE(copy != NULL);
        for (int k = 0; k < FILES; k++) f[k] = (assay_buffer){.p = cl->file[k].p, .n = cl->file[k].n};
        memcpy(copy, cl->file[PROOF].p, n);
        assay_store_u32(copy + 12, (uint32_t)(len - 16));
        f[PROOF] = (assay_buffer){.p = copy, .n = len};
        CHECK(!accepts(f, cl->id, reason, sizeof reason));
        CHECK(reason[0]);
        assay_mem_free(copy);
    }
}
TEST(clean_up)
{
    client *cl = (client *)(uintptr_t)honest_files();
    for (int f = 0; f < FILES; f++) assay_writer_clear(&cl->file[f]);
    cl->ready = false;
    CHECK(!cl->ready);
}

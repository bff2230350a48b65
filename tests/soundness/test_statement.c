/* SPDX-License-Identifier: Apache-2.0 */
/* An honest proof passed off for something else, and messages out of order: docs/protocol.md §2, §11.
 *
 * ctest: labels soundness
 * ctest: timeout 600
 * ctest: uses support
 * ctest: uses unit/model */
#include "base/mem.h"
#include "harness.h"
#include "support/cheats.h"
#include <stdio.h>
#include <string.h>

static const cheat honest = {.breaks = ""};
enum { MESSAGES = 4096 };

/* One honest proof, with the place of every message. */
typedef struct proven {
    stage *st;
    assay_request rq;
    assay_writer proof;
    size_t at[MESSAGES], len[MESSAGES], n, end;
    bool ready, opened;
} proven;

static void note(proven *p, const char *label, size_t n)
{
    p->opened = p->opened || strcmp(label, "column") == 0; /* openings are no messages, and end the list */
    if (p->opened || !CHECK(p->n < MESSAGES)) return;
    p->at[p->n] = p->end;
    p->len[p->n++] = n;
    p->end += n;
}
static void note_k(void *ctx, const char *label, kel *v, size_t n)
{
    (void)v;
    note(ctx, label, 24 * n);
}
static void note_bytes(void *ctx, const char *label, uint8_t *b, size_t n)
{
    (void)b;
    note(ctx, label, n);
}

static bool prove(proven *p, stage *st, uint64_t leaf_limit)
{
    cheater c;
    const assay_tamper notes = {.k = note_k, .bytes = note_bytes, .ctx = p};
    memset(p, 0, sizeof *p);
    p->st = st;
    p->end = 16; /* header of the file */
    if (!CHECK(st->ready)) return false;
    cheat_begin(&c, st, &honest);
    if (!cheat_request(&c, &p->rq)) return false;
    const assay_cheat hooks = {.ctx = &c, .messages = &notes, .leaf_limit = leaf_limit};
    p->ready = cheat_prove(&c, &p->rq, &hooks, &p->proof);
    cheat_end(&c);
    return p->ready;
}
static void done(proven *p)
{
    assay_writer_clear(&p->proof);
    assay_request_clear(&p->rq);
}

/* The proof on the main stage, shared by the tests. */
static proven *shared(void)
{
    static proven p;
    if (!p.ready) (void)prove(&p, stage_main(), 0);
    return &p;
}

static void expect(const assay_public *pub, const assay_request *rq, const assay_writer *proof, uint32_t min_security,
                   uint64_t leaf_limit, assay_verdict want)
{
    assay_cp_result r;
    assay_errinfo err;
    CHECK_OK(assay_cp_verify(&r, pub, rq, NULL, proof->p, proof->n, min_security, NULL, leaf_limit, &err));
    CHECK(r.verdict == want);
    CHECK((r.reason[0] == 0) == (want == ASSAY_ACCEPT));
}

TEST(as_it_is)
{
    proven *p = shared();
    REQUIRE(p->ready);
    expect(&p->st->fx.pub, &p->rq, &p->proof, 128, 0, ASSAY_ACCEPT);
    expect(&p->st->fx.pub, &p->rq, &p->proof, 100, 0, ASSAY_ACCEPT);
}

/* ---- another request */

/* ids: n_tokens + 1 of them, from the proven request by `edit`. */
typedef struct wording {
    uint32_t ids[STAGE_TOKENS + 1], n_prompt, n_tokens;
    const char *context;
} wording;
static void another_request(void (*edit)(wording *w))
{
    proven *p = shared();
    wording w = {.n_prompt = p->rq.n_prompt, .n_tokens = p->rq.n_tokens, .context = "soundness"};
    assay_request rq;
    assay_errinfo err;
    REQUIRE(p->ready);
    memcpy(w.ids, p->rq.ids, (w.n_tokens + 1) * sizeof *w.ids);
    edit(&w);
    REQUIRE_OK(
        assay_request_new(&rq, w.ids, w.n_prompt, w.n_tokens, w.ids[w.n_tokens], w.context, strlen(w.context), &err));
    expect(&p->st->fx.pub, &rq, &p->proof, 128, 0, ASSAY_REJECT);
    assay_request_clear(&rq);
}
#define ANOTHER(id, ...)                                                                                               \
    static void id##_edit(wording *w)                                                                                  \
    {                                                                                                                  \
        __VA_ARGS__;                                                                                                   \
    }                                                                                                                  \
    TEST(id)                                                                                                           \
    {                                                                                                                  \
        another_request(id##_edit);                                                                                    \
    }
ANOTHER(another_first_token, w->ids[0] ^= 1)
ANOTHER(another_last_prompt_token, w->ids[w->n_prompt - 1] ^= 1)
ANOTHER(another_reply_token, w->ids[w->n_prompt + 1] ^= 1)
ANOTHER(another_token_after_the_reply, w->ids[w->n_tokens] ^= 1)
ANOTHER(two_tokens_exchanged, uint32_t x = w->ids[1]; w->ids[1] = w->ids[2] + (w->ids[2] == x); w->ids[2] = x)
ANOTHER(reply_truncated, w->n_tokens--)
ANOTHER(reply_truncated_to_nothing, w->n_tokens = w->n_prompt)
ANOTHER(reply_extended, w->n_tokens++; w->ids[w->n_tokens] = 0)
ANOTHER(prompt_longer_by_the_reply, w->n_prompt++)
ANOTHER(prompt_shorter, w->n_prompt--)
ANOTHER(another_context, w->context = "soundness!")
ANOTHER(context_of_the_same_length, w->context = "Soundness")
ANOTHER(no_context, w->context = "")

/* Two honest proofs under one commitment, exchanged. */
TEST(proof_of_another_request)
{
    proven *p = shared(), q;
    REQUIRE(p->ready);
    stage other = *p->st;
    other.prompt[2] = (other.prompt[2] + 1) % other.fx.model.cfg.vocab;
    if (prove(&q, &other, 0)) {
        expect(&p->st->fx.pub, &q.rq, &q.proof, 128, 0, ASSAY_ACCEPT);
        expect(&p->st->fx.pub, &q.rq, &p->proof, 128, 0, ASSAY_REJECT);
        expect(&p->st->fx.pub, &p->rq, &q.proof, 128, 0, ASSAY_REJECT);
    }
    done(&q);
}

/* ---- another commitment */

static void another_public(void (*edit)(assay_public *pub), uint32_t min_security)
{
    proven *p = shared();
    REQUIRE(p->ready);
    assay_public pub = p->st->fx.pub; /* the configuration stays shared */
    edit(&pub);
    expect(&pub, &p->rq, &p->proof, min_security, 0, ASSAY_REJECT);
}
#define PUBLIC(id, min, ...)                                                                                           \
    static void id##_edit(assay_public *pub)                                                                           \
    {                                                                                                                  \
        __VA_ARGS__;                                                                                                   \
    }                                                                                                                  \
    TEST(id)                                                                                                           \
    {                                                                                                                  \
        another_public(id##_edit, min);                                                                                \
    }
PUBLIC(another_id, 128, pub->id[31] ^= 1)
PUBLIC(another_root, 128, pub->root[0] ^= 1)
PUBLIC(another_configuration, 128, pub->cfg_hash[7] ^= 1)
PUBLIC(another_root_identified, 128, pub->root[0] ^= 1; assay_errinfo err; CHECK_OK(assay_public_identify(pub, &err)))
PUBLIC(another_tokenizer_identified, 128, pub->tokenizer_hash[3] ^= 1; assay_errinfo err;
       CHECK_OK(assay_public_identify(pub, &err)))
PUBLIC(another_scale_identified, 128, pub->cfg.logit_f++; assay_errinfo err; CHECK_OK(assay_public_identify(pub, &err));
       pub->cfg.logit_f--)
/* A lower setting, written over the higher one: as a label, with the ID that goes with it, and against a client that
 * insists. */
PUBLIC(security_relabelled, 100, pub->params.security = 100)
PUBLIC(security_lowered, 100, pub->params.security = 100; assay_errinfo err; CHECK_OK(assay_public_identify(pub, &err)))
PUBLIC(security_below_what_is_required, 128, pub->params.security = 100; assay_errinfo err;
       CHECK_OK(assay_public_identify(pub, &err)))

/* A commitment at setting 100, honestly: accepted by who takes 100 only. A proof for it is none at 128. */
TEST(setting_100)
{
    proven *p = shared(), q;
    REQUIRE(p->ready);
    stage low = *p->st;
    low.fx.pub.params.security = 100;
    REQUIRE_OK(assay_public_identify(&low.fx.pub, &low.fx.err));
    if (prove(&q, &low, 0)) {
        expect(&low.fx.pub, &q.rq, &q.proof, 100, 0, ASSAY_ACCEPT);
        expect(&low.fx.pub, &q.rq, &q.proof, 128, 0, ASSAY_REJECT);
        expect(&p->st->fx.pub, &q.rq, &q.proof, 100, 0, ASSAY_REJECT);
    }
    done(&q);
}

/* Another model's proof, honest for its own commitment: under its own name, and made under the victim's. */
TEST(another_model)
{
    proven *p = shared(), q;
    stage *other = stage_other();
    REQUIRE(p->ready && other->ready);
    if (prove(&q, other, 0)) {
        expect(&other->fx.pub, &q.rq, &q.proof, 128, 0, ASSAY_ACCEPT);
        expect(&p->st->fx.pub, &q.rq, &q.proof, 128, 0, ASSAY_REJECT);
    }
    done(&q);
    stage named = *other;
    memcpy(named.fx.pub.id, p->st->fx.pub.id, 32);
    memcpy(named.fx.pub.root, p->st->fx.pub.root, 32);
    if (prove(&q, &named, 0)) expect(&p->st->fx.pub, &q.rq, &q.proof, 128, 0, ASSAY_REJECT);
    done(&q);
}

TEST(other_instances)
{
    proven *p = shared(), q;
    REQUIRE(p->ready);
    expect(&p->st->fx.pub, &p->rq, &p->proof, 128, 30000, ASSAY_REJECT);
    if (prove(&q, stage_main(), 30000)) {
        expect(&p->st->fx.pub, &q.rq, &q.proof, 128, 30000, ASSAY_ACCEPT);
        expect(&p->st->fx.pub, &q.rq, &q.proof, 128, 0, ASSAY_REJECT);
        expect(&p->st->fx.pub, &q.rq, &q.proof, 128, 30001, ASSAY_ACCEPT); /* the same instances */
    }
    done(&q);
}

/* ---- the order of messages */

TEST(neighbours_exchanged)
{
    proven *p = shared();
    size_t swaps = 0;
    REQUIRE(p->ready);
    assay_writer copy = p->proof;
    copy.p = assay_mem_alloc(copy.n, 1);
    REQUIRE(copy.p != NULL);
    for (size_t i = 0; i + 1 < p->n; i += swaps < 40 ? 1 : 37) {
        const size_t a = p->at[i], b = p->at[i + 1], la = p->len[i], lb = p->len[i + 1];
        memcpy(copy.p, p->proof.p, copy.n);
        memcpy(copy.p + a, p->proof.p + b, lb);
        memcpy(copy.p + a + lb, p->proof.p + a, la);
        if (memcmp(copy.p, p->proof.p, copy.n) == 0) continue; /* equal messages */
        expect(&p->st->fx.pub, &p->rq, &copy, 128, 0, ASSAY_REJECT);
        swaps++;
    }
    printf("%zu messages, %zu exchanges\n", p->n, swaps);
    CHECK(p->n > 900 && swaps > 60);
    assay_mem_free(copy.p);
}
/* A round moved to the end of its sumcheck, the others one forward. */
TEST(rounds_rotated)
{
    proven *p = shared();
    REQUIRE(p->ready);
    assay_writer copy = p->proof;
    copy.p = assay_mem_alloc(copy.n, 1);
    REQUIRE(copy.p != NULL);
    for (size_t i = 100; i + 9 < p->n; i += 97) {
        const size_t a = p->at[i], b = p->at[i + 3], end = p->at[i + 9];
        memcpy(copy.p, p->proof.p, copy.n);
        memcpy(copy.p + a, p->proof.p + b, end - b);
        memcpy(copy.p + a + (end - b), p->proof.p + a, b - a);
        expect(&p->st->fx.pub, &p->rq, &copy, 128, 0, ASSAY_REJECT);
    }
    assay_mem_free(copy.p);
}

TEST(clean_up)
{
    proven *p = shared();
    REQUIRE(p->ready);
    done(p);
    p->ready = false;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The public interface at its edges: requests, text, what a verifier is asked wrongly.
 * ctest: uses unit/model */
#include "assay/text.h"
#include "base/file.h"
#include "base/mem.h"
#include "harness.h"
#include "unit/cp/small_commitment.h"
#include <stdio.h>
#include <string.h>

TEST(requests)
{
    static const uint32_t ids[] = {3, 1, 4, 1, 5};
    assay_request *r = NULL, *back = NULL;
    assay_buffer req, next;
    size_t n = 0;
    REQUIRE_OK(assay_request_make(&r, ids, 2, 5, 9, "abc", 3, NULL));
    CHECK_EQ_U64(assay_request_n_prompt(r), 2);
    CHECK_EQ_U64(assay_request_n_tokens(r), 5);
    CHECK_EQ_U64(assay_request_next(r), 9);
    CHECK_EQ_MEM(assay_request_ids(r), ids, sizeof ids);
    CHECK_EQ_MEM(assay_request_context(r, &n), "abc", 3);
    CHECK_EQ_U64(n, 3);
    REQUIRE_OK(assay_request_files(r, &req, &next, NULL));
    REQUIRE_OK(assay_request_parse(&back, req.p, req.n, next.p, next.n, NULL));
    CHECK_EQ_MEM(assay_request_ids(back), ids, sizeof ids);
    CHECK_EQ_U64(assay_request_next(back), 9);
    assay_request_free(back);
    for (size_t cut = 0; cut < req.n; cut++)
        CHECK(assay_request_parse(&back, req.p, cut, next.p, next.n, NULL) != ASSAY_OK && !back);
    for (size_t cut = 0; cut < next.n; cut++)
        CHECK(assay_request_parse(&back, req.p, req.n, next.p, cut, NULL) != ASSAY_OK && !back);
    assay_buffer_free(&req);
    assay_buffer_free(&next);
    assay_request_free(r);

    CHECK_STATUS(assay_request_make(&r, ids, 0, 5, 9, NULL, 0, NULL), ASSAY_ERANGE); /* no prompt */
    CHECK_STATUS(assay_request_make(&r, ids, 3, 2, 9, NULL, 0, NULL), ASSAY_ERANGE); /* fewer tokens than prompt */
    CHECK_STATUS(assay_request_make(&r, NULL, 1, 1, 9, NULL, 0, NULL), ASSAY_EINVAL);
    CHECK_STATUS(assay_request_make(&r, ids, 1, 1, 9, NULL, 1, NULL), ASSAY_EINVAL);
    CHECK_STATUS(assay_request_make(&r, ids, 1, 1, 9, ids, 65, NULL), ASSAY_ERANGE);
    CHECK(r == NULL);
}

TEST(text)
{
    char path[1024];
    assay_commitment *c = NULL;
    assay_buffer json = {NULL, 0}, out;
    assay_commitment_parts parts;
    assay_text *t = NULL;
    assay_ids ids;
    (void)snprintf(path, sizeof path, "%s/examples/tiny", assay_test_source_dir());
    REQUIRE_OK(assay_commitment_make(&c, path, NULL, NULL));
    REQUIRE_OK(assay_commitment_export(c, &parts, NULL));
    assay_commitment_free(c);
    json = parts.tokenizer;
    REQUIRE_OK(assay_text_new(&t, parts.config.p, parts.config.n, json.p, json.n, NULL));
    CHECK_EQ_U64(assay_text_vocabulary(t), 258);
    CHECK_EQ_U64(assay_text_max_tokens(t), 512);
    CHECK(assay_text_is_stop(t, 257) && !assay_text_is_stop(t, 256));

    static const uint32_t want[] = {256, 'a', '<', '/', 's', '>'};
    REQUIRE_OK(assay_text_prompt(t, &ids, "a</s>", 5, NULL)); /* special tokens are not read in a text */
    CHECK(ids.n == 6 && memcmp(ids.p, want, sizeof want) == 0);
    REQUIRE_OK(assay_text_decode(t, &out, ids.p, ids.n, NULL));
    CHECK_EQ_STR((const char *)out.p, "a</s>"); /* and not shown */
    CHECK_EQ_U64(out.n, 5);
    assay_buffer_free(&out);
    assay_ids_free(&ids);
    REQUIRE_OK(assay_text_encode(t, &ids, "a", 1, NULL));
    CHECK(ids.n == 1 && ids.p[0] == 'a');
    ids.p[0] = 258;
    CHECK_STATUS(assay_text_decode(t, &out, ids.p, 1, NULL), ASSAY_ERANGE);
    CHECK(out.p == NULL);
    assay_ids_free(&ids);
    assay_text_free(t);

    json.p[10] ^= 1;
    CHECK_STATUS(assay_text_new(&t, parts.config.p, parts.config.n, json.p, json.n, NULL), ASSAY_EFORMAT);
    CHECK(t == NULL);
    assay_commitment_parts_free(&parts);
}

/* Wrong questions are errors of the caller, and never an acceptance. */
TEST(verifier)
{
    assay_commitment *c = NULL;
    assay_commitment_parts parts;
    assay_request *r = NULL;
    assay_buffer proof, req, next, none = {NULL, 0};
    assay_verifier *v = NULL;
    assay_report report;
    uint8_t id[32];
    REQUIRE(assay_small_commitment(&c, 1));
    REQUIRE(assay_small_request(&r, c));
    REQUIRE_OK(assay_commitment_export(c, &parts, NULL));
    REQUIRE_OK(assay_commitment_prove(c, &proof, r, NULL, NULL));
    REQUIRE_OK(assay_request_files(r, &req, &next, NULL));
    REQUIRE_OK(assay_verifier_new(&v, parts.config.p, parts.config.n, parts.ivk.p, parts.ivk.n, NULL));
    CHECK_EQ_MEM(assay_verifier_id(v), assay_commitment_id(c), 32);
    CHECK_EQ_U64(assay_verifier_security(v), 100);
    CHECK_OK(assay_verifier_config_check(v, 5, NULL));
    CHECK_STATUS(assay_verifier_config_check(v, 1u << 20, NULL), ASSAY_ERANGE);

    CHECK_OK(assay_verifier_check_files(v, &report, &req, &next, &proof, NULL, 100, NULL));
    CHECK(report.verdict == ASSAY_ACCEPT && report.reason[0] == 0);
    CHECK(report.n_rounds > 10 && report.worst > 100 && report.sum > 99 && report.sum <= report.worst);

    CHECK_OK(assay_verifier_check_files(v, &report, &req, &next, &proof, NULL, 128, NULL));
    CHECK(report.verdict == ASSAY_REJECT && strstr(report.reason, "security"));
    memcpy(id, assay_commitment_id(c), 32);
    id[31] ^= 1;
    CHECK_OK(assay_verifier_check(v, &report, r, proof.p, proof.n, id, 100, NULL));
    CHECK(report.verdict == ASSAY_REJECT && strstr(report.reason, "ID"));
    CHECK_OK(assay_verifier_check(v, &report, r, proof.p, 0, NULL, 100, NULL));
    CHECK(report.verdict == ASSAY_REJECT && report.n_rounds == 0);
    CHECK_OK(assay_verifier_check_files(v, &report, &next, &next, &proof, NULL, 100, NULL));
    CHECK(report.verdict == ASSAY_REJECT && strstr(report.reason, "request"));

    report.verdict = ASSAY_ACCEPT;
    CHECK_STATUS(assay_verifier_check(v, &report, r, proof.p, proof.n, NULL, 127, NULL), ASSAY_EINVAL);
    CHECK(report.verdict == ASSAY_REJECT && report.reason[0]);
    report.verdict = ASSAY_ACCEPT;
    CHECK_STATUS(assay_verifier_check(v, &report, NULL, proof.p, proof.n, NULL, 100, NULL), ASSAY_EINVAL);
    CHECK(report.verdict == ASSAY_REJECT);
    report.verdict = ASSAY_ACCEPT;
    CHECK_STATUS(assay_verifier_check_files(v, &report, &req, &next, &none, NULL, 100, NULL), ASSAY_EINVAL);
    CHECK(report.verdict == ASSAY_REJECT);
    assay_verifier_free(v);
    CHECK_STATUS(assay_verifier_new(&v, parts.config.p, parts.config.n, NULL, 0, NULL), ASSAY_EINVAL);
    CHECK(v == NULL);

    assay_buffer_free(&proof);
    assay_buffer_free(&req);
    assay_buffer_free(&next);
    assay_request_free(r);
    assay_commitment_parts_free(&parts);
    assay_commitment_free(c);
}

/* Progress: stages in order up to the end, and a cancellation at each of them. */
typedef struct watcher {
    double last;
    unsigned calls, cancel_at;
    bool ordered;
} watcher;

static int watch(void *ctx, const char *stage, double done)
{
    watcher *w = ctx;
    w->ordered = w->ordered && stage[0] && done >= w->last && done <= 1;
    w->last = done;
    return ++w->calls == w->cancel_at;
}

TEST(progress)
{
    assay_commitment *c = NULL;
    assay_request *r = NULL;
    assay_buffer proof;
    watcher whole = {0, 0, 0, true};
    const assay_progress progress = {watch, &whole};
    REQUIRE(assay_small_commitment(&c, 1));
    REQUIRE(assay_small_request(&r, c));
    c->counter.allowed = 100;
    REQUIRE_OK(assay_commitment_prove(c, &proof, r, &progress, NULL));
    assay_buffer_free(&proof);
    CHECK(whole.ordered && whole.calls >= 5 && whole.last > 0.9);
    for (unsigned at = 1; at <= whole.calls; at++) {
        watcher w = {0, 0, at, true};
        const assay_progress p = {watch, &w};
        CHECK_STATUS(assay_commitment_prove(c, &proof, r, &p, NULL), ASSAY_ECANCELED);
        CHECK(proof.p == NULL && w.calls == at);
    }
    uint64_t spent = 0;
    assay_commitment_count(c, &spent, NULL);
    CHECK_EQ_U64(spent, 1); /* what was canceled costs nothing */
    assay_request_free(r);
    assay_commitment_free(c);
}

/* Replies tell how far they are, and stop when they are asked to. */
TEST(watched_replies)
{
    assay_commitment *c = NULL;
    assay_request *r = NULL, *again = NULL;
    watcher w = {0, 0, 0, true};
    const assay_progress p = {watch, &w};
    REQUIRE(assay_small_commitment(&c, 2) && assay_small_request(&r, c));
    const uint32_t n_prompt = assay_request_n_prompt(r), n_new = assay_request_n_tokens(r) - n_prompt;
    assay_commitment_watch(c, &p);
    REQUIRE_OK(assay_commitment_reply(c, &again, assay_request_ids(r), n_prompt, n_new, NULL, 0, NULL));
    CHECK_EQ_MEM(assay_request_ids(again), assay_request_ids(r), (n_prompt + n_new) * sizeof(uint32_t));
    CHECK(w.ordered && w.last > 0.5 && w.calls > n_new);
    assay_request_free(again);
    const unsigned all = w.calls;
    for (unsigned at = 1; at <= all; at++) {
        w = (watcher){0, 0, at, true};
        CHECK_STATUS(assay_commitment_reply(c, &again, assay_request_ids(r), n_prompt, n_new, NULL, 0, NULL),
                     ASSAY_ECANCELED);
        CHECK(again == NULL && w.calls == at);
    }
    w = (watcher){0, 0, 0, true};
    assay_commitment_watch(c, NULL);
    REQUIRE_OK(assay_commitment_reply(c, &again, assay_request_ids(r), n_prompt, n_new, NULL, 0, NULL));
    CHECK(w.calls == 0);
    assay_request_free(again);
    assay_request_free(r);
    assay_commitment_free(c);
}

/* ---- several proofs in one call */

enum { MANY = 3 };

/* The same reply, cut at 0, 1 and 2 tokens as far as it has them, for different contexts. */
static bool cut_requests(assay_request *out[MANY], const assay_request *r)
{
    const uint32_t *ids = assay_request_ids(r), n = assay_request_n_prompt(r), reply = assay_request_n_tokens(r) - n;
    bool made = true;
    for (uint32_t i = 0; i < MANY && made; i++) {
        uint32_t cut = i < reply ? i : reply;
        made = CHECK_OK(assay_request_make(&out[i], ids, n, n + cut, ids[n + cut], "nnn", i, NULL));
    }
    return made;
}

TEST(many_proofs)
{
    assay_commitment *c = NULL;
    assay_request *r = NULL, *rq[MANY] = {NULL}, *wrong = NULL;
    const assay_request *list[MANY];
    assay_buffer proofs[MANY];
    assay_verdict verdict;
    size_t failed = 7;
    uint64_t spent = 0;
    watcher w = {0, 0, 0, true};
    const assay_progress progress = {watch, &w};
    REQUIRE(assay_small_commitment(&c, 1) && assay_small_request(&r, c) && cut_requests(rq, r));
    for (size_t i = 0; i < MANY; i++) list[i] = rq[i];
    c->counter.allowed = MANY;
    REQUIRE_OK(assay_commitment_prove_many(c, proofs, list, MANY, &failed, &progress, NULL));
    CHECK(w.ordered && w.last > 0.9);
    for (size_t i = 0; i < MANY; i++) {
        CHECK(assay_small_verdict(&verdict, c, list[i], &proofs[i]) && verdict == ASSAY_ACCEPT);
        CHECK(assay_small_verdict(&verdict, c, list[(i + 1) % MANY], &proofs[i]) && verdict == ASSAY_REJECT);
        assay_buffer_free(&proofs[i]);
    }
    assay_commitment_count(c, &spent, NULL);
    CHECK_EQ_U64(spent, MANY);

    /* All or none. */
    c->counter.allowed = 2 * MANY - 1;
    CHECK_STATUS(assay_commitment_prove_many(c, proofs, list, MANY, &failed, NULL, NULL), ASSAY_EEXHAUSTED);
    c->counter.allowed = 100;
    const uint32_t *ids = assay_request_ids(r), n = assay_request_n_prompt(r);
    REQUIRE_OK(assay_request_make(&wrong, ids, n, n, (ids[n] + 1) % c->pub.cfg.vocab, NULL, 0, NULL));
    list[1] = wrong;
    CHECK_STATUS(assay_commitment_prove_many(c, proofs, list, MANY, &failed, NULL, NULL), ASSAY_ENORESULT);
    CHECK_EQ_U64(failed, 1);
    assay_request_free(wrong);
    REQUIRE_OK(assay_request_make(&wrong, ids, n, n, c->pub.cfg.vocab, NULL, 0, NULL));
    list[1] = rq[1];
    list[2] = wrong;
    CHECK_STATUS(assay_commitment_prove_many(c, proofs, list, MANY, &failed, NULL, NULL), ASSAY_ERANGE);
    CHECK_EQ_U64(failed, 2);
    CHECK_STATUS(assay_commitment_prove_many(c, proofs, list, 0, NULL, NULL, NULL), ASSAY_EINVAL);
    for (size_t i = 0; i < MANY; i++) CHECK(proofs[i].p == NULL);
    assay_commitment_count(c, &spent, NULL);
    CHECK_EQ_U64(spent, MANY);
    for (size_t i = 0; i < MANY; i++) assay_request_free(rq[i]);
    assay_request_free(wrong);
    assay_request_free(r);
    assay_commitment_free(c);
}

/* With the same coins each is the proof that it would be alone. */
TEST(many_are_as_one_by_one)
{
    static const uint8_t coins[32] = {1, 2, 3};
    assay_commitment *c = NULL;
    assay_request *r = NULL, *rq[MANY] = {NULL};
    const assay_request *list[MANY];
    const assay_cheat fixed = {.coins = coins};
    assay_writer many[MANY], one;
    size_t at = 0;
    REQUIRE(assay_small_commitment(&c, 1) && assay_small_request(&r, c) && cut_requests(rq, r));
    const assay_prover_key key = {&c->pub, &c->model, &c->rows, c->tree, c->key.seed};
    for (size_t i = 0; i < MANY; i++) {
        list[i] = rq[i];
        assay_writer_init(&many[i], ASSAY_MAX_PROOF_FILE);
    }
    REQUIRE_OK(assay_cp_prove_many(many, &key, list, MANY, NULL, &c->be, NULL, &fixed, &at, NULL));
    for (size_t i = 0; i < MANY; i++) {
        assay_writer_init(&one, ASSAY_MAX_PROOF_FILE);
        REQUIRE_OK(assay_cp_prove(&one, &key, list[i], NULL, &c->be, NULL, &fixed, NULL));
        CHECK_EQ_U64(one.n, many[i].n);
        CHECK(one.n == many[i].n && memcmp(one.p, many[i].p, one.n) == 0);
        assay_writer_clear(&one);
        assay_writer_clear(&many[i]);
        assay_request_free(rq[i]);
    }
    assay_request_free(r);
    assay_commitment_free(c);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* cp_prove --commitment DIR --req F.req --y F.y --out F.proof, the last three as often as there are proofs to make
 * [--policy FILE] */
#include "assay/prove.h"
#include "base/memory_limit.h"
#include "base/status.h"
#include "cli/files.h"
#include "cli/plan.h"
#include "cli/policy.h"
#include "cli/progress_bar.h"
#include "cli/prover.h"
#include "cli/report.h"
#include "cli/self_check.h"
#include "cp/commitment.h"
#include <stdio.h>
#include <string.h>

enum { MEBIBYTE = 1 << 20 };

/* One proof to make. */
typedef struct item {
    const char *req, *y, *out;
    assay_request *r;
    assay_status s; /* how it ended; err says more */
    assay_errinfo err;
    bool done; /* F.proof is there */
    size_t bytes;
    uint64_t number; /* of the commitment's proofs, after this one */
    double seconds;
} item;

typedef struct prover {
    const assay_args *a;
    assay_commitment *c;
    assay_policy policy;
    item items[ASSAY_MAX_TIMES];
    assay_cp_plan plans[ASSAY_MAX_TIMES];
    size_t n;
    unsigned threads;
    uint64_t limit; /* of memory */
} prover;

static assay_status read_requests(prover *p, assay_errinfo *err)
{
    assay_status s = ASSAY_OK;
    for (size_t i = 0; s == ASSAY_OK && i < p->n; i++)
        s = assay_cli_request_read(&p->items[i].r, p->items[i].req, p->items[i].y, err);
    return s;
}

/* No proof would be written over an input or another proof. */
static assay_status check_names(const prover *p, assay_errinfo *err)
{
    assay_status s = ASSAY_OK;
    for (size_t i = 0; i < p->n; i++)
        for (size_t k = 0; s == ASSAY_OK && k < p->n; k++) {
            s = assay_cli_distinct(p->items[i].out, p->items[k].req, err);
            if (s == ASSAY_OK) s = assay_cli_distinct(p->items[i].out, p->items[k].y, err);
            if (s == ASSAY_OK && k < i) s = assay_cli_distinct(p->items[i].out, p->items[k].out, err);
        }
    return s;
}

/* What can be refused without a run of the model, for all requests before the first. */
static assay_status check_requests(const prover *p, assay_errinfo *err)
{
    assay_status s = ASSAY_OK;
    uint64_t spent = 0, allowed = 0;
    for (size_t i = 0; s == ASSAY_OK && i < p->n; i++) {
        s = assay_request_check(p->items[i].r, &p->c->pub.cfg, err);
        assay_report_name_file(err, "request", p->items[i].req);
        assay_report_name_file(err, "next token", p->items[i].y);
    }
    assay_commitment_count(p->c, &spent, &allowed);
    const uint64_t left = allowed > spent ? allowed - spent : 0;
    if (s == ASSAY_OK && p->n > 1 && left < p->n)
        s = ASSAY_FAIL2(err, ASSAY_EEXHAUSTED, p->a->value[OPT_COMMITMENT],
                        "has fewer proofs left than are asked for (left, asked for)", left, p->n);
    return s;
}

static assay_status try_outputs(const prover *p, assay_errinfo *err)
{
    assay_status s = ASSAY_OK;
    for (size_t i = 0; s == ASSAY_OK && i < p->n; i++) s = assay_cli_writable(p->items[i].out, err);
    return s;
}

/* Plans all proofs. Returns -1, or the exit code: after --plan, or when one does not fit. */
static int plan(prover *p, assay_errinfo *err)
{
    const assay_request *r[ASSAY_MAX_TIMES] = {NULL};
    const char *names[ASSAY_MAX_TIMES] = {NULL};
    for (size_t i = 0; i < p->n; i++) {
        r[i] = p->items[i].r;
        names[i] = p->items[i].req;
    }
    assay_status s = assay_cli_plan(p->plans, p->a->value[OPT_COMMITMENT], r, p->n, p->policy.kind, p->threads, err);
    if (s == ASSAY_OK && args_has(p->a, OPT_PLAN)) {
        assay_cli_plan_print(p->a, p->plans, names, r, p->n);
        return assay_report_finish(p->a, ASSAY_EXIT_OK);
    }
    if (s != ASSAY_OK && !args_has(p->a, OPT_PLAN)) { /* opening the commitment says it better */
        assay_errinfo_clear(err);
        return -1;
    }
    for (size_t i = 0; s == ASSAY_OK && i < p->n; i++)
        if (p->plans[i].peak_bytes > p->limit)
            s = ASSAY_FAIL2(err, ASSAY_ENOMEM, names[i],
                            args_has(p->a, OPT_MEMORY) ? "the proof takes more memory than --memory allows (MiB)"
                                                       : "the proof takes more memory than there is (MiB); --memory "
                                                         "sets another limit",
                            (p->plans[i].peak_bytes + MEBIBYTE - 1) / MEBIBYTE, p->limit / MEBIBYTE);
    return s == ASSAY_OK ? -1 : assay_report_error(p->a, ASSAY_READING, s, err);
}

/* Checks a proof where that is wanted, and writes it. */
static assay_status deliver(prover *p, item *t, const assay_buffer *proof)
{
    assay_status s = ASSAY_OK;
    if (args_has(p->a, OPT_SELF_CHECK)) {
        assay_report report;
        s = assay_cli_self_check(&report, p->a->value[OPT_COMMITMENT], assay_commitment_id(p->c), t->r, &p->policy,
                                 proof, &t->err);
        if (s == ASSAY_OK && report.verdict != ASSAY_ACCEPT)
            s = ASSAY_FAIL(&t->err, ASSAY_EINTERNAL, "proof", "does not verify; nothing was written");
    }
    if (s == ASSAY_OK) s = assay_cli_write(t->out, proof, &t->err);
    t->done = s == ASSAY_OK;
    t->bytes = proof->n;
    return s;
}

/* Those of items[0 .. n) that have not failed; returns how many. */
static size_t gather(item **live, const assay_request **r, item *items, size_t n)
{
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        if (items[i].s != ASSAY_OK) continue;
        r[k] = items[i].r;
        live[k++] = &items[i];
    }
    return k;
}

/* Proves items[0 .. n) in one call. A reply that is not the model's makes that call fail: it is left out, and the
 * others are tried again. Returns what stopped the whole; ASSAY_OK: nothing did. */
static assay_status prove_together(prover *p, item *items, size_t n)
{
    const assay_request *r[ASSAY_MAX_TIMES] = {NULL};
    item *live[ASSAY_MAX_TIMES] = {NULL};
    assay_buffer proofs[ASSAY_MAX_TIMES] = {{NULL, 0}};
    assay_status s = ASSAY_ENORESULT;
    size_t k = 0;
    while (s == ASSAY_ENORESULT && (k = gather(live, r, items, n)) > 0) {
        char title[64] = "proving";
        assay_bar bar;
        assay_errinfo err = {0};
        size_t failed = 0;
        uint64_t spent = 0;
        if (p->n > 1) (void)snprintf(title, sizeof title, "proving %zu of %zu", k, p->n);
        const assay_progress progress = assay_bar_begin(&bar, p->a, title);
        s = assay_commitment_prove_within(p->c, proofs, r, k, &p->policy, &failed, &progress, &err);
        assay_bar_end(&bar);
        assay_commitment_count(p->c, &spent, NULL);
        for (size_t i = 0; s == ASSAY_OK && i < k; i++) {
            live[i]->seconds = assay_bar_seconds(&bar);
            live[i]->number = spent - k + i + 1;
            live[i]->s = deliver(p, live[i], &proofs[i]);
        }
        for (size_t i = 0; i < k; i++) assay_buffer_free(&proofs[i]);
        if (s == ASSAY_OK) break;
        live[failed]->s = s;
        live[failed]->err = err;
    }
    return s == ASSAY_ENORESULT ? ASSAY_OK : s;
}

/* One call for as many as fit in the memory. Returns the status that the program ends with. */
static assay_status prove_all(prover *p)
{
    assay_status s = ASSAY_OK;
    const char *folder = p->a->value[OPT_COMMITMENT];
    for (size_t at = 0, n = 0; s == ASSAY_OK && at < p->n; at += n) {
        n = assay_cli_plan_fit(p->plans + at, p->n - at, p->limit);
        s = prove_together(p, p->items + at, n);
    }
    for (size_t i = 0; i < p->n; i++) {
        item *t = &p->items[i];
        assay_report_name_file(&t->err, "request", t->req);
        assay_report_name_file(&t->err, "next token", t->y);
        assay_report_name_file(&t->err, "commitment", folder);
        assay_report_name_file(&t->err, "", folder);
        if (s == ASSAY_OK) s = t->s;
    }
    return s;
}

/* ---- what is said */

static void json_item(const item *t)
{
    char text[400];
    assay_json_string("proof", t->out);
    if (t->done) {
        assay_json_number("bytes", t->bytes);
        assay_json_real("seconds", t->seconds);
    } else {
        assay_json_string("error", t->err.reason ? assay_errinfo_text(&t->err, text, sizeof text) : "not tried");
    }
}

static void print_json(const prover *p, int code)
{
    uint64_t spent = 0, allowed = 0;
    assay_commitment_count(p->c, &spent, &allowed);
    assay_json_begin();
    if (p->n == 1) json_item(&p->items[0]);
    if (p->n > 1) assay_json_array_begin("proofs");
    for (size_t i = 0; p->n > 1 && i < p->n; i++) {
        assay_json_begin();
        json_item(&p->items[i]);
        assay_json_close();
    }
    if (p->n > 1) assay_json_array_end();
    assay_json_number("proofs_made", spent);
    assay_json_number("proofs_allowed", allowed);
    if (code != ASSAY_EXIT_OK) assay_json_number("exit", (uint64_t)code);
    assay_json_end();
}

/* A line for each proof on stdout, and for each failure on stderr. */
static int report(const prover *p, assay_status s)
{
    const assay_args *a = p->a;
    uint64_t allowed = 0;
    if (p->n == 1 && s != ASSAY_OK) return assay_report_error(a, ASSAY_WRITING, s, &p->items[0].err);
    assay_commitment_count(p->c, NULL, &allowed);
    for (size_t i = 0; i < p->n; i++) {
        const item *t = &p->items[i];
        if (t->s != ASSAY_OK) assay_report_failure(a, t->s == ASSAY_ENORESULT ? t->req : "", t->s, &t->err);
        if (t->done && !args_has(a, OPT_JSON) && !args_has(a, OPT_QUIET))
            printf("%s: %zu bytes in %.2f s; proof %llu of %llu\n", t->out, t->bytes, t->seconds,
                   (unsigned long long)t->number, (unsigned long long)allowed);
    }
    int code = assay_exit_of(s, ASSAY_WRITING);
    if (args_has(a, OPT_JSON)) print_json(p, code);
    return assay_report_finish(a, code);
}

static int read_items(prover *p)
{
    const assay_args *a = p->a;
    p->n = assay_args_times(a, OPT_REQ);
    const size_t n_out =
        args_has(a, OPT_PLAN) && !args_has(a, OPT_PROOF_OUT) ? p->n : assay_args_times(a, OPT_PROOF_OUT);
    if (assay_args_times(a, OPT_Y) != p->n || n_out != p->n)
        return assay_report_usage(a, "--req, --y and --out", "are not given equally often");
    for (size_t i = 0; i < p->n; i++)
        p->items[i] = (item){.req = assay_args_nth(a, OPT_REQ, i),
                             .y = assay_args_nth(a, OPT_Y, i),
                             .out = assay_args_nth(a, OPT_PROOF_OUT, i)};
    return -1;
}

int main(int argc, char **argv)
{
    assay_args a;
    assay_errinfo err = {0};
    assay_open_options o;
    prover p;
    assay_phase phase = ASSAY_READING;
    memset(&p, 0, sizeof p);
    p.a = &a;
    int code = assay_args_parse(&a, assay_command_find("cp_prove", NULL), argc, argv, 1);
    if (code < 0) code = assay_cli_open_options(&a, &o);
    if (code < 0) code = read_items(&p);
    if (code < 0 && !assay_args_size(&a, OPT_MEMORY, &p.limit)) code = ASSAY_EXIT_USAGE;
    if (code >= 0) return code;
    p.threads = o.threads;
    if (!args_has(&a, OPT_MEMORY)) p.limit = assay_memory_limit();
    assay_cli_start();
    assay_status s = read_requests(&p, &err);
    if (s == ASSAY_OK) s = assay_cli_policy(&p.policy, &a, &err);
    if (s == ASSAY_OK) {
        code = plan(&p, &err);
        if (code >= 0) goto out;
    }
    if (s == ASSAY_OK) s = assay_commitment_open(&p.c, a.value[OPT_COMMITMENT], &o, &err);
    if (s == ASSAY_OK) s = check_names(&p, &err);
    if (s == ASSAY_OK) s = check_requests(&p, &err);
    if (s == ASSAY_OK) {
        phase = ASSAY_WRITING;
        s = try_outputs(&p, &err);
    }
    code = s == ASSAY_OK ? report(&p, prove_all(&p)) : assay_report_error(&a, phase, s, &err);
out:
    for (size_t i = 0; i < p.n; i++) assay_request_free(p.items[i].r);
    assay_commitment_free(p.c);
    return code;
}

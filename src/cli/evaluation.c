/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of an evaluation. */
#include "cli/evaluation.h"
#include "base/mem.h"
#include "cli/report.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_REASONS = 8, REASON = 192 };

void assay_evaluation_clear(assay_evaluation *e)
{
    assay_windows_clear(&e->w);
    assay_mem_free(e->a);
    assay_mem_free(e->b);
    assay_mem_free(e->result);
    memset(e, 0, sizeof *e);
}

/* Refusals of one tensor of one layer, for one reason. */
typedef struct reason {
    char text[REASON]; /* "layer 3, gate: outside 12 bits" */
    size_t windows;
    uint32_t first; /* the smallest position */
} reason;

/* Without the position, which the last part of the subject is. */
static void reason_text(char out[REASON], const assay_errinfo *why)
{
    const char *cut = strstr(why->subject, ", position ");
    int n = cut ? (int)(cut - why->subject) : (int)strlen(why->subject);
    (void)snprintf(out, REASON, "%.*s: %s", n, why->subject, why->reason);
}

/* Kinds of refusals in the order of their windows: at most MAX_REASONS, *n of them; returns how many windows have one.
 */
static size_t gather(reason r[MAX_REASONS], size_t *n, const assay_evaluation *e)
{
    size_t refused = 0;
    char text[REASON];
    *n = 0;
    for (size_t i = 0; e->result && i < e->w.n; i++) {
        size_t k = 0;
        if (e->result[i].n == e->w.length) continue;
        refused++;
        reason_text(text, &e->result[i].why);
        while (k < *n && strcmp(r[k].text, text) != 0) k++;
        if (k == MAX_REASONS) continue;
        if (k == *n) {
            r[k].windows = 0;
            r[k].first = e->result[i].n;
            memcpy(r[k].text, text, sizeof text);
            (*n)++;
        }
        r[k].windows++;
        r[k].first = e->result[i].n < r[k].first ? e->result[i].n : r[k].first;
    }
    return refused;
}

/* Positions that count: all but those before w.from. */
static uint64_t counted(const assay_evaluation *e)
{
    return (uint64_t)e->w.n * (e->w.length - e->w.from);
}

static double share(uint64_t part, uint64_t all)
{
    return all ? 100.0 * (double)part / (double)all : 0;
}

static double perplexity(double loss, uint64_t n)
{
    return n ? exp(loss / (double)n) : INFINITY;
}

static double peak_bits(const assay_evaluation *e, assay_peak_kind k)
{
    return e->peaks.top[k] > 0 ? log2((double)e->peaks.top[k]) : 0;
}

/* Whether the model has accumulators of this kind. */
static bool occurs(const assay_evaluation *e, int k)
{
    return (k != PEAK_QG && k != PEAK_KG) || e->peaks.top[k] > 0;
}

/* ---- JSON */

static void json_refusals(const assay_evaluation *e, const assay_fidelity *f)
{
    reason r[MAX_REASONS];
    size_t n;
    assay_json_number("windows_without_result", gather(r, &n, e));
    assay_json_number("tokens_without_result", counted(e) - f->positions);
    assay_json_array_begin("no_result");
    for (size_t i = 0; i < n; i++) {
        assay_json_begin();
        assay_json_string("reason", r[i].text);
        assay_json_number("windows", r[i].windows);
        assay_json_number("first_position", r[i].first);
        assay_json_close();
    }
    assay_json_array_end();
    assay_json_array_begin("accumulators");
    for (int k = 0; k < PEAK_COUNT; k++) {
        if (!occurs(e, k)) continue;
        assay_json_begin();
        assay_json_string("name", assay_peak_name((assay_peak_kind)k));
        assay_json_precise("log2", peak_bits(e, (assay_peak_kind)k));
        assay_json_number("layer", e->peaks.layer[k]);
        assay_json_close();
    }
    assay_json_array_end();
}

static void print_json(const assay_evaluation *e, const assay_fidelity *f)
{
    assay_json_begin();
    assay_json_number("windows", e->w.n);
    assay_json_number("window", e->w.length);
    assay_json_number("tokens", f->positions);
    if (e->a) assay_json_precise("perplexity_float", perplexity(f->loss_float, f->predicted));
    if (e->b) assay_json_precise("perplexity_integer", perplexity(f->loss_integer, f->predicted));
    if (e->a && e->b) {
        assay_json_precise("perplexity_ratio", perplexity(f->loss_integer - f->loss_float, f->predicted));
        assay_json_number("same", f->same);
        assay_json_precise("agreement", share(f->same, f->positions));
        assay_json_precise("margin", e->margin);
        assay_json_number("decisive", f->decisive);
        assay_json_number("decisive_same", f->decisive_same);
        assay_json_precise("agreement_decisive", share(f->decisive_same, f->decisive));
    }
    if (e->b) json_refusals(e, f);
    if (e->a) assay_json_real("seconds_float", e->seconds_float);
    if (e->b) assay_json_real("seconds_integer", e->seconds_integer);
    assay_json_end();
}

/* ---- text */

static void print_refusals(const assay_evaluation *e, const assay_fidelity *f)
{
    reason r[MAX_REASONS];
    size_t n, refused = gather(r, &n, e);
    const uint64_t all = counted(e);
    printf("no result: %zu of %zu windows (%.2f %%), %llu of %llu tokens (%.2f %%)\n", refused, e->w.n,
           share(refused, e->w.n), (unsigned long long)(all - f->positions), (unsigned long long)all,
           share(all - f->positions, all));
    for (size_t i = 0; i < n; i++)
        printf("  %s (%zu windows, first at position %u)\n", r[i].text, r[i].windows, (unsigned)r[i].first);
    printf("largest accumulators, log2 (limit 30):\n");
    for (int k = 0; k < PEAK_COUNT; k++) {
        if (!occurs(e, k)) continue;
        printf("  %-12s %6.2f  layer %u\n", assay_peak_name((assay_peak_kind)k), peak_bits(e, (assay_peak_kind)k),
               (unsigned)e->peaks.layer[k]);
    }
}

static void print_text(const assay_evaluation *e, const assay_fidelity *f, bool quiet)
{
    printf("%zu windows of %zu tokens\n", e->w.n, e->w.length);
    if (f->positions == 0) printf("no position has a result\n");
    if (e->a) printf("perplexity, float:    %.5f\n", perplexity(f->loss_float, f->predicted));
    if (e->b) printf("perplexity, integers: %.5f\n", perplexity(f->loss_integer, f->predicted));
    if (e->a && e->b) {
        printf("ratio:                %.5f\n", perplexity(f->loss_integer - f->loss_float, f->predicted));
        printf("same token:           %.3f %% of %llu\n", share(f->same, f->positions),
               (unsigned long long)f->positions);
        printf("  float margin > %g:  %.3f %% of %llu\n", e->margin, share(f->decisive_same, f->decisive),
               (unsigned long long)f->decisive);
    }
    if (e->b) print_refusals(e, f);
    if (quiet) return;
    if (e->a) printf("float model: %.1f s\n", e->seconds_float);
    if (e->b) printf("integer model: %.1f s\n", e->seconds_integer);
}

void assay_evaluation_print(const assay_evaluation *e, const assay_args *a)
{
    assay_fidelity f;
    assay_fidelity_sum(&f, e->a, e->b, e->result, &e->w, e->margin);
    if (args_has(a, OPT_JSON))
        print_json(e, &f);
    else
        print_text(e, &f, args_has(a, OPT_QUIET));
}

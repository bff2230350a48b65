/* SPDX-License-Identifier: Apache-2.0 */
/* How long checking one Groth16 proof takes inside a process, for each curve and instruction set: medians of RUNS, in
 * microseconds of processor time. The key is made here, with scalars known to this program.
 *     bench_verify [PUBLIC_VALUES [FOLDER]]     1 when not given; FOLDER: where to leave vkey.json, public.json and
 *                                               proof.json of each curve, for measuring `assay groth16 verify` itself
 */
#include "assay/groth16.h"
#include "base/buffer.h"
#include "base/cpu.h"
#include "base/mem.h"
#include "groth16/json.h"
#include "groth16/verify.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 201, MAX_TEXT = 1 << 24, FILES = 3 };

typedef struct bench {
    const assay_curve *curve;
    assay_vk vk;
    assay_proof proof;
    assay_publics publics;
    assay_buffer text[FILES]; /* key, public values, proof */
} bench;

static void multiple(const assay_curve *c, assay_group_id g, void *out, assay_fr k)
{
    assay_affine generator;
    assay_point t;
    uint64_t limbs[ASSAY_FR_LIMBS];
    c->group[g].generator(&generator);
    c->fr_to_limbs(limbs, k);
    c->group[g].mul(&t, &generator, limbs);
    c->group[g].to_affine(out, &t);
}

/* A key of known scalars, and the proof that they allow for any public values: c = (a b - alpha beta - gamma L) /
 * delta.
 */
static int make(bench *b, const assay_curve *c, uint32_t n_public)
{
    assay_fr x = c->fr_root(20), alpha, beta, gamma, delta, sum, pi_a, pi_b, step = c->fr_root(21);
    assay_fr *const drawn[] = {&alpha, &beta, &gamma, &delta, &sum, &pi_a, &pi_b};
    memset(b, 0, sizeof *b);
    b->curve = b->proof.curve = b->publics.curve = c;
    for (size_t i = 0; i < sizeof drawn / sizeof drawn[0]; i++) *drawn[i] = x = c->fr_mul(x, step);
    b->publics.v = assay_mem_alloc((size_t)n_public + 1, sizeof *b->publics.v);
    if (!b->publics.v || assay_vk_init(&b->vk, c, n_public, NULL) != ASSAY_OK) return 1;
    b->publics.n = n_public;
    multiple(c, ASSAY_G1, &b->vk.alpha1, alpha);
    multiple(c, ASSAY_G2, &b->vk.beta2, beta);
    multiple(c, ASSAY_G2, &b->vk.gamma2, gamma);
    multiple(c, ASSAY_G2, &b->vk.delta2, delta);
    multiple(c, ASSAY_G1, assay_vk_ic(&b->vk, 0), sum);
    for (uint32_t i = 0; i < n_public; i++) {
        assay_fr value = x = c->fr_mul(x, step), ic = x = c->fr_mul(x, step);
        multiple(c, ASSAY_G1, assay_vk_ic(&b->vk, i + 1), ic);
        c->fr_to_limbs(b->publics.v[i], value);
        sum = c->fr_add(sum, c->fr_mul(value, ic));
    }
    assay_fr rest = c->fr_sub(c->fr_mul(pi_a, pi_b), c->fr_add(c->fr_mul(alpha, beta), c->fr_mul(gamma, sum)));
    multiple(c, ASSAY_G1, &b->proof.a, pi_a);
    multiple(c, ASSAY_G2, &b->proof.b, pi_b);
    multiple(c, ASSAY_G1, &b->proof.c, c->fr_mul(rest, c->fr_inv(delta)));
    return 0;
}

static int write_texts(bench *b)
{
    int failed = 0;
    for (int i = 0; i < FILES && !failed; i++) {
        assay_writer w;
        assay_writer_init(&w, MAX_TEXT);
        if (i == 0) assay_vk_json(&w, &b->vk);
        if (i == 1) assay_publics_json(&w, &b->publics);
        if (i == 2) assay_proof_json(&w, &b->proof);
        failed = assay_buffer_take(&b->text[i], &w, "text", NULL) != ASSAY_OK;
        assay_writer_clear(&w);
    }
    return failed;
}

static void leave(bench *b)
{
    for (int i = 0; i < FILES; i++) assay_buffer_free(&b->text[i]);
    assay_publics_clear(&b->publics);
    assay_vk_clear(&b->vk);
}

/* ---- what is timed; each returns whether it went as it must */

static int whole(bench *b)
{
    assay_groth16_report r;
    const assay_buffer *t = b->text;
    return assay_groth16_verify(&r, t[0].p, t[0].n, t[1].p, t[1].n, t[2].p, t[2].n, 0, NULL) == ASSAY_OK &&
           r.verdict == ASSAY_ACCEPT;
}

static int read_texts(bench *b)
{
    assay_vk vk = {0};
    assay_publics v = {0};
    int good = assay_vk_read_json(&vk, "key", b->text[0].p, b->text[0].n, NULL) == ASSAY_OK &&
               assay_publics_parse_json(&v, b->curve, "values", b->text[1].p, b->text[1].n, NULL) == ASSAY_OK;
    assay_publics_clear(&v);
    assay_vk_clear(&vk);
    return good;
}

static int check_key(bench *b)
{
    return assay_vk_check(&b->vk, "key", NULL) == ASSAY_OK;
}

static int check_proof(bench *b)
{
    return assay_proof_check(&b->proof, "proof", NULL) == ASSAY_OK;
}

static int equation(bench *b)
{
    return assay_groth16_fault(&b->vk, b->curve, b->publics.v, b->publics.n, &b->proof) == NULL;
}

static const struct {
    const char *name;
    int (*run)(bench *b);
} parts[] = {{"whole check", whole},
             {"reading texts", read_texts},
             {"groups of key", check_key},
             {"groups of proof", check_proof},
             {"equation", equation}};
enum { PARTS = sizeof parts / sizeof parts[0] };

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double processor_us(void)
{
    return 1e6 * (double)clock() / CLOCKS_PER_SEC;
}

/* Parts in turns, so that what else the machine does falls on all of them. */
static int time_parts(bench *b, double median[PARTS])
{
    static double us[PARTS][RUNS];
    for (int r = 0; r < RUNS; r++)
        for (int i = 0; i < PARTS; i++) {
            double start = processor_us();
            if (!parts[i].run(b)) {
                fprintf(stderr, "bench_verify: %s: %s failed\n", b->curve->title, parts[i].name);
                return 1;
            }
            us[i][r] = processor_us() - start;
        }
    for (int i = 0; i < PARTS; i++) {
        qsort(us[i], RUNS, sizeof us[i][0], ascending);
        median[i] = us[i][RUNS / 2];
    }
    return 0;
}

static int leave_files(const bench *b, const char *folder)
{
    static const char *const names[FILES] = {"vkey", "public", "proof"};
    char path[4096];
    int failed = 0;
    for (int i = 0; i < FILES && !failed; i++) {
        (void)snprintf(path, sizeof path, "%s/%s.%s.json", folder, b->curve->name, names[i]);
        FILE *f = fopen(path, "wb");
        failed = !f || fwrite(b->text[i].p, 1, b->text[i].n, f) != b->text[i].n;
        if (f && fclose(f) != 0) failed = 1;
    }
    if (failed) fprintf(stderr, "bench_verify: %s: cannot be written\n", path);
    return failed;
}

int main(int argc, char **argv)
{
    static const unsigned masks[] = {0, ASSAY_CPU_ADX};
    const unsigned long n_public = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    int failed = n_public > 10000;
    if (failed) fprintf(stderr, "usage: bench_verify [PUBLIC_VALUES, at most 10000 [FOLDER]]\n");
    if (!failed) printf("microseconds with %lu public values: plain C, ADX\n", n_public);
    for (int curve = 0; curve < ASSAY_CURVE_COUNT && !failed; curve++) {
        double median[2][PARTS];
        for (int m = 0; m < 2 && !failed; m++) {
            bench b;
            assay_cpu_mask(masks[m]);
            failed = make(&b, assay_curve_get((assay_curve_id)curve), (uint32_t)n_public) || write_texts(&b) ||
                     time_parts(&b, median[m]) || (m == 0 && argc > 2 && leave_files(&b, argv[2]));
            leave(&b);
        }
        for (int i = 0; i < PARTS && !failed; i++)
            printf("%-10s %-16s %8.0f %8.0f\n", assay_curve_get((assay_curve_id)curve)->title, parts[i].name,
                   median[0][i], median[1][i]);
    }
    return failed;
}

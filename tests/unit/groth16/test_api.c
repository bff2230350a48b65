/* SPDX-License-Identifier: Apache-2.0 */
/* The public interface: keys of our own for circuits of several sizes on both curves; bad witnesses and keys; bounds of
 * memory; cancellation; several threads with one key.
 * ctest: labels threads */
#define _POSIX_C_SOURCE 200809L
#include "base/cpu.h"
#include "base/file.h"
#include "base/mem.h"
#include "groth16/chain.h"
#include "groth16/json.h"
#include "groth16/key.h"
#include "groth16/verify.h"
#include "harness.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const assay_groth16_prove_options one_thread = {.threads = 1};

static assay_groth16_key *open_key(const chain *k, int resident)
{
    const assay_groth16_open_options o = {.resident = resident, .threads = 1};
    assay_groth16_key *key = NULL;
    assay_errinfo err = {0};
    if (!CHECK_OK(assay_groth16_key_open(&key, k->zkey, &o, &err))) printf("    %s: %s\n", err.subject, err.reason);
    return key;
}

static void round_trip(const assay_curve *c, uint32_t n, bool shown)
{
    assay_buffer proof, publics, wtns;
    assay_groth16_report report;
    assay_groth16_key_info info;
    chain k;
    REQUIRE(chain_make(&k, c, n, shown));
    CHECK_OK(assay_groth16_check_witness(&report, k.r1cs, k.wtns, NULL, NULL, NULL));
    CHECK(report.verdict == ASSAY_ACCEPT && !report.reason[0]);
    for (int resident = 0; resident < 2; resident++) {
        assay_groth16_key *key = open_key(&k, resident);
        REQUIRE(key != NULL);
        assay_groth16_key_describe(key, &info);
        CHECK(info.marked && info.development && info.n_wires == n + 2 && (info.resident > 0) == resident);
        CHECK_EQ_U64(info.n_public, shown ? 2 : 0);
        REQUIRE_OK(assay_groth16_prove_file(key, &proof, &publics, k.wtns, &one_thread, NULL));
        CHECK(chain_verifies(key, &publics, &proof));
        assay_buffer_free(&proof);
        assay_buffer_free(&publics);
        wtns = chain_read(k.wtns);
        REQUIRE_OK(assay_groth16_prove(key, &proof, &publics, wtns.p, wtns.n, NULL, NULL));
        CHECK(chain_verifies(key, &publics, &proof));
        assay_buffer_free(&wtns);
        assay_buffer_free(&proof);
        assay_buffer_free(&publics);
        assay_groth16_key_free(key);
    }
}

TEST(round_trips)
{
    static const uint32_t sizes[] = {1, 2, 5, 6, 100};
    for (assay_curve_id id = 0; id < ASSAY_CURVE_COUNT; id++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (int shown = 0; shown < 2; shown++) round_trip(assay_curve_get(id), sizes[i], shown);
}

/* ---- witnesses */

static bool nothing_out(const assay_buffer *proof, const assay_buffer *publics)
{
    return !proof->p && !proof->n && !publics->p && !publics->n;
}

TEST(bad_witness)
{
    assay_groth16_prove_options o = {.threads = 2};
    assay_buffer proof, publics;
    assay_groth16_report report;
    assay_errinfo err = {0};
    char text[512];
    chain k, other;
    REQUIRE(chain_make(&k, assay_curve_get(ASSAY_BN254), 50, true));
    assay_groth16_key *key = open_key(&k, 0);
    REQUIRE(key != NULL);
    CHECK_STATUS(assay_groth16_prove_file(key, &proof, &publics, k.bad, &o, &err), ASSAY_EUNSATISFIED);
    CHECK(nothing_out(&proof, &publics) && strstr(err.reason, "witness") != NULL);
    /* Against the circuit: the constraint, by name. */
    o.r1cs = k.r1cs;
    o.sym = k.sym;
    memset(&err, 0, sizeof err);
    CHECK_STATUS(assay_groth16_prove_file(key, &proof, &publics, k.bad, &o, &err), ASSAY_EUNSATISFIED);
    (void)snprintf(text, sizeof text, "constraint %u with %s", (unsigned)k.broken, k.culprit);
    CHECK(nothing_out(&proof, &publics));
    if (!CHECK(strncmp(err.subject, text, strlen(text)) == 0)) printf("    %s\n", err.subject);
    CHECK_OK(assay_groth16_prove_file(key, &proof, &publics, k.wtns, &o, NULL));
    assay_buffer_free(&proof);
    assay_buffer_free(&publics);
    CHECK_OK(assay_groth16_check_witness(&report, k.r1cs, k.bad, NULL, NULL, NULL));
    CHECK(report.verdict == ASSAY_REJECT && strstr(report.reason, "wire") != NULL);
    /* Another circuit's witness, and a witness on the other curve. */
    REQUIRE(chain_make(&other, assay_curve_get(ASSAY_BN254), 51, true));
    CHECK_STATUS(assay_groth16_prove_file(key, &proof, &publics, other.wtns, NULL, NULL), ASSAY_ERANGE);
    CHECK_STATUS(assay_groth16_check_witness(&report, k.r1cs, other.wtns, NULL, NULL, NULL), ASSAY_ERANGE);
    REQUIRE(chain_make(&other, assay_curve_get(ASSAY_BLS381), 50, true));
    CHECK_STATUS(assay_groth16_prove_file(key, &proof, &publics, other.wtns, NULL, NULL), ASSAY_ERANGE);
    CHECK(nothing_out(&proof, &publics));
    CHECK_STATUS(assay_groth16_prove_file(key, &proof, &publics, k.zkey, NULL, NULL), ASSAY_EFORMAT);
    CHECK_STATUS(assay_groth16_prove_file(key, &proof, &publics, NULL, NULL, NULL), ASSAY_EINVAL);
    assay_groth16_key_free(key);
}

/* ---- keys */

/* A key with one point of a section replaced by another point of the section: on the curve, and wrong. */
TEST(shifted_base)
{
    static const unsigned sections[] = {ASSAY_ZKEY_A, ASSAY_ZKEY_B1, ASSAY_ZKEY_B2, ASSAY_ZKEY_C, ASSAY_ZKEY_H};
    assay_buffer proof, publics, bytes;
    chain k;
    REQUIRE(chain_make(&k, assay_curve_get(ASSAY_BN254), 20, true));
    bytes = chain_read(k.zkey);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        assay_zkey z;
        REQUIRE_OK(assay_zkey_of(&z, "key", bytes.p, bytes.n, true, NULL));
        const size_t at = (size_t)assay_container_find(&z.file, sections[i])->at;
        const size_t each = assay_zkey_group(&z, sections[i])->affine_bytes;
        uint8_t *changed = assay_mem_alloc(bytes.n, 1);
        memcpy(changed, bytes.p, bytes.n);
        memcpy(changed + at + 5 * each, bytes.p + at + 6 * each, each);
        assay_zkey_close(&z);
        CHECK_OK(assay_file_write(k.zkey, changed, bytes.n, 0644, NULL));
        assay_mem_free(changed);
        for (int resident = 0; resident < 2; resident++) {
            assay_groth16_prove_options o = {.threads = 1, .r1cs = k.r1cs};
            assay_errinfo err = {0};
            assay_groth16_key *key = open_key(&k, resident);
            REQUIRE(key != NULL);
            CHECK_STATUS(assay_groth16_prove_file(key, &proof, &publics, k.wtns, &o, &err), ASSAY_EUNSATISFIED);
            CHECK(nothing_out(&proof, &publics) && strstr(err.reason, "the key is damaged") != NULL);
            assay_groth16_key_free(key);
        }
    }
    assay_buffer_free(&bytes);
}

/* Every byte of the sections that a proof reads, one after the other in large steps, changed: never a proof. */
TEST(damaged_key)
{
    assay_buffer proof, publics, bytes, vkey;
    chain k;
    size_t proofs = 0;
    REQUIRE(chain_make(&k, assay_curve_get(ASSAY_BN254), 6, true));
    bytes = chain_read(k.zkey);
    assay_groth16_key *key = open_key(&k, 0);
    REQUIRE(key != NULL);
    REQUIRE_OK(assay_groth16_export_vkey(key, &vkey, NULL));
    assay_groth16_key_free(key);
    for (size_t at = 0; at < bytes.n; at += 29) {
        assay_groth16_report report;
        bytes.p[at] ^= 1;
        CHECK_OK(assay_file_write(k.zkey, bytes.p, bytes.n, 0644, NULL));
        key = NULL;
        assay_status s = assay_groth16_key_open(&key, k.zkey, NULL, NULL);
        if (s == ASSAY_OK) s = assay_groth16_prove_file(key, &proof, &publics, k.wtns, &one_thread, NULL);
        if (s == ASSAY_OK) { /* the change was in what a proof does not need */
            CHECK_OK(assay_groth16_verify(&report, vkey.p, vkey.n, publics.p, publics.n, proof.p, proof.n, 0, NULL));
            CHECK(report.verdict == ASSAY_ACCEPT);
            assay_buffer_free(&proof);
            assay_buffer_free(&publics);
            proofs++;
        }
        CHECK(s == ASSAY_OK || s == ASSAY_EFORMAT || s == ASSAY_ERANGE || s == ASSAY_EUNSUPPORTED ||
              s == ASSAY_EUNSATISFIED);
        assay_groth16_key_free(key);
        bytes.p[at] ^= 1;
    }
    CHECK(proofs < bytes.n / 29 / 5); /* section 10, the mark, names of sections that nobody reads */
    assay_buffer_free(&bytes);
    assay_buffer_free(&vkey);
}

/* The file is cut while the key is open. */
TEST(cut_key)
{
    assay_buffer proof, publics;
    chain k;
    REQUIRE(chain_make(&k, assay_curve_get(ASSAY_BN254), 100, true));
    assay_groth16_key *key = open_key(&k, 0), *resident = open_key(&k, 1);
    REQUIRE(key && resident);
    REQUIRE(truncate(k.zkey, 9000) == 0);
    CHECK_STATUS(assay_groth16_prove_file(key, &proof, &publics, k.wtns, NULL, NULL), ASSAY_EFORMAT);
    CHECK(nothing_out(&proof, &publics));
    CHECK_OK(assay_groth16_prove_file(resident, &proof, &publics, k.wtns, NULL, NULL));
    assay_buffer_free(&proof);
    assay_buffer_free(&publics);
    assay_groth16_key_free(key);
    assay_groth16_key_free(resident);
}

/* Curves are the same whichever table they come from: a key that was opened while the processor seemed to have less. */
TEST(other_tables)
{
    for (int id = 0; id < ASSAY_CURVE_COUNT; id++) {
        assay_buffer proof, publics;
        chain k;
        REQUIRE(chain_make(&k, assay_curve_get((assay_curve_id)id), 5, true));
        assay_cpu_mask(0);
        assay_groth16_key *key = open_key(&k, 0);
        assay_cpu_mask(~0u);
        REQUIRE(key != NULL);
        REQUIRE_OK(assay_groth16_prove_file(key, &proof, &publics, k.wtns, &one_thread, NULL));
        CHECK(chain_verifies(key, &publics, &proof));
        assay_proof p;
        assay_publics v;
        const assay_curve *c = assay_curve_get((assay_curve_id)id);
        REQUIRE_OK(assay_proof_parse_json(&p, c, "proof", proof.p, proof.n, NULL));
        REQUIRE_OK(assay_publics_parse_json(&v, c, "values", publics.p, publics.n, NULL));
        CHECK(assay_groth16_fault(&key->vk, v.curve, v.v, v.n, &p) == NULL);
        assay_publics_clear(&v);
        assay_buffer_free(&proof);
        assay_buffer_free(&publics);
        assay_groth16_key_free(key);
    }
}

/* The mark goes with the verification key. */
TEST(marked_key)
{
    static const char member[] = "assay_development_key";
    assay_buffer proof, publics, vkey;
    assay_groth16_report report;
    chain k;
    REQUIRE(chain_make(&k, assay_curve_get(ASSAY_BN254), 3, true));
    assay_groth16_key *key = open_key(&k, 0);
    REQUIRE(key != NULL);
    REQUIRE_OK(assay_groth16_prove_file(key, &proof, &publics, k.wtns, &one_thread, NULL));
    REQUIRE_OK(assay_groth16_export_vkey(key, &vkey, NULL));
    CHECK_OK(assay_groth16_verify(&report, vkey.p, vkey.n, publics.p, publics.n, proof.p, proof.n, 0, NULL));
    CHECK(report.verdict == ASSAY_ACCEPT && report.development);
    for (size_t i = 0; i + sizeof member <= vkey.n; i++)
        if (memcmp(vkey.p + i, member, sizeof member - 1) == 0) vkey.p[i] = 'A'; /* a member that nobody knows */
    CHECK_OK(assay_groth16_verify(&report, vkey.p, vkey.n, publics.p, publics.n, proof.p, proof.n, 0, NULL));
    CHECK(report.verdict == ASSAY_ACCEPT && !report.development);
    assay_buffer_free(&proof);
    assay_buffer_free(&publics);
    assay_buffer_free(&vkey);
    assay_groth16_key_free(key);
}

TEST(no_second_phase)
{
    const assay_groth16_open_options allow = {.allow_development = 1};
    assay_buffer proof, publics, vkey;
    assay_groth16_report report;
    assay_groth16_key_info info;
    assay_groth16_key *key = NULL;
    chain k;
    REQUIRE(chain_make(&k, assay_curve_get(ASSAY_BN254), 10, true));
    REQUIRE(chain_key_without_phase_2(&k));
    CHECK_STATUS(assay_groth16_key_open(&key, k.zkey, NULL, NULL), ASSAY_EUNSUPPORTED);
    REQUIRE_OK(assay_groth16_key_open(&key, k.zkey, &allow, NULL));
    assay_groth16_key_describe(key, &info);
    CHECK(info.development && !info.marked);
    REQUIRE_OK(assay_groth16_prove_file(key, &proof, &publics, k.wtns, NULL, NULL));
    REQUIRE_OK(assay_groth16_export_vkey(key, &vkey, NULL));
    CHECK_OK(assay_groth16_verify(&report, vkey.p, vkey.n, publics.p, publics.n, proof.p, proof.n, 0, NULL));
    CHECK(report.verdict == ASSAY_REJECT && report.development);
    CHECK_OK(assay_groth16_verify(&report, vkey.p, vkey.n, publics.p, publics.n, proof.p, proof.n, 1, NULL));
    CHECK(report.verdict == ASSAY_ACCEPT && report.development);
    assay_buffer_free(&proof);
    assay_buffer_free(&publics);
    assay_buffer_free(&vkey);
    assay_groth16_key_free(key);
}

/* ---- memory */

TEST(memory)
{
    assay_groth16_prove_options o = {.threads = 1};
    assay_groth16_plan plan, tight;
    assay_buffer proof, publics;
    assay_errinfo err = {0};
    chain k;
    REQUIRE(chain_make(&k, assay_curve_get(ASSAY_BLS381), 3000, true));
    assay_groth16_key *key = open_key(&k, 0);
    REQUIRE(key != NULL);
    REQUIRE_OK(assay_groth16_plan_make(&plan, key, 0, 1, NULL));
    CHECK(plan.least > 0 && plan.least <= plan.peak && plan.n_stages > 4);
    CHECK_STATUS(assay_groth16_plan_make(&tight, key, plan.least - 1, 1, &err), ASSAY_ENOMEM);
    CHECK(err.has_ab == 2);
    CHECK_OK(assay_groth16_plan_make(&tight, key, plan.least, 1, NULL));
    CHECK(tight.peak <= plan.least);
    o.memory = plan.least - 1;
    CHECK_STATUS(assay_groth16_prove_file(key, &proof, &publics, k.wtns, &o, NULL), ASSAY_ENOMEM);
    CHECK(nothing_out(&proof, &publics));
    for (unsigned i = 0; i < 2;
         i++) { /* within the bound as the allocator counts it, and within the plan without one */
        o.memory = i == 0 ? plan.least : 0;
        assay_mem_peak_reset();
        const uint64_t before = assay_mem_peak();
        CHECK_OK(assay_groth16_prove_file(key, &proof, &publics, k.wtns, &o, NULL));
        const uint64_t taken = assay_mem_peak() - before, bound = i == 0 ? plan.least : plan.peak;
        if (!CHECK(taken <= bound + (1 << 20)))
            printf("    %llu of %llu\n", (unsigned long long)taken, (unsigned long long)bound);
        CHECK(chain_verifies(key, &publics, &proof));
        assay_buffer_free(&proof);
        assay_buffer_free(&publics);
    }
    assay_groth16_key_free(key);
}

/* A circuit of one constraint, n_terms <A, w> times <B, w> = <C, w> with B and C empty, which every witness satisfies;
 * the coefficients are all distinct. */
static bool wide_circuit(const char *path, const assay_curve *c, uint32_t n_wires, uint32_t n_terms)
{
    assay_r1cs wide = {.curve = c, .n_wires = n_wires, .n_outputs = 2, .n_constraints = 1, .n_labels = n_wires};
    assay_outfile *f = NULL;
    uint32_t start[] = {0, n_terms, n_terms, n_terms};
    wide.start = start;
    wide.wire = assay_mem_alloc(n_terms, sizeof *wide.wire);
    wide.value = assay_mem_alloc(n_terms, sizeof *wide.value);
    wide.values.v = assay_mem_alloc(n_terms, sizeof *wide.values.v);
    bool good = CHECK(wide.wire && wide.value && wide.values.v);
    for (uint32_t i = 0; good && i < n_terms; i++) {
        wide.value[i] = i;
        wide.values.v[i] = c->fr_from_u64(i + 1);
    }
    wide.values.n = wide.values.cap = n_terms;
    good = good && CHECK_OK(assay_outfile_open(&f, path, 0600, NULL)) &&
           CHECK_OK(assay_r1cs_write(&wide, f, NULL, NULL)) && CHECK_OK(assay_outfile_commit(f, NULL));
    wide.start = NULL;
    assay_r1cs_clear(&wide);
    return good;
}

/* The bound holds for the circuit too. */
TEST(memory_of_the_circuit)
{
    enum { TERMS = 200000, SLACK = 1 << 20 };
    const assay_curve *c = assay_curve_get(ASSAY_BN254);
    assay_groth16_prove_options o = {.threads = 1};
    assay_groth16_plan plan;
    assay_buffer proof, publics;
    assay_errinfo err = {0};
    assay_r1cs circuit;
    char path[600];
    chain k;
    REQUIRE(chain_make(&k, c, 50, true));
    assay_groth16_key *key = open_key(&k, 0);
    REQUIRE(key != NULL);
    REQUIRE_OK(assay_groth16_plan_make(&plan, key, 0, 1, NULL));
    (void)snprintf(path, sizeof path, "%s/wide.r1cs", assay_test_tmpdir());
    REQUIRE(wide_circuit(path, c, 52, TERMS));
    o.r1cs = path;
    o.memory = plan.least;
    CHECK_STATUS(assay_groth16_prove_file(key, &proof, &publics, k.wtns, &o, &err), ASSAY_ENOMEM);
    CHECK(nothing_out(&proof, &publics) && err.has_ab == 2 && err.a > err.b && strstr(err.reason, "circuit"));
    o.memory = plan.least - 1; /* of the proof: said before the circuit is read */
    o.r1cs = "/nowhere.r1cs";
    CHECK_STATUS(assay_groth16_prove_file(key, &proof, &publics, k.wtns, &o, NULL), ASSAY_ENOMEM);
    o.r1cs = path;
    /* What reading takes without a bound is just enough as one, and held. */
    assay_mem_peak_reset();
    uint64_t before = assay_mem_peak();
    REQUIRE_OK(assay_r1cs_read(&circuit, path, NULL, NULL));
    const uint64_t full = assay_mem_peak() - before;
    assay_r1cs_clear(&circuit);
    CHECK(full > TERMS * UINT64_C(40));
    CHECK_OK(assay_r1cs_read_within(&circuit, path, full + 1000, 1000, NULL, NULL));
    assay_r1cs_clear(&circuit);
    for (unsigned i = 1; i < 64; i++) { /* at whatever step it ends */
        const uint64_t bound = full / 64 * i;
        assay_mem_peak_reset();
        before = assay_mem_peak();
        if (assay_r1cs_read_within(&circuit, path, bound, 0, NULL, &err) == ASSAY_OK) assay_r1cs_clear(&circuit);
        CHECK(err.status == ASSAY_ENOMEM && assay_mem_peak() - before <= bound + SLACK);
    }
    for (unsigned i = 0; i < 2; i++) {
        o.memory = i == 0 ? plan.least + full : 0;
        REQUIRE_OK(assay_groth16_prove_file(key, &proof, &publics, k.wtns, &o, NULL));
        CHECK(chain_verifies(key, &publics, &proof));
        assay_buffer_free(&proof);
        assay_buffer_free(&publics);
    }
    assay_groth16_key_free(key);
}

/* ---- progress and cancellation */

typedef struct watch {
    unsigned calls, cancel_at;
    double last;
    bool backwards;
} watch;

static int count_call(void *ctx, const char *stage, double done)
{
    watch *w = ctx;
    CHECK(stage && stage[0] && done >= 0 && done <= 1.0000001);
    if (done < w->last - 1e-9) w->backwards = true;
    w->last = done;
    return ++w->calls == w->cancel_at;
}

TEST(cancel)
{
    assay_buffer proof, publics;
    chain k;
    REQUIRE(chain_make(&k, assay_curve_get(ASSAY_BN254), 40, true));
    assay_groth16_key *key = open_key(&k, 0);
    REQUIRE(key != NULL);
    unsigned calls = 0;
    for (unsigned at = 1;; at++) {
        watch w = {.cancel_at = at};
        assay_groth16_prove_options o = {.threads = 1, .r1cs = k.r1cs, .progress = {count_call, &w}};
        assay_status s = assay_groth16_prove_file(key, &proof, &publics, k.wtns, &o, NULL);
        CHECK(!w.backwards);
        if (s == ASSAY_OK) {
            assay_buffer_free(&proof);
            assay_buffer_free(&publics);
            break;
        }
        calls = at;
        if (!CHECK_STATUS(s, ASSAY_ECANCELED) || !CHECK(nothing_out(&proof, &publics))) break;
    }
    CHECK(calls >= 8); /* each stage asks */
    for (unsigned at = 1, s = ASSAY_ECANCELED; s == ASSAY_ECANCELED; at++) {
        watch w = {.cancel_at = at};
        const assay_groth16_circuit_options o = {.threads = 1, .progress = {count_call, &w}};
        char out[CHAIN_PATH + 8];
        (void)snprintf(out, sizeof out, "%s.new", k.zkey);
        s = assay_groth16_setup(k.r1cs, NULL, out, &o, NULL);
        CHECK(s == ASSAY_OK || (s == ASSAY_ECANCELED && access(out, F_OK) != 0));
        CHECK(!w.backwards);
    }
    assay_groth16_key_free(key);
}

/* ---- threads */

enum { THREADS = 4, ROUNDS = 2 };

typedef struct worker {
    const assay_groth16_key *key;
    const char *wtns;
    assay_buffer proof[ROUNDS], publics[ROUNDS];
    assay_status s[ROUNDS];
} worker;

static void *work(void *arg)
{
    const assay_groth16_prove_options o = {.threads = 2};
    worker *w = arg;
    for (unsigned i = 0; i < ROUNDS; i++)
        w->s[i] = assay_groth16_prove_file(w->key, &w->proof[i], &w->publics[i], w->wtns, &o, NULL);
    return NULL;
}

TEST(threads)
{
    chain k;
    REQUIRE(chain_make(&k, assay_curve_get(ASSAY_BN254), 200, true));
    for (int resident = 0; resident < 2; resident++) {
        assay_groth16_key *key = open_key(&k, resident);
        pthread_t thread[THREADS];
        worker w[THREADS];
        REQUIRE(key != NULL);
        memset(w, 0, sizeof w);
        for (unsigned i = 0; i < THREADS; i++) {
            w[i].key = key;
            w[i].wtns = k.wtns;
            REQUIRE(pthread_create(&thread[i], NULL, work, &w[i]) == 0);
        }
        for (unsigned i = 0; i < THREADS; i++) REQUIRE(pthread_join(thread[i], NULL) == 0);
        for (unsigned i = 0; i < THREADS; i++)
            for (unsigned r = 0; r < ROUNDS; r++) {
                CHECK_OK(w[i].s[r]);
                CHECK(chain_verifies(key, &w[i].publics[r], &w[i].proof[r]));
                if (i + r > 0) /* each with blinding of its own */
                    CHECK(w[i].proof[r].n != w[0].proof[0].n ||
                          memcmp(w[i].proof[r].p, w[0].proof[0].p, w[0].proof[0].n) != 0);
            }
        for (unsigned i = 0; i < THREADS; i++)
            for (unsigned r = 0; r < ROUNDS; r++) {
                assay_buffer_free(&w[i].proof[r]);
                assay_buffer_free(&w[i].publics[r]);
            }
        assay_groth16_key_free(key);
    }
}

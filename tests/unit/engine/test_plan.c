/* SPDX-License-Identifier: Apache-2.0 */
/* Plans against what they are made from: keys that are loaded, circuits that are read, proofs within bounds; and what
 * cannot be planned. What whole processes take: tests/daemon/test_peaks.c.
 * ctest: uses unit/groth16 */
#define _POSIX_C_SOURCE 200809L
#include "base/file.h"
#include "base/mem.h"
#include "curve/curve.h"
#include "engine/catalogue_impl.h"
#include "groth16/chain.h"
#include "groth16/distinct.h"
#include "groth16/r1cs.h"
#include "harness.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { N = 5000, THREADS = 2, MEBIBYTE = 1 << 20 };

/* A chain, its entry as a catalogue has it, and its witness. */
typedef struct place {
    chain k;
    assay_catalogue *c;
    assay_subject_entry e;
    assay_buffer wtns;
    assay_blob input;
} place;

static void fill_entry(place *p, bool circuit)
{
    memset(&p->e, 0, sizeof p->e);
    p->e.kind = ASSAY_JOB_GROTH16;
    (void)snprintf(p->e.name, sizeof p->e.name, "chain");
    (void)snprintf(p->e.path, sizeof p->e.path, "%s", p->k.zkey);
    if (circuit) (void)snprintf(p->e.r1cs, sizeof p->e.r1cs, "%s", p->k.r1cs);
    CHECK_OK(assay_file_stamp_read(&p->e.stamp, p->k.zkey, NULL));
}

static bool begin(place *p, const assay_curve *curve, uint32_t n)
{
    memset(p, 0, sizeof *p);
    if (!chain_make(&p->k, curve, n, true) || !CHECK_OK(assay_catalogue_new(&p->c, "", "", NULL))) return false;
    fill_entry(p, false);
    p->wtns = chain_read(p->k.wtns);
    p->input = (assay_blob){p->wtns.p, p->wtns.n};
    return true;
}

static void end(place *p)
{
    assay_buffer_free(&p->wtns);
    assay_catalogue_free(p->c);
}

static assay_status plan(const place *p, assay_job_plan *out, uint64_t room, assay_errinfo *err)
{
    return assay_job_plan_make(out, p->c, ASSAY_JOB_GROTH16, &p->e, &p->input, 1, THREADS, room, err);
}

/* ---- keys and circuits */

TEST(a_resident_key_takes_what_is_planned)
{
    const assay_curve *const curves[] = {assay_curve_get(ASSAY_BN254), assay_curve_get(ASSAY_BLS381)};
    for (size_t i = 0; i < 2; i++) {
        place p;
        assay_job_plan j;
        assay_groth16_key *key = NULL;
        assay_groth16_key_info info;
        const assay_groth16_open_options o = {.resident = 1, .threads = THREADS};
        REQUIRE(begin(&p, curves[i], N));
        REQUIRE_OK(plan(&p, &j, UINT64_MAX, NULL));
        assay_mem_peak_reset();
        const uint64_t before = assay_mem_peak();
        REQUIRE_OK(assay_groth16_key_open(&key, p.k.zkey, &o, NULL));
        const uint64_t loading = assay_mem_peak() - before;
        assay_mem_peak_reset();
        const uint64_t held = assay_mem_peak() - before;
        assay_groth16_key_describe(key, &info);
        printf("%s: planned %llu, held %llu; loading %llu, %llu\n", info.curve, (unsigned long long)j.key,
               (unsigned long long)held, (unsigned long long)(j.key + j.load), (unsigned long long)loading);
        const uint64_t own = j.key - ASSAY_PLAN_KEEPER;
        CHECK(held <= own + 4096 && held >= own / 100 * 98);
        CHECK(info.resident <= own && info.resident >= own / 100 * 97);
        CHECK(loading <= own + j.load && j.load <= own / 10 + 2 * MEBIBYTE);
        assay_groth16_key_free(key);
        end(&p);
    }
}

/* Distinct values beyond count, up to tables that grow: what base/mem counts while a circuit is read. */
static void put_terms(const char *path, uint32_t n, uint32_t distinct)
{
    const assay_curve *c = assay_curve_get(ASSAY_BN254);
    assay_r1cs r = {.curve = c, .n_wires = 3, .n_outputs = 1, .n_constraints = n, .n_labels = 3};
    assay_writer w;
    r.start = assay_mem_alloc(3 * (size_t)n + 1, sizeof *r.start);
    r.wire = assay_mem_alloc(n, sizeof *r.wire);
    r.value = assay_mem_alloc(n, sizeof *r.value);
    r.values.v = assay_mem_alloc(distinct, sizeof *r.values.v);
    r.values.n = distinct;
    for (uint32_t i = 0; i < distinct; i++) r.values.v[i] = c->fr_from_u64(i + 1);
    for (uint32_t i = 0; i < n; i++) {
        r.wire[i] = 1 + i % 2;
        r.value[i] = i % distinct;
        r.start[3 * i] = i;
        r.start[3 * i + 1] = r.start[3 * i + 2] = i + 1;
    }
    r.start[3 * n] = n;
    assay_writer_init(&w, 64 << 20);
    CHECK_OK(assay_r1cs_write(&r, NULL, &w, NULL));
    CHECK_OK(assay_file_write(path, w.p, w.n, 0644, NULL));
    assay_writer_clear(&w);
    assay_mem_free(r.start);
    assay_mem_free(r.wire);
    assay_mem_free(r.value);
    assay_mem_free(r.values.v);
}

TEST(a_circuit_takes_what_the_survey_says)
{
    static const struct {
        uint32_t n, distinct;
    } cases[] = {{1, 1},         {1000, 3},      {60000, 192}, {60000, 193},
                 {60000, 49152}, {60000, 50000}, {400000, 70}, {400000, 400000}};
    char path[512];
    (void)snprintf(path, sizeof path, "%s/terms.r1cs", assay_test_tmpdir());
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assay_r1cs_survey survey;
        assay_r1cs c;
        put_terms(path, cases[i].n, cases[i].distinct);
        REQUIRE_OK(assay_r1cs_survey_read(&survey, path, NULL));
        CHECK_EQ_U64(survey.n_terms, cases[i].n);
        CHECK_EQ_U64(survey.n_constraints, cases[i].n);
        CHECK(survey.n_wires == 3 && survey.n_public == 1 && survey.curve == assay_curve_get(ASSAY_BN254));
        if (cases[i].n <= ASSAY_DISTINCT_SAMPLE || cases[i].n == cases[i].distinct)
            CHECK_EQ_U64(survey.n_values, cases[i].distinct);
        else
            CHECK(survey.n_values >= cases[i].distinct && survey.n_values < 2 * cases[i].distinct);
        assay_mem_peak_reset();
        const uint64_t before = assay_mem_peak();
        REQUIRE_OK(assay_r1cs_read(&c, path, NULL, NULL));
        const uint64_t most = assay_mem_peak() - before;
        printf("%u terms, %u distinct: planned %llu, %llu\n", cases[i].n, cases[i].distinct,
               (unsigned long long)survey.most, (unsigned long long)most);
        CHECK(most <= survey.most && most >= survey.most / 100 * 85);
        assay_r1cs_clear(&c);
    }
}

TEST(estimates_of_distinct_values)
{
    assay_distinct d;
    assay_fr x = {{0}};
    REQUIRE_OK(assay_distinct_init(&d, "sample", NULL));
    CHECK_EQ_U64(assay_distinct_estimate(&d, 7), 0);
    for (uint64_t i = 0; i < 1000; i++) {
        x.l[i % 4] = i / 2; /* each limb counts */
        assay_distinct_add(&d, &x);
    }
    const uint64_t distinct = d.distinct;
    CHECK(distinct > 490 && distinct <= 1000);
    CHECK_EQ_U64(assay_distinct_estimate(&d, 1000), distinct);
    CHECK_EQ_U64(assay_distinct_estimate(&d, 3000), 3 * distinct);
    for (uint64_t i = 0; i < 2 * ASSAY_DISTINCT_SAMPLE; i++) { /* more than it takes */
        x.l[0] = i << 20;
        assay_distinct_add(&d, &x);
    }
    CHECK_EQ_U64(d.seen, ASSAY_DISTINCT_SAMPLE);
    CHECK_EQ_U64(d.distinct, distinct + ASSAY_DISTINCT_SAMPLE - 1000);
    assay_distinct_clear(&d);
}

/* ---- rooms */

static uint64_t sum(const assay_job_plan *j)
{
    return j->key + j->load + j->peak;
}

static bool consistent(const assay_job_plan *j)
{
    uint64_t most = j->synthesis > j->prove ? j->synthesis : j->prove;
    if (j->ready > most) most = j->ready;
    return CHECK_EQ_U64(j->peak, j->process + most) && CHECK(j->partitions == 1 && j->ready == (N + 2) * 32) &&
           CHECK(j->synthesis >= 2 * j->ready && j->prove >= j->ready);
}

/* Whether a proof is made within the bound of the plan, with the key as it is planned. */
static bool proves(const place *p, const assay_job_plan *j)
{
    const assay_groth16_open_options o = {.resident = j->key != 0, .threads = THREADS};
    const assay_groth16_prove_options po = {
        .threads = THREADS, .memory = j->prove_bytes, .r1cs = p->e.r1cs[0] ? p->e.r1cs : NULL};
    assay_groth16_key *key = NULL;
    assay_buffer proof, publics;
    if (!CHECK_OK(assay_groth16_key_open(&key, p->k.zkey, &o, NULL))) return false;
    assay_mem_peak_reset();
    const uint64_t before = assay_mem_peak();
    const bool done = CHECK_OK(assay_groth16_prove(key, &proof, &publics, p->wtns.p, p->wtns.n, &po, NULL));
    const uint64_t taken = assay_mem_peak() - before + p->wtns.n;
    CHECK(taken <= j->peak);
    if (done) {
        CHECK(chain_verifies(key, &publics, &proof));
        assay_buffer_free(&proof);
        assay_buffer_free(&publics);
    }
    assay_groth16_key_free(key);
    return done;
}

/* From all the room there is down to none: plans stay within it, go from a resident key to one in its file, and from
 * there to a refusal; and a proof can be made as each one says. */
static void walk_down(const place *p)
{
    assay_job_plan j, last;
    assay_errinfo err = {0};
    bool streamed = false, narrow_resident = false, narrow_streamed = false;
    REQUIRE_OK(plan(p, &last, UINT64_MAX, &err));
    CHECK(consistent(&last) && last.key && !last.prove_bytes);
    for (uint64_t room = sum(&last); room > 0; room -= room / 40 + 1) {
        err = (assay_errinfo){0};
        if (plan(p, &j, room, &err) != ASSAY_OK) break;
        if (!CHECK(consistent(&j) && sum(&j) <= room && j.least == last.least)) return;
        CHECK(!streamed || !j.key);
        const bool news = (j.key == 0) != streamed || (j.prove_bytes != 0) != (last.prove_bytes != 0);
        streamed = j.key == 0;
        narrow_resident = narrow_resident || (j.key && j.prove_bytes);
        narrow_streamed = narrow_streamed || (!j.key && j.prove_bytes);
        if (news && !proves(p, &j)) return;
        last = j;
    }
    CHECK(streamed && narrow_resident && narrow_streamed);
    CHECK(proves(p, &last)); /* the least that was planned */
    CHECK_STATUS(err.status, ASSAY_ENOMEM);
    CHECK_EQ_STR(err.subject, "chain");
    CHECK(err.has_ab == 2 && err.a > err.b && (uint64_t)err.b == (sum(&last) - sum(&last) / 40) / MEBIBYTE);
    /* The number that the refusal names is enough. */
    CHECK_OK(plan(p, &j, (uint64_t)err.a * MEBIBYTE, NULL));
}

TEST(plans_follow_the_room)
{
    place p;
    REQUIRE(begin(&p, assay_curve_get(ASSAY_BN254), N));
    walk_down(&p);
    fill_entry(&p, true);
    walk_down(&p);
    end(&p);
}

TEST(bounds_that_cannot_be_kept)
{
    place p;
    assay_groth16_capacity free, k;
    REQUIRE(begin(&p, assay_curve_get(ASSAY_BN254), N));
    REQUIRE_OK(assay_groth16_capacity_read(&free, p.k.zkey, THREADS, 0, 0, NULL));
    REQUIRE_OK(assay_groth16_capacity_read(&k, p.k.zkey, THREADS, 1, free.in_file.least, NULL));
    CHECK_EQ_U64(k.resident.peak, 0);
    CHECK_EQ_U64(k.resident.least, free.resident.least);
    CHECK(k.in_file.peak > 0 && k.in_file.peak <= free.in_file.least);
    REQUIRE_OK(assay_groth16_capacity_read(&k, p.k.zkey, THREADS, 0, free.in_file.least - 1, NULL));
    CHECK(k.in_file.peak == 0 && k.resident.peak == free.resident.peak);
    end(&p);
}

TEST(a_circuit_is_counted)
{
    place p;
    assay_job_plan without, with;
    REQUIRE(begin(&p, assay_curve_get(ASSAY_BN254), N));
    REQUIRE_OK(plan(&p, &without, UINT64_MAX, NULL));
    fill_entry(&p, true);
    REQUIRE_OK(plan(&p, &with, UINT64_MAX, NULL));
    CHECK(with.synthesis - without.synthesis >= N * (5 * 8 + 12));
    CHECK_EQ_U64(with.prove, without.prove);
    end(&p);
}

TEST(partitions_and_keys_alone)
{
    place p;
    assay_job_plan one, three, none;
    REQUIRE(begin(&p, assay_curve_get(ASSAY_BN254), N));
    const assay_blob inputs[] = {p.input, p.input, p.input};
    REQUIRE_OK(plan(&p, &one, UINT64_MAX, NULL));
    REQUIRE_OK(assay_job_plan_make(&three, p.c, ASSAY_JOB_GROTH16, &p.e, inputs, 3, THREADS, UINT64_MAX, NULL));
    CHECK_EQ_U64(three.partitions, 3);
    CHECK_EQ_U64(three.peak, one.peak);
    REQUIRE_OK(assay_job_plan_make(&none, p.c, ASSAY_JOB_GROTH16, &p.e, NULL, 0, THREADS, UINT64_MAX, NULL));
    CHECK_EQ_U64(none.partitions, 0);
    CHECK(none.key == one.key && none.load == one.load);
    end(&p);
}

/* ---- files that change, and inputs that are none */

TEST(what_was_read_is_kept_until_the_file_is_another)
{
    place p, q;
    assay_job_plan first, again;
    REQUIRE(begin(&p, assay_curve_get(ASSAY_BN254), N));
    REQUIRE_OK(plan(&p, &first, UINT64_MAX, NULL));
    REQUIRE(rename(p.k.zkey, p.k.bad) == 0); /* not read again: it could not be */
    REQUIRE_OK(plan(&p, &again, UINT64_MAX, NULL));
    CHECK(again.key == first.key && again.peak == first.peak);
    p.e.stamp.inode++;
    CHECK_STATUS(plan(&p, &again, UINT64_MAX, NULL), ASSAY_EIO);

    REQUIRE(begin(&q, assay_curve_get(ASSAY_BN254), 2 * N));
    REQUIRE(rename(q.k.zkey, p.k.zkey) == 0); /* another key under the name */
    assay_buffer_free(&p.wtns);
    p.wtns = chain_read(q.k.wtns);
    p.input = (assay_blob){p.wtns.p, p.wtns.n};
    p.e.stamp.inode--;
    CHECK_STATUS(plan(&p, &again, UINT64_MAX, NULL), ASSAY_ERANGE); /* of the old one, the witness is not */
    fill_entry(&p, false);
    REQUIRE_OK(plan(&p, &again, UINT64_MAX, NULL));
    CHECK(again.key - ASSAY_PLAN_KEEPER > (first.key - ASSAY_PLAN_KEEPER) / 2 * 3);
    end(&p);
    end(&q);
}

/* A key that takes the entry's place while it is looked at is not kept as the entry's. */
TEST(a_stale_entry_is_not_kept)
{
    place p, q;
    assay_job_plan j;
    REQUIRE(begin(&p, assay_curve_get(ASSAY_BN254), N));
    REQUIRE(begin(&q, assay_curve_get(ASSAY_BN254), 2 * N));
    REQUIRE(rename(q.k.zkey, p.k.zkey) == 0); /* p.e has the stamp of the one that was there */
    CHECK_STATUS(plan(&p, &j, UINT64_MAX, NULL), ASSAY_ERANGE);
    for (size_t i = 0; i < ASSAY_PLAN_FACTS; i++) CHECK_EQ_U64(p.c->facts[i].used, 0);
    end(&p);
    end(&q);
}

/* More circuits than are kept: the one that was not used for longest goes. */
TEST(the_oldest_is_forgotten)
{
    place p;
    assay_job_plan j;
    REQUIRE(begin(&p, assay_curve_get(ASSAY_BN254), 10));
    for (unsigned threads = 1; threads <= ASSAY_PLAN_FACTS + 5; threads++)
        REQUIRE_OK(assay_job_plan_make(&j, p.c, ASSAY_JOB_GROTH16, &p.e, &p.input, 1, threads, UINT64_MAX, NULL));
    REQUIRE(unlink(p.k.zkey) == 0);
    CHECK_OK(assay_job_plan_make(&j, p.c, ASSAY_JOB_GROTH16, &p.e, &p.input, 1, 6, UINT64_MAX, NULL));
    CHECK_STATUS(assay_job_plan_make(&j, p.c, ASSAY_JOB_GROTH16, &p.e, &p.input, 1, 5, UINT64_MAX, NULL), ASSAY_EIO);
    end(&p);
}

TEST(inputs_that_are_no_witness_of_this_circuit)
{
    place p, other, bls;
    assay_job_plan j;
    assay_errinfo err = {0};
    assay_blob many[ASSAY_JOB_PARTITIONS + 1];
    REQUIRE(begin(&p, assay_curve_get(ASSAY_BN254), N));
    REQUIRE(begin(&other, assay_curve_get(ASSAY_BN254), N + 1));
    REQUIRE(begin(&bls, assay_curve_get(ASSAY_BLS381), N));
    const assay_blob good = p.input;
    p.input = other.input;
    CHECK_STATUS(plan(&p, &j, UINT64_MAX, &err), ASSAY_ERANGE);
    CHECK(err.a == N + 3 && err.b == N + 2);
    p.input = bls.input;
    CHECK_STATUS(plan(&p, &j, UINT64_MAX, NULL), ASSAY_ERANGE);
    p.input = (assay_blob){good.p, good.n - 1};
    CHECK_STATUS(plan(&p, &j, UINT64_MAX, NULL), ASSAY_EFORMAT);
    p.input = (assay_blob){good.p, 0};
    CHECK_STATUS(plan(&p, &j, UINT64_MAX, NULL), ASSAY_EFORMAT);
    for (size_t i = 0; i <= ASSAY_JOB_PARTITIONS; i++) many[i] = good;
    CHECK_OK(assay_job_plan_make(&j, p.c, ASSAY_JOB_GROTH16, &p.e, many, ASSAY_JOB_PARTITIONS, 1, UINT64_MAX, NULL));
    CHECK_STATUS(
        assay_job_plan_make(&j, p.c, ASSAY_JOB_GROTH16, &p.e, many, ASSAY_JOB_PARTITIONS + 1, 1, UINT64_MAX, NULL),
        ASSAY_ERANGE);
    many[3] = other.input; /* each is looked at */
    CHECK_STATUS(assay_job_plan_make(&j, p.c, ASSAY_JOB_GROTH16, &p.e, many, 4, 1, UINT64_MAX, NULL), ASSAY_ERANGE);
    CHECK(j.partitions == 0 && j.peak == 0);
    CHECK_STATUS(assay_job_plan_make(&j, p.c, ASSAY_JOB_REPLY, &p.e, &good, 1, 1, UINT64_MAX, NULL), ASSAY_EINVAL);
    p.e.kind = ASSAY_JOB_SNAP;
    CHECK_STATUS(assay_job_plan_make(&j, p.c, ASSAY_JOB_SNAP, &p.e, &good, 1, 1, UINT64_MAX, NULL), ASSAY_EUNSUPPORTED);
    end(&p);
    end(&other);
    end(&bls);
}

TEST(a_circuit_that_is_not_the_key_s)
{
    place p, other;
    assay_job_plan j;
    assay_errinfo err = {0};
    REQUIRE(begin(&p, assay_curve_get(ASSAY_BN254), N));
    REQUIRE(begin(&other, assay_curve_get(ASSAY_BN254), N + 1));
    (void)snprintf(p.e.r1cs, sizeof p.e.r1cs, "%s", other.k.r1cs);
    CHECK_STATUS(plan(&p, &j, UINT64_MAX, &err), ASSAY_ERANGE);
    CHECK_EQ_STR(err.subject, other.k.r1cs);
    (void)snprintf(p.e.r1cs, sizeof p.e.r1cs, "%s.not", other.k.r1cs);
    CHECK_STATUS(plan(&p, &j, UINT64_MAX, NULL), ASSAY_EIO);
    (void)snprintf(p.e.r1cs, sizeof p.e.r1cs, "%s", p.k.wtns);
    CHECK_STATUS(plan(&p, &j, UINT64_MAX, NULL), ASSAY_EFORMAT);
    end(&p);
    end(&other);
}

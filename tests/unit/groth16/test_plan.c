/* SPDX-License-Identifier: Apache-2.0 */
/* ctest: labels nosan
 * Plans: bounds are kept, by as few parts as fit, and what a process takes is what its plan says, or up to 15 % less.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/file.h"
#include "base/mem.h"
#include "groth16/chain.h"
#include "groth16/prover.h"
#include "harness.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CONSTRAINTS = 132000, STEP = 256 << 10, THREADS = 2, KIBIBYTE = 1024 };

/* The most memory that this process has had, in bytes, from the system; 0: not known. */
static uint64_t high_water(void)
{
    char line[256];
    unsigned long long kib = 0;
    FILE *f = fopen("/proc/self/status", "r");
    if (!f) return 0;
    while (fgets(line, sizeof line, f) && sscanf(line, "VmHWM: %llu kB", &kib) != 1) continue;
    (void)fclose(f);
    return kib * KIBIBYTE;
}

/* ---- a process that makes one proof and nothing else: this program, called again */

enum { ARGUMENTS = 4 };
static const char *const variables[ARGUMENTS] = {"ONE_PROOF_KEY", "ONE_PROOF_WITNESS", "ONE_PROOF_MEMORY",
                                                 "ONE_PROOF_OUT"};

TEST(one_proof)
{
    const assay_groth16_open_options open = {.allow_development = 1};
    assay_groth16_prove_options o = {.threads = THREADS};
    assay_groth16_key *key = NULL;
    assay_buffer proof, publics;
    const char *given[ARGUMENTS];
    for (size_t i = 0; i < ARGUMENTS; i++) given[i] = getenv(variables[i]);
    chain k;
    if (!given[0]) {
        REQUIRE(chain_make(&k, assay_curve_get(ASSAY_BN254), 10, true));
        given[0] = k.zkey;
        given[1] = k.wtns;
    }
    assay_mem_return();
    if (given[2]) o.memory = strtoull(given[2], NULL, 10);
    REQUIRE_OK(assay_groth16_key_open(&key, given[0], &open, NULL));
    REQUIRE_OK(assay_groth16_prove_file(key, &proof, &publics, given[1], &o, NULL));
    const uint64_t taken = high_water();
    CHECK(taken > 0);
    if (given[3]) CHECK_OK(assay_file_write(given[3], &taken, sizeof taken, 0600, NULL));
    assay_buffer_free(&proof);
    assay_buffer_free(&publics);
    assay_groth16_key_free(key);
}

static void prove_alone(const char *zkey, const char *wtns, uint64_t memory, const char *out)
{
    char bytes[32], self[] = "/proc/self/exe", run[] = "--run", name[] = "one_proof";
    char *const args[] = {self, run, name, NULL};
    (void)snprintf(bytes, sizeof bytes, "%llu", (unsigned long long)memory);
    const char *const values[ARGUMENTS] = {zkey, wtns, bytes, out};
    for (size_t i = 0; i < ARGUMENTS; i++)
        if (setenv(variables[i], values[i], 1) != 0) _exit(1);
    (void)execv(self, args);
    _exit(1);
}

/* Its high water. */
static uint64_t measure(const char *zkey, const char *wtns, uint64_t memory)
{
    char out[CHAIN_PATH + 8];
    uint64_t taken = 0;
    int status = 1;
    (void)snprintf(out, sizeof out, "%s.taken", zkey);
    const pid_t child = fork();
    if (child == 0) prove_alone(zkey, wtns, memory, out);
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assay_buffer file = chain_read(out);
    if (CHECK_EQ_U64(file.n, sizeof taken)) memcpy(&taken, file.p, sizeof taken);
    assay_buffer_free(&file);
    return taken;
}

static void as_planned(const char *zkey, const char *wtns, uint64_t memory, const assay_groth16_plan *plan)
{
    const uint64_t taken = measure(zkey, wtns, memory);
    if (!CHECK(taken <= plan->peak) || !CHECK(taken >= plan->peak - plan->peak * 15 / 100))
        printf("    %llu of %llu\n", (unsigned long long)taken, (unsigned long long)plan->peak);
}

/* ---- */

/* The witness is full width, so nothing is packed. */
TEST(bounds)
{
    assay_groth16_plan plan, usual;
    assay_groth16_pieces pieces;
    assay_group_backend be;
    assay_pool *pool;
    chain k;
    uint64_t lowest[ASSAY_GROTH16_LOG_PARTS + 1] = {0};
    REQUIRE(chain_make(&k, assay_curve_get(ASSAY_BN254), CONSTRAINTS, true));
    assay_groth16_key *key = NULL;
    REQUIRE_OK(assay_groth16_key_open(&key, k.zkey, NULL, NULL));
    REQUIRE_OK(assay_pool_new(&pool, THREADS, NULL));
    assay_group_backend_cpu_init(&be, pool);
    REQUIRE_OK(assay_groth16_plan_pieces(&usual, &pieces, key, &be, 0, NULL, NULL));
    CHECK_EQ_U64(pieces.log_parts, 0);
    as_planned(k.zkey, k.wtns, 0, &usual);
    unsigned last = 0;
    for (uint64_t memory = usual.peak; memory >= usual.least; memory -= STEP) {
        REQUIRE_OK(assay_groth16_plan_pieces(&plan, &pieces, key, &be, memory, NULL, NULL));
        CHECK(plan.peak <= memory && plan.least == usual.least && pieces.log_parts >= last && !pieces.packed);
        last = pieces.log_parts;
        lowest[last] = memory;
    }
    CHECK_EQ_U64(last, ASSAY_GROTH16_LOG_PARTS);
    for (unsigned i = 0; i <= last; i++) {
        REQUIRE(lowest[i] > 0);
        REQUIRE_OK(assay_groth16_plan_pieces(&plan, &pieces, key, &be, lowest[i], NULL, NULL));
        as_planned(k.zkey, k.wtns, lowest[i], &plan);
    }
    assay_groth16_key_free(key);
    assay_pool_free(pool);
}

/* ---- a witness of small values */

/* x_(i+1) = x_i x_i with all of them 1, and a witness of its size that is full width. */
static bool make_ones(char zkey[CHAIN_PATH], char wtns[CHAIN_PATH], char wide[CHAIN_PATH], uint32_t n)
{
    enum { MOST = 64 << 20 };
    const assay_curve *c = assay_curve_get(ASSAY_BN254);
    assay_fr one = c->fr_from_u64(1);
    char path[CHAIN_PATH];
    assay_r1cs r = {.curve = c,
                    .n_wires = n + 2,
                    .n_private = 1,
                    .n_constraints = n,
                    .n_labels = n + 2,
                    .start = assay_mem_alloc(3 * (size_t)n + 1, sizeof(uint32_t)),
                    .wire = assay_mem_alloc(3 * (size_t)n, sizeof(uint32_t)),
                    .value = assay_mem_alloc(3 * (size_t)n, sizeof(uint32_t)),
                    .values = {.v = &one, .n = 1}};
    assay_wtns w = {.curve = c, .n = n + 2, .w = assay_mem_alloc((size_t)n + 2, sizeof(assay_scalar))};
    assay_writer file;
    for (uint32_t i = 0; i < 3 * n; i++) {
        r.start[i] = i;
        r.wire[i] = 1 + i / 3 + (i % 3 == 2);
    }
    r.start[3 * (size_t)n] = 3 * n;
    (void)snprintf(path, sizeof path, "%s/ones.r1cs", assay_test_tmpdir());
    (void)snprintf(zkey, CHAIN_PATH, "%s/ones.zkey", assay_test_tmpdir());
    assay_writer_init(&file, MOST);
    bool done = CHECK_OK(assay_r1cs_write(&r, NULL, &file, NULL)) &&
                CHECK_OK(assay_file_write(path, file.p, file.n, 0600, NULL)) &&
                CHECK_OK(assay_groth16_setup(path, NULL, zkey, NULL, NULL));
    assay_writer_clear(&file);
    for (unsigned i = 0; done && i < 2; i++) {
        char *to = i ? wide : wtns;
        (void)snprintf(to, CHAIN_PATH, "%s/ones%u.wtns", assay_test_tmpdir(), i);
        for (uint32_t k = 0; k < w.n; k++) memcpy(w.w[k], (assay_scalar){1, 0, 0, k && i ? 7 : 0}, sizeof *w.w);
        assay_writer_init(&file, MOST);
        done = CHECK_OK(assay_wtns_write(&w, NULL, &file, NULL)) &&
               CHECK_OK(assay_file_write(to, file.p, file.n, 0600, NULL));
        assay_writer_clear(&file);
    }
    assay_mem_free(r.start);
    assay_mem_free(r.wire);
    assay_mem_free(r.value);
    assay_mem_free(w.w);
    return done;
}

TEST(packed)
{
    char zkey[CHAIN_PATH], path[CHAIN_PATH], path_wide[CHAIN_PATH];
    assay_groth16_plan plan, any;
    assay_groth16_pieces pieces;
    assay_group_backend be;
    assay_pool *pool;
    assay_groth16_key *key = NULL;
    assay_wtns w, wide;
    REQUIRE(make_ones(zkey, path, path_wide, CONSTRAINTS));
    REQUIRE_OK(assay_groth16_key_open(&key, zkey, NULL, NULL));
    REQUIRE_OK(assay_wtns_read(&w, path, NULL));
    REQUIRE_OK(assay_wtns_read(&wide, path_wide, NULL));
    REQUIRE_OK(assay_pool_new(&pool, THREADS, NULL));
    assay_group_backend_cpu_init(&be, pool);
    /* Without a bound nothing is packed; with one, the witness counts as it will stand. */
    REQUIRE_OK(assay_groth16_plan_pieces(&any, &pieces, key, &be, 0, &w, NULL));
    CHECK(!pieces.packed && pieces.log_parts == 0);
    CHECK_STATUS(assay_groth16_plan_pieces(&plan, &pieces, key, &be, 1, &w, NULL), ASSAY_ENOMEM);
    const uint64_t least = plan.least;
    CHECK(least < any.least);
    CHECK_STATUS(assay_groth16_plan_pieces(&plan, &pieces, key, &be, least, NULL, NULL), ASSAY_ENOMEM);
    CHECK_EQ_U64(plan.least, any.least);
    CHECK_STATUS(assay_groth16_plan_pieces(&plan, &pieces, key, &be, least, &wide, NULL), ASSAY_ENOMEM);
    CHECK_EQ_U64(plan.least, any.least);
    unsigned last = ASSAY_GROTH16_LOG_PARTS;
    for (uint64_t memory = least; memory <= any.least + STEP; memory += STEP) {
        REQUIRE_OK(assay_groth16_plan_pieces(&plan, &pieces, key, &be, memory, &w, NULL));
        CHECK(pieces.packed == (pieces.log_parts > 0) && pieces.log_parts <= last && plan.peak <= memory);
        if (memory == least || pieces.log_parts < last) CHECK(measure(zkey, path, memory) <= plan.peak);
        last = pieces.log_parts;
    }
    CHECK(last <= 1); /* where any witness would take eight parts */
    assay_wtns_clear(&w);
    assay_wtns_clear(&wide);
    assay_groth16_key_free(key);
    assay_pool_free(pool);
}

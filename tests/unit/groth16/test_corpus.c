/* SPDX-License-Identifier: Apache-2.0 */
/* The starting inputs of the fuzz targets of Groth16 are the small files that small_files.c makes, of today's formats.
 *     ASSAY_WRITE_CORPUS=1 build/tests/unit_groth16_corpus      writes them anew */
#include "base/dir.h"
#include "base/file.h"
#include "base/mem.h"
#include "groth16/bellman.h"
#include "groth16/json.h"
#include "groth16/small_files.h"
#include "harness.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 1024, MAX_BYTES = 1 << 20 };

/* Compares, or writes, and clears the writer. */
static void settle(const char *target, const char *name, assay_writer *w)
{
    char path[PATH];
    uint8_t *p = NULL;
    size_t n = 0;
    CHECK(!w->bad);
    (void)snprintf(path, sizeof path, "%s/fuzz/corpus/%s", assay_test_source_dir(), target);
    if (getenv("ASSAY_WRITE_CORPUS")) {
        CHECK_OK(assay_dir_make(path, 0755, true, NULL));
        (void)snprintf(path, sizeof path, "%s/fuzz/corpus/%s/%s", assay_test_source_dir(), target, name);
        CHECK_OK(assay_file_write(path, w->p, w->n, 0644, NULL));
    }
    (void)snprintf(path, sizeof path, "%s/fuzz/corpus/%s/%s", assay_test_source_dir(), target, name);
    if (CHECK_OK(assay_file_read(path, MAX_BYTES, &p, &n, NULL)) && CHECK_EQ_U64(n, w->n)) CHECK_EQ_MEM(p, w->p, n);
    assay_mem_free_secret(p, n);
    assay_writer_clear(w);
}

static void settle_text(const char *target, const char *name, const char *text)
{
    assay_writer w;
    assay_writer_init(&w, MAX_BYTES);
    assay_write_bytes(&w, text, strlen(text));
    settle(target, name, &w);
}

TEST(binary_files)
{
    for (int i = 0; i < ASSAY_CURVE_COUNT; i++) {
        const assay_curve *c = assay_curve_get((assay_curve_id)i);
        assay_writer w;
        small_r1cs(&w, c);
        settle("r1cs", c->name, &w);
        small_wtns(&w, c);
        settle("wtns", c->name, &w);
        small_zkey(&w, c, false);
        settle("zkey", c->name, &w);
        small_ptau(&w, c, true);
        settle("ptau", c->name, &w);
    }
    assay_writer w;
    small_zkey(&w, assay_curve_get(ASSAY_BN254), true);
    settle("zkey", "development", &w);
    small_ptau(&w, assay_curve_get(ASSAY_BN254), false);
    settle("ptau", "not_prepared", &w);
}

TEST(texts)
{
    for (int i = 0; i < ASSAY_CURVE_COUNT; i++) {
        const assay_curve *c = assay_curve_get((assay_curve_id)i);
        assay_scalar values[] = {{231}, {7}};
        assay_publics publics = {c, 2, values};
        char name[32];
        assay_writer w;
        assay_vk vk;
        assay_proof proof;
        small_vk(&vk, c);
        assay_writer_init(&w, MAX_BYTES);
        assay_vk_json(&w, &vk);
        assay_vk_clear(&vk);
        (void)snprintf(name, sizeof name, "vk_%s", c->name);
        settle("groth16_json", name, &w);
        small_proof(&proof, c);
        assay_writer_init(&w, MAX_BYTES);
        assay_proof_json(&w, &proof);
        (void)snprintf(name, sizeof name, "proof_%s", c->name);
        settle("groth16_json", name, &w);
        assay_writer_init(&w, MAX_BYTES);
        assay_publics_json(&w, &publics);
        settle("groth16_json", "public", &w);
    }
    settle_text("groth16_json", "no_public", "[]");
    settle_text("symbols", "small", "1,1,0,main.out\n2,2,0,main.a\n3,-1,0,main.gone\n4,3,1,main.c[2].b\n");
}

TEST(bellman)
{
    assay_writer w;
    assay_proof proof;
    uint8_t bytes[ASSAY_BELLMAN_PROOF_BYTES];
    small_proof(&proof, assay_curve_get(ASSAY_BLS381));
    assay_bellman_proof_encode(bytes, &proof);
    assay_writer_init(&w, MAX_BYTES);
    assay_write_bytes(&w, bytes, sizeof bytes);
    settle("bellman", "proof", &w);
    small_bellman_vk(&w);
    settle("bellman", "vk", &w);
    small_bellman_params(&w);
    settle("bellman", "params", &w);
}

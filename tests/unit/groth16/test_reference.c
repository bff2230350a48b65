/* SPDX-License-Identifier: Apache-2.0 */
/* Keys from a known trapdoor and proofs with known blinding equal, byte for byte, those of the reference in plain
 * Python (tests/vectors/make_groth16_vectors.py). */
#include "base/bytes.h"
#include "base/mem.h"
#include "groth16/prover.h"
#include "groth16/setup.h"
#include "vectors/vector_file.h"
#include <stdio.h>
#include <string.h>

enum { FILE_BYTES = 8192, CASES = 10, SECTIONS = 9, WRITTEN = 11, PATH_BYTES = 1024 };

typedef struct reference {
    char name[64];
    const assay_curve *curve;
    uint8_t r1cs[FILE_BYTES], wtns[FILE_BYTES];
    size_t n_r1cs, n_wtns;
    assay_groth16_trapdoor trapdoor;
    uint8_t section[SECTIONS + 1][FILE_BYTES];
    size_t n_section[SECTIONS + 1];
    assay_groth16_blinding blinding;
    uint8_t proof[3][ASSAY_AFFINE_MAX_BYTES];
} reference;

static assay_fr field_of(vector_file *v, const assay_curve *c)
{
    uint8_t bytes[ASSAY_FR_BYTES];
    assay_fr x;
    CHECK_EQ_U64(vector_bytes(v, bytes, sizeof bytes), sizeof bytes);
    CHECK(c->fr_from_bytes(&x, bytes, false));
    return x;
}

/* The lines of one case; false at the end of the file. */
static bool next_case(reference *t, vector_file *v)
{
    const char *word;
    memset(t, 0, sizeof *t);
    while ((word = vector_line(v, ""))) {
        if (strcmp(word, "end") == 0) return true;
        if (strcmp(word, "case") == 0) {
            (void)snprintf(t->name, sizeof t->name, "%s", vector_field(v));
            t->curve = assay_curve_by_name(vector_field(v));
            if (!CHECK(t->curve != NULL)) return false;
        } else if (strcmp(word, "r1cs") == 0) {
            t->n_r1cs = vector_bytes(v, t->r1cs, sizeof t->r1cs);
        } else if (strcmp(word, "wtns") == 0) {
            t->n_wtns = vector_bytes(v, t->wtns, sizeof t->wtns);
        } else if (strcmp(word, "trapdoor") == 0) {
            t->trapdoor.tau = field_of(v, t->curve);
            t->trapdoor.alpha = field_of(v, t->curve);
            t->trapdoor.beta = field_of(v, t->curve);
            t->trapdoor.gamma = field_of(v, t->curve);
            t->trapdoor.delta = field_of(v, t->curve);
        } else if (strcmp(word, "section") == 0) {
            const uint64_t id = vector_u64(v);
            if (!CHECK(id <= SECTIONS)) return false;
            t->n_section[id] = vector_bytes(v, t->section[id], sizeof t->section[id]);
        } else if (strcmp(word, "blinding") == 0) {
            t->curve->fr_to_limbs(t->blinding.r, field_of(v, t->curve));
            t->curve->fr_to_limbs(t->blinding.s, field_of(v, t->curve));
        } else if (strcmp(word, "proof") == 0) {
            for (size_t i = 0; i < 3; i++) (void)vector_bytes(v, t->proof[i], sizeof t->proof[i]);
        }
    }
    return false;
}

static void compare_sections(const reference *t, const assay_writer *key)
{
    assay_container file;
    REQUIRE_OK(assay_container_of(&file, "key", key->p, key->n, "zkey", 1, NULL));
    for (uint32_t id = 1; id <= SECTIONS; id++) {
        const assay_section *s = assay_container_find(&file, id);
        if (!CHECK(s != NULL) || !CHECK_EQ_U64(s->n, t->n_section[id]) ||
            (s->n > 0 && !CHECK_EQ_MEM(key->p + s->at, t->section[id], s->n)))
            printf("%s on %s: section %u\n", t->name, t->curve->title, id);
    }
    assay_container_close(&file);
}

static void compare_proof(const reference *t, const assay_writer *key, const assay_group_backend *be)
{
    static const assay_group_id group[3] = {ASSAY_G1, ASSAY_G2, ASSAY_G1};
    char path[PATH_BYTES];
    assay_groth16_key *k = NULL;
    assay_wtns w;
    assay_proof proof;
    assay_errinfo err = {0};
    (void)snprintf(path, sizeof path, "%s/reference.zkey", assay_test_tmpdir());
    FILE *f = fopen(path, "wb");
    REQUIRE(f != NULL);
    CHECK_EQ_U64(fwrite(key->p, 1, key->n, f), key->n);
    CHECK(fclose(f) == 0);
    REQUIRE_OK(assay_groth16_key_open(&k, path, NULL, &err));
    if (CHECK_OK(assay_wtns_parse(&w, "witness", t->wtns, t->n_wtns, &err)) &&
        CHECK_OK(assay_groth16_prove_with(&proof, k, &w, be, &t->blinding, false, 0, NULL, &err))) {
        const void *point[3] = {&proof.a, &proof.b, &proof.c};
        for (size_t i = 0; i < 3; i++) {
            const assay_group *g = assay_curve_group(t->curve, group[i]);
            uint8_t bytes[ASSAY_AFFINE_MAX_BYTES];
            g->to_lem(bytes, point[i]);
            if (!CHECK_EQ_MEM(bytes, t->proof[i], g->affine_bytes))
                printf("%s on %s: point %zu of the proof\n", t->name, t->curve->title, i);
        }
    } else {
        printf("%s: %s: %s\n", t->name, err.subject, err.reason);
    }
    assay_groth16_key_free(k);
}

static void compare_case(const reference *t, unsigned threads)
{
    assay_pool *pool = NULL;
    assay_group_backend be;
    assay_r1cs circuit;
    assay_writer key;
    assay_container_writer w;
    assay_errinfo err = {0};
    REQUIRE_OK(assay_pool_new(&pool, threads, &err));
    assay_group_backend_cpu_init(&be, pool);
    REQUIRE_OK(assay_r1cs_parse(&circuit, "circuit", t->r1cs, t->n_r1cs, &err));
    assay_writer_init(&key, 1 << 20);
    REQUIRE_OK(assay_container_write(&w, NULL, &key, "zkey", 1, WRITTEN, &err));
    if (CHECK_OK(assay_groth16_setup_with(&w, &circuit, "circuit", &t->trapdoor, &be, NULL, &err)) &&
        CHECK_OK(assay_container_finish(&w, &err))) {
        compare_sections(t, &key);
        compare_proof(t, &key, &be);
    } else {
        printf("%s: %s: %s\n", t->name, err.subject, err.reason);
    }
    assay_container_writer_clear(&w);
    assay_writer_clear(&key);
    assay_r1cs_clear(&circuit);
    assay_pool_free(pool);
}

TEST(keys_and_proofs)
{
    vector_file v;
    reference *t = NULL;
    unsigned n = 0;
    REQUIRE(vector_open(&v, "groth16_vectors.txt"));
    t = assay_mem_alloc(1, sizeof *t);
    REQUIRE(t != NULL);
    while (next_case(t, &v)) compare_case(t, ++n % 2 + 1);
    CHECK_EQ_U64(n, CASES);
    vector_close(&v, CASES);
    assay_mem_free(t);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Circuits for tests. */
#include "groth16/chain.h"
#include "base/bytes.h"
#include "base/file.h"
#include "base/mem.h"
#include "groth16/wtns.h"
#include "harness.h"
#include <stdio.h>
#include <string.h>

enum { MAX_FILE = 64 << 20, TERMS = 5 };

/* Wires: 1, then x_n, x_0 when they are public, and the others in order. */
static uint32_t wire_of(const chain *k, uint32_t i)
{
    if (!k->shown) return 1 + i;
    return i == k->n ? 1 : i == 0 ? 2 : 2 + i;
}

static assay_fr next(const assay_curve *c, assay_fr x)
{
    const assay_fr one = c->fr_from_u64(1), three = c->fr_from_u64(3);
    return c->fr_mul(c->fr_add(c->fr_add(x, x), three), c->fr_sub(x, one));
}

static void fill_row(const chain *k, assay_r1cs *r, uint32_t i)
{
    enum { ONE, TWO, THREE, MINUS_ONE };
    const uint32_t x = wire_of(k, i);
    const struct {
        uint32_t wire, value;
    } term[TERMS] = {{0, THREE}, {x, TWO}, {0, MINUS_ONE}, {x, ONE}, {wire_of(k, i + 1), ONE}};
    for (uint32_t t = 0; t < TERMS; t++) {
        r->wire[TERMS * i + t] = term[t].wire;
        r->value[TERMS * i + t] = term[t].value;
    }
    r->start[3 * i] = TERMS * i;
    r->start[3 * i + 1] = TERMS * i + 2;
    r->start[3 * i + 2] = TERMS * i + 4;
}

static bool put_file(const char *path, assay_writer *w)
{
    const bool done = CHECK(!w->bad) && CHECK_OK(assay_file_write(path, w->p, w->n, 0644, NULL));
    assay_writer_clear(w);
    return done;
}

static bool write_circuit(const chain *k)
{
    const assay_curve *c = k->curve;
    assay_fr values[] = {c->fr_from_u64(1), c->fr_from_u64(2), c->fr_from_u64(3), c->fr_from_u64(0)};
    values[3] = c->fr_sub(values[3], values[0]);
    assay_r1cs r = {.curve = c,
                    .n_wires = k->n + 2,
                    .n_outputs = k->shown,
                    .n_inputs = k->shown,
                    .n_private = k->shown ? 0 : 1,
                    .n_constraints = k->n,
                    .n_labels = k->n + 2,
                    .start = assay_mem_alloc(3 * (size_t)k->n + 1, sizeof(uint32_t)),
                    .wire = assay_mem_alloc((size_t)TERMS * k->n, sizeof(uint32_t)),
                    .value = assay_mem_alloc((size_t)TERMS * k->n, sizeof(uint32_t)),
                    .values = {.v = values, .n = 4}};
    assay_writer w;
    for (uint32_t i = 0; i < k->n; i++) fill_row(k, &r, i);
    r.start[3 * k->n] = TERMS * k->n;
    assay_writer_init(&w, MAX_FILE);
    CHECK_OK(assay_r1cs_write(&r, NULL, &w, NULL));
    assay_mem_free(r.start);
    assay_mem_free(r.wire);
    assay_mem_free(r.value);
    return put_file(k->r1cs, &w);
}

static bool write_names(const chain *k)
{
    assay_writer w;
    assay_writer_init(&w, MAX_FILE);
    for (uint32_t i = 0; i <= k->n; i++) {
        char line[64];
        const int n =
            snprintf(line, sizeof line, "%u,%u,0,main.x[%u]\n", (unsigned)i + 1, (unsigned)wire_of(k, i), (unsigned)i);
        assay_write_bytes(&w, line, (size_t)n);
    }
    return put_file(k->sym, &w);
}

/* broken: one private value is another one. */
static bool write_witness(chain *k, bool broken)
{
    const assay_curve *c = k->curve;
    assay_wtns t = {.curve = c, .n = k->n + 2, .w = assay_mem_alloc((size_t)k->n + 2, sizeof(assay_scalar))};
    assay_fr x = c->fr_from_u64(1234567);
    assay_writer w;
    x = c->fr_inv(x);
    t.w[0][0] = 1;
    for (uint32_t i = 0; i <= k->n; i++, x = next(c, x)) c->fr_to_limbs(t.w[wire_of(k, i)], x);
    if (broken) {
        const uint32_t i = k->n / 2 + 1; /* x_1 of a single constraint, which is then public if anything is */
        t.w[wire_of(k, i)][0] ^= 1;
        k->broken = i - 1;
        (void)snprintf(k->culprit, sizeof k->culprit, "main.x[%u]", (unsigned)i);
    }
    assay_writer_init(&w, MAX_FILE);
    CHECK_OK(assay_wtns_write(&t, NULL, &w, NULL));
    assay_mem_free(t.w);
    return put_file(broken ? k->bad : k->wtns, &w);
}

bool chain_make(chain *k, const assay_curve *c, uint32_t n, bool shown)
{
    static unsigned number;
    const char *tmp = assay_test_tmpdir();
    const unsigned now = number++;
    memset(k, 0, sizeof *k);
    k->curve = c;
    k->n = n;
    k->shown = shown;
    (void)snprintf(k->r1cs, sizeof k->r1cs, "%s/%u.r1cs", tmp, now);
    (void)snprintf(k->wtns, sizeof k->wtns, "%s/%u.wtns", tmp, now);
    (void)snprintf(k->bad, sizeof k->bad, "%s/%u.bad.wtns", tmp, now);
    (void)snprintf(k->zkey, sizeof k->zkey, "%s/%u.zkey", tmp, now);
    (void)snprintf(k->sym, sizeof k->sym, "%s/%u.sym", tmp, now);
    return write_circuit(k) && write_names(k) && write_witness(k, false) && write_witness(k, true) &&
           CHECK_OK(assay_groth16_setup(k->r1cs, NULL, k->zkey, NULL, NULL));
}

bool chain_key_without_phase_2(const chain *k)
{
    enum { SECTIONS = 11, COUNT_AT = 8 };
    assay_group_backend be;
    assay_groth16_trapdoor t;
    assay_container_writer w;
    assay_writer bytes;
    assay_r1cs c;
    assay_group_backend_cpu_init(&be, NULL);
    if (!CHECK_OK(assay_r1cs_read(&c, k->r1cs, NULL, NULL))) return false;
    CHECK_OK(assay_groth16_trapdoor_draw(&t, k->curve, 10, NULL));
    t.gamma = t.delta;
    assay_writer_init(&bytes, MAX_FILE);
    CHECK_OK(assay_container_write(&w, NULL, &bytes, "zkey", 1, SECTIONS, NULL));
    CHECK_OK(assay_groth16_setup_with(&w, &c, "circuit", &t, &be, NULL, NULL));
    CHECK_OK(assay_container_finish(&w, NULL));
    assay_container_writer_clear(&w);
    assay_r1cs_clear(&c);
    /* The mark is the last section: it goes. */
    assay_container file;
    if (!CHECK_OK(assay_container_of(&file, "key", bytes.p, bytes.n, "zkey", 1, NULL))) return false;
    const assay_section *mark = assay_container_find(&file, ASSAY_ZKEY_DEVELOPMENT);
    if (!CHECK(mark != NULL)) return false;
    bytes.n = (size_t)mark->at - 12;
    assay_container_close(&file);
    assay_store_u32(bytes.p + COUNT_AT, SECTIONS - 1);
    return put_file(k->zkey, &bytes);
}

assay_buffer chain_read(const char *path)
{
    assay_buffer b = {NULL, 0};
    CHECK_OK(assay_file_read(path, MAX_FILE, &b.p, &b.n, NULL));
    return b;
}

bool chain_verifies(const assay_groth16_key *key, const assay_buffer *publics, const assay_buffer *proof)
{
    assay_buffer vkey;
    assay_groth16_report report;
    if (!CHECK_OK(assay_groth16_export_vkey(key, &vkey, NULL))) return false;
    CHECK_OK(assay_groth16_verify(&report, vkey.p, vkey.n, publics->p, publics->n, proof->p, proof->n, 1, NULL));
    assay_buffer_free(&vkey);
    return report.verdict == ASSAY_ACCEPT;
}

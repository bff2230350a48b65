/* SPDX-License-Identifier: Apache-2.0 */
/* Section 4 of a .zkey: the coefficients of A and B, in pieces or as matrices by rows. */
#include "base/large_pages.h"
#include "base/mem.h"
#include "base/subject.h"
#include "groth16/scalar.h"
#include "groth16/zkey.h"
#include <string.h>

enum { COUNT_BYTES = 4, AT_ONCE = 1024 };

static assay_status refuse(const assay_zkey *z, const char *reason, uint64_t i, uint64_t b, assay_errinfo *err)
{
    char subject[ASSAY_SUBJECT_BYTES];
    return ASSAY_FAIL2(err, ASSAY_ERANGE, subject_of(subject, z->file.source.name, assay_zkey_part(ASSAY_ZKEY_COEFS)),
                       reason, i, b);
}

/* Coefficient number i. */
static assay_status decode(assay_zkey_coef *c, const uint8_t *p, const assay_zkey *z, uint64_t i, assay_errinfo *err)
{
    c->matrix = assay_load_u32(p);
    c->row = assay_load_u32(p + 4);
    c->signal = assay_load_u32(p + 8);
    bool below_r = scalar_load(c->value.l, p + 12, z->curve);
    if (c->matrix > 1) return refuse(z, "names a matrix other than A and B (coefficient, matrix)", i, c->matrix, err);
    if (c->row >= z->domain) return refuse(z, "names a row outside of the domain (coefficient, row)", i, c->row, err);
    if (c->signal >= z->n_vars)
        return refuse(z, "names a signal that is not there (coefficient, signal)", i, c->signal, err);
    if (!below_r) return refuse(z, "has a value that is not below r (coefficient)", i, z->n_coefs, err);
    return ASSAY_OK;
}

/* The bytes are read to the end of out, which is a little larger, and decoded from the front: coefficient i is written
 * to [size i, size (i + 1)) once the bytes up to extra + 44 (i + 1) are used, and extra = n (size - 44). */
assay_status assay_zkey_coefs(assay_zkey_coef *out, const assay_zkey *z, uint32_t first, size_t n, assay_errinfo *err)
{
    _Static_assert(sizeof *out >= ASSAY_ZKEY_COEF_BYTES, "decoding in place");
    const char *part = assay_zkey_part(ASSAY_ZKEY_COEFS);
    const assay_section *found = assay_container_find(&z->file, ASSAY_ZKEY_COEFS);
    if (!found || first > z->n_coefs || n > z->n_coefs - first)
        return ASSAY_FAIL2(err, ASSAY_EINVAL, z->file.source.name, "has fewer coefficients (first, count)", first, n);
    uint8_t *bytes = (uint8_t *)out + n * (sizeof *out - ASSAY_ZKEY_COEF_BYTES), one[ASSAY_ZKEY_COEF_BYTES];
    uint64_t at = found->at + COUNT_BYTES + first * (uint64_t)ASSAY_ZKEY_COEF_BYTES;
    assay_status s = assay_source_read(&z->file.source, bytes, at, n * ASSAY_ZKEY_COEF_BYTES, part, err);
    for (size_t i = 0; i < n && s == ASSAY_OK; i++) {
        memcpy(one, bytes + i * sizeof one, sizeof one);
        s = decode(&out[i], one, z, first + (uint64_t)i, err);
    }
    return s;
}

/* ---- matrices by rows: counted, then placed */

void assay_zkey_matrices_clear(assay_zkey_matrices *m)
{
    assay_mem_free(m->start[0]); /* both */
    assay_mem_free(m->signal);
    assay_mem_free(m->value);
    assay_values_clear(&m->values);
    *m = (assay_zkey_matrices){0};
}

/* start[..][row + 1] = terms of the row, and then their sums: row i begins at start[..][i]. */
static assay_status count_rows(assay_zkey_matrices *m, assay_zkey_coef *buffer, const assay_zkey *z, assay_errinfo *err)
{
    for (uint32_t i = 0, now; i < z->n_coefs; i += now) {
        now = z->n_coefs - i < AT_ONCE ? z->n_coefs - i : AT_ONCE;
        assay_status s = assay_zkey_coefs(buffer, z, i, now, err);
        if (s != ASSAY_OK) return s;
        for (uint32_t k = 0; k < now; k++) m->start[buffer[k].matrix][buffer[k].row + 1]++;
    }
    /* start[1] follows start[0] in memory; its first entry has counted nothing and takes the sum of A. */
    for (uint32_t i = 0; i < z->domain; i++) m->start[0][i + 1] += m->start[0][i];
    m->start[1][0] = m->start[0][z->domain];
    for (uint32_t i = 0; i < z->domain; i++) m->start[1][i + 1] += m->start[1][i];
    return ASSAY_OK;
}

/* next: for each row of each matrix, where its next term goes. A file that changed since the counting is found out. */
static assay_status place_terms(assay_zkey_matrices *m, uint32_t *const next[2], assay_zkey_coef *buffer,
                                const assay_zkey *z, assay_errinfo *err)
{
    for (uint32_t i = 0, now; i < z->n_coefs; i += now) {
        now = z->n_coefs - i < AT_ONCE ? z->n_coefs - i : AT_ONCE;
        assay_status s = assay_zkey_coefs(buffer, z, i, now, err);
        for (uint32_t k = 0; k < now && s == ASSAY_OK; k++) {
            const assay_zkey_coef *c = &buffer[k];
            uint32_t at = next[c->matrix][c->row];
            if (at == m->start[c->matrix][c->row + 1]) return refuse(z, "changed while it was read", i, now, err);
            next[c->matrix][c->row]++;
            m->signal[at] = c->signal;
            s = assay_values_add(&m->values, &m->value[at], c->value, err);
        }
        if (s != ASSAY_OK) return s;
    }
    return ASSAY_OK;
}

assay_status assay_zkey_matrices_load(assay_zkey_matrices *m, const assay_zkey *z, assay_errinfo *err)
{
    size_t rows = (size_t)z->domain + 1;
    assay_status s = ASSAY_OK;
    uint32_t *next = NULL;
    assay_zkey_coef *buffer = NULL;
    *m = (assay_zkey_matrices){.domain = z->domain, .n_coefs = z->n_coefs};
    m->start[0] = assay_mem_alloc(2 * rows, sizeof **m->start);
    m->signal = assay_mem_alloc_raw((size_t)z->n_coefs + 1, sizeof *m->signal);
    m->value = assay_mem_alloc_raw((size_t)z->n_coefs + 1, sizeof *m->value);
    next = assay_mem_alloc_raw(2 * rows, sizeof *next);
    assay_large_pages(m->start[0], 2 * rows * sizeof **m->start);
    assay_large_pages(m->signal, z->n_coefs * sizeof *m->signal);
    assay_large_pages(m->value, z->n_coefs * sizeof *m->value);
    buffer = assay_mem_alloc_raw(AT_ONCE, sizeof *buffer);
    if (!m->start[0] || !m->signal || !m->value || !next || !buffer) {
        s = ASSAY_FAIL(err, ASSAY_ENOMEM, z->file.source.name, "out of memory");
        goto out;
    }
    m->start[1] = m->start[0] + rows;
    s = count_rows(m, buffer, z, err);
    if (s != ASSAY_OK) goto out;
    memcpy(next, m->start[0], 2 * rows * sizeof *next);
    uint32_t *const nexts[2] = {next, next + rows};
    s = place_terms(m, nexts, buffer, z, err);
    if (s == ASSAY_OK) assay_values_freeze(&m->values);
out:
    assay_mem_free(next);
    assay_mem_free(buffer);
    if (s != ASSAY_OK) assay_zkey_matrices_clear(m);
    return s;
}

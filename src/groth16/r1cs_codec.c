/* SPDX-License-Identifier: Apache-2.0 */
/* Reading .r1cs files that nobody vouches for. The number of terms follows from the length of section 2, so that one
 * pass and one allocation each do. */
#include "base/mem.h"
#include "base/subject.h"
#include "groth16/distinct.h"
#include "groth16/r1cs.h"
#include "groth16/scalar.h"
#include <string.h>

enum {
    VERSION = 1,
    SECTION_HEADER = 1,
    SECTION_CONSTRAINTS = 2,
    SECTION_LABELS = 3,
    SECTION_CUSTOM_LIST = 4,
    SECTION_CUSTOM_USE = 5,
    HEADER_MAX = ASSAY_PRIME_MAX + 4 * 4 + 8 + 4,
    COUNT_BYTES = 4,
    LABEL_BYTES = 8,
    TERM_BYTES = 4 + ASSAY_FR_BYTES,
    TOLD_EVERY = 1 << 16 /* constraints between two calls of the progress */
};

static const char header_part[] = "section 1 (header)", constraints_part[] = "section 2 (constraints)";

static assay_status refuse(const assay_container *f, assay_status s, const char *part, const char *reason, uint64_t a,
                           uint64_t b, assay_errinfo *err)
{
    char subject[ASSAY_SUBJECT_BYTES];
    return ASSAY_FAIL2(err, s, subject_of(subject, f->source.name, part), reason, a, b);
}

unsigned assay_groth16_log_domain(uint32_t n_constraints, uint32_t n_public)
{
    unsigned log = 0;
    for (uint64_t n = (uint64_t)n_constraints + n_public; n > 1; n >>= 1) log++;
    return log + 1;
}

static assay_status read_counts(assay_r1cs *c, assay_reader *r, const assay_container *f, assay_errinfo *err)
{
    c->n_wires = assay_read_u32(r);
    c->n_outputs = assay_read_u32(r);
    c->n_inputs = assay_read_u32(r);
    c->n_private = assay_read_u32(r);
    c->n_labels = assay_read_u64(r);
    c->n_constraints = assay_read_u32(r);
    if (r->bad || assay_reader_left(r) != 0)
        return refuse(f, ASSAY_EFORMAT, header_part, "has a wrong length (bytes, read)", r->n, r->at, err);
    uint64_t named = (uint64_t)c->n_outputs + c->n_inputs + c->n_private;
    if (c->n_wires == 0 || named >= c->n_wires)
        return refuse(f, ASSAY_ERANGE, header_part, "has more inputs and outputs than wires (their number, wires)",
                      named, c->n_wires, err);
    unsigned log = assay_groth16_log_domain(c->n_constraints, assay_r1cs_n_public(c));
    if (log > c->curve->two_adicity)
        return refuse(f, ASSAY_ERANGE, header_part, "circuit larger than the curve has a domain for (log2, most)", log,
                      c->curve->two_adicity, err);
    return ASSAY_OK;
}

assay_status assay_r1cs_read_header(assay_r1cs *c, const assay_container *f, assay_errinfo *err)
{
    uint8_t bytes[HEADER_MAX];
    size_t n;
    uint32_t n8;
    *c = (assay_r1cs){0};
    assay_status s = assay_container_load(bytes, &n, sizeof bytes, f, SECTION_HEADER, header_part, err);
    if (s != ASSAY_OK) return s;
    assay_reader r = assay_reader_of(bytes, n);
    const uint8_t *prime = assay_read_prime(&r, &n8);
    if (!prime) return refuse(f, ASSAY_EFORMAT, header_part, "has no prime of a known length (bytes)", n8, n, err);
    c->curve = assay_curve_by_fr(prime, n8);
    if (!c->curve)
        return refuse(f, ASSAY_EUNSUPPORTED, header_part, "is over a field of no known curve (bytes)", n8, n, err);
    return read_counts(c, &r, f, err);
}

/* Both sections are empty, or there, when no custom gate is used. */
static assay_status refuse_custom_gates(const assay_container *f, assay_errinfo *err)
{
    static const uint32_t id[] = {SECTION_CUSTOM_LIST, SECTION_CUSTOM_USE};
    for (size_t i = 0; i < sizeof id / sizeof id[0]; i++) {
        const assay_section *found = assay_container_find(f, id[i]);
        uint8_t count[COUNT_BYTES] = {0};
        if (!found || found->n == 0) continue;
        if (found->n >= sizeof count) {
            assay_status s = assay_source_read(&f->source, count, found->at, sizeof count, "custom gates", err);
            if (s != ASSAY_OK) return s;
        }
        if (found->n != sizeof count || assay_load_u32(count) != 0)
            return refuse(f, ASSAY_EUNSUPPORTED, "custom gates", "are not for groth16 (section, bytes)", id[i],
                          found->n, err);
    }
    return ASSAY_OK;
}

/* The labels say nothing here, but their number bounds that of the wires by the size of the file: what comes after
 * allocates by wires. */
static assay_status check_labels(const assay_r1cs *c, const assay_container *f, assay_errinfo *err)
{
    const assay_section *found;
    return assay_container_need(&found, f, SECTION_LABELS, LABEL_BYTES * (uint64_t)c->n_wires, "section 3 (labels)",
                                err);
}

/* As many terms as the section's length allows for: a count of 4 bytes a combination, 36 a term. *room: bytes for
 * them. */
static assay_status count_terms(uint64_t *n_terms, uint64_t *room, const assay_r1cs *c, const assay_container *f,
                                uint64_t nbytes, assay_errinfo *err)
{
    uint64_t counts = ASSAY_R1CS_MATRICES * COUNT_BYTES * (uint64_t)c->n_constraints;
    if (nbytes < counts || (nbytes - counts) % TERM_BYTES != 0)
        return refuse(f, ASSAY_EFORMAT, constraints_part,
                      "has a length that fits no number of terms (bytes, constraints)", nbytes, c->n_constraints, err);
    *n_terms = (nbytes - counts) / TERM_BYTES;
    if (*n_terms >= UINT32_MAX)
        return refuse(f, ASSAY_ERANGE, constraints_part, "has too many terms (terms, limit)", *n_terms, UINT32_MAX,
                      err);
    *room =
        (counts / COUNT_BYTES + 1) * sizeof *c->start + (*n_terms + 1) * (uint64_t)(sizeof *c->wire + sizeof *c->value);
    return ASSAY_OK;
}

static assay_status make_room(assay_r1cs *c, const assay_container *f, uint64_t nbytes, uint64_t *n_terms,
                              assay_errinfo *err)
{
    uint64_t room = 0;
    assay_status s = count_terms(n_terms, &room, c, f, nbytes, err);
    if (s == ASSAY_OK) s = assay_values_fit(&c->values, room, f->source.name, err);
    if (s != ASSAY_OK) return s;
    c->values.beside += room;
    c->start = assay_mem_alloc_raw(ASSAY_R1CS_MATRICES * (size_t)c->n_constraints + 1, sizeof *c->start);
    c->wire = assay_mem_alloc_raw((size_t)*n_terms + 1, sizeof *c->wire);
    c->value = assay_mem_alloc_raw((size_t)*n_terms + 1, sizeof *c->value);
    if (!c->start || !c->wire || !c->value) return ASSAY_FAIL(err, ASSAY_ENOMEM, f->source.name, "out of memory");
    return ASSAY_OK;
}

/* One combination, whose terms go from *at on; i: the constraint. */
static assay_status read_terms(assay_r1cs *c, uint64_t *at, uint64_t n_terms, assay_stream *t, const assay_container *f,
                               uint32_t i, assay_errinfo *err)
{
    const uint8_t *p;
    assay_status s = assay_stream_take(t, &p, COUNT_BYTES, err);
    if (s != ASSAY_OK) return s;
    uint32_t n = assay_load_u32(p);
    if (n > n_terms - *at)
        return refuse(f, ASSAY_EFORMAT, constraints_part, "has more terms than its bytes hold (constraint, terms)", i,
                      n, err);
    for (uint32_t k = 0; k < n && s == ASSAY_OK; k++) {
        assay_fr v;
        s = assay_stream_take(t, &p, TERM_BYTES, err);
        if (s != ASSAY_OK) return s;
        uint32_t wire = assay_load_u32(p);
        if (wire >= c->n_wires)
            return refuse(f, ASSAY_ERANGE, constraints_part, "names a wire that is not there (constraint, wire)", i,
                          wire, err);
        if (!scalar_load(v.l, p + 4, c->curve))
            return refuse(f, ASSAY_ERANGE, constraints_part, "has a value that is not below r (constraint, wire)", i,
                          wire, err);
        c->wire[*at] = wire;
        s = assay_values_add(&c->values, &c->value[*at], v, err); /* plain for now */
        ++*at;
    }
    return s;
}

static assay_status read_constraints(assay_r1cs *c, const assay_container *f, const assay_progress *progress,
                                     assay_errinfo *err)
{
    const assay_section *found;
    assay_stream t = {0};
    uint64_t n_terms = 0, at = 0;
    assay_status s = assay_container_need(&found, f, SECTION_CONSTRAINTS, UINT64_MAX, constraints_part, err);
    if (s == ASSAY_OK) s = make_room(c, f, found->n, &n_terms, err);
    if (s == ASSAY_OK) s = assay_container_stream(&t, f, found, constraints_part, err);
    for (uint32_t i = 0; i < c->n_constraints && s == ASSAY_OK; i++) {
        if (i % TOLD_EVERY == 0)
            s = assay_progress_tell(progress, "reading the circuit", (double)i / (double)c->n_constraints, err);
        for (size_t m = 0; m < ASSAY_R1CS_MATRICES && s == ASSAY_OK; m++) {
            c->start[ASSAY_R1CS_MATRICES * (size_t)i + m] = (uint32_t)at;
            s = read_terms(c, &at, n_terms, &t, f, i, err);
        }
    }
    assay_stream_clear(&t);
    if (s != ASSAY_OK) return s;
    c->start[ASSAY_R1CS_MATRICES * (size_t)c->n_constraints] = (uint32_t)at;
    if (at != n_terms)
        return refuse(f, ASSAY_EFORMAT, constraints_part, "has bytes after the last constraint (terms, terms read)",
                      n_terms, at, err);
    assay_values_freeze(&c->values);
    for (uint32_t i = 0; i < c->values.n; i++) c->values.v[i] = c->curve->fr_from_limbs(c->values.v[i].l);
    return ASSAY_OK;
}

static assay_status finish(assay_r1cs *c, assay_container *f, assay_status s, uint64_t memory, uint64_t beside,
                           const assay_progress *progress, assay_errinfo *err)
{
    *c = (assay_r1cs){0};
    if (s == ASSAY_OK) s = assay_r1cs_read_header(c, f, err);
    c->values.memory = memory;
    c->values.beside = beside;
    if (s == ASSAY_OK) s = check_labels(c, f, err);
    if (s == ASSAY_OK) s = refuse_custom_gates(f, err);
    if (s == ASSAY_OK) s = read_constraints(c, f, progress, err);
    assay_container_close(f);
    if (s != ASSAY_OK) assay_r1cs_clear(c);
    return s;
}

assay_status assay_r1cs_read_within(assay_r1cs *c, const char *path, uint64_t memory, uint64_t beside,
                                    const assay_progress *progress, assay_errinfo *err)
{
    assay_container f;
    assay_status s = assay_container_open(&f, path, "r1cs", VERSION, err);
    return finish(c, &f, s, memory, beside, progress, err);
}

assay_status assay_r1cs_read(assay_r1cs *c, const char *path, const assay_progress *progress, assay_errinfo *err)
{
    return assay_r1cs_read_within(c, path, 0, 0, progress, err);
}

assay_status assay_r1cs_parse(assay_r1cs *c, const char *name, const void *p, size_t n, assay_errinfo *err)
{
    assay_container f;
    assay_status s = assay_container_of(&f, name, p, n, "r1cs", VERSION, err);
    return finish(c, &f, s, 0, 0, NULL, err);
}

/* ---- what it would take */

/* The terms at the beginning of the constraints, as many as a sample holds. */
static assay_status sample_terms(assay_distinct *d, const assay_r1cs *c, assay_stream *t, const assay_container *f,
                                 uint64_t n_terms, assay_errinfo *err)
{
    const uint8_t *p;
    assay_fr v;
    for (uint64_t k = 0; k < ASSAY_R1CS_MATRICES * (uint64_t)c->n_constraints; k++) {
        assay_status s = assay_stream_take(t, &p, COUNT_BYTES, err);
        const uint32_t n = s == ASSAY_OK ? assay_load_u32(p) : 0;
        if (n > n_terms)
            return refuse(f, ASSAY_EFORMAT, constraints_part, "has more terms than its bytes hold", n, 0, err);
        n_terms -= n;
        for (uint32_t i = 0; s == ASSAY_OK && i < n; i++) {
            s = assay_stream_take(t, &p, TERM_BYTES, err);
            if (s == ASSAY_OK && !scalar_load(v.l, p + 4, c->curve))
                return refuse(f, ASSAY_ERANGE, constraints_part, "has a value that is not below r (combination)", k, 0,
                              err);
            if (s == ASSAY_OK) assay_distinct_add(d, &v);
            if (d->seen == ASSAY_DISTINCT_SAMPLE) return s;
        }
        if (s != ASSAY_OK) return s;
    }
    return ASSAY_OK;
}

static assay_status survey(assay_r1cs_survey *out, const assay_container *f, assay_errinfo *err)
{
    const assay_section *found;
    assay_distinct d = {0};
    assay_stream t = {0};
    assay_r1cs c;
    uint64_t room = 0, held, most;
    assay_status s = assay_r1cs_read_header(&c, f, err);
    if (s == ASSAY_OK) s = check_labels(&c, f, err);
    if (s == ASSAY_OK) s = refuse_custom_gates(f, err);
    if (s == ASSAY_OK) s = assay_container_need(&found, f, SECTION_CONSTRAINTS, UINT64_MAX, constraints_part, err);
    if (s == ASSAY_OK) s = count_terms(&out->n_terms, &room, &c, f, found->n, err);
    if (s == ASSAY_OK) s = assay_distinct_init(&d, f->source.name, err);
    if (s == ASSAY_OK) s = assay_container_stream(&t, f, found, constraints_part, err);
    if (s == ASSAY_OK) s = sample_terms(&d, &c, &t, f, out->n_terms, err);
    out->curve = c.curve;
    out->n_wires = c.n_wires;
    out->n_public = assay_r1cs_n_public(&c);
    out->n_constraints = c.n_constraints;
    out->n_values = assay_distinct_estimate(&d, out->n_terms);
    assay_values_bytes(&held, &most, out->n_values);
    out->most = room + most + (t.buffer ? t.cap : 0);
    assay_stream_clear(&t);
    assay_distinct_clear(&d);
    return s;
}

static assay_status finish_survey(assay_r1cs_survey *out, assay_container *f, assay_status s, assay_errinfo *err)
{
    *out = (assay_r1cs_survey){0};
    if (s == ASSAY_OK) s = survey(out, f, err);
    assay_container_close(f);
    if (s != ASSAY_OK) *out = (assay_r1cs_survey){0};
    return s;
}

assay_status assay_r1cs_survey_read(assay_r1cs_survey *out, const char *path, assay_errinfo *err)
{
    assay_container f;
    assay_status s = assay_container_open(&f, path, "r1cs", VERSION, err);
    return finish_survey(out, &f, s, err);
}

assay_status assay_r1cs_survey_parse(assay_r1cs_survey *out, const char *name, const void *p, size_t n,
                                     assay_errinfo *err)
{
    assay_container f;
    assay_status s = assay_container_of(&f, name, p, n, "r1cs", VERSION, err);
    return finish_survey(out, &f, s, err);
}

void assay_r1cs_clear(assay_r1cs *c)
{
    assay_mem_free(c->start);
    assay_mem_free(c->wire);
    assay_mem_free(c->value);
    assay_values_clear(&c->values);
    *c = (assay_r1cs){0};
}

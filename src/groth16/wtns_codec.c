/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing .wtns files. The values are secret: nothing of them stands in a message but a place. */
#include "base/isa.h"
#include "base/mem.h"
#include "base/subject.h"
#include "groth16/scalar.h"
#include "groth16/wtns.h"
#include <string.h>

enum {
    VERSION = 2,
    SECTION_HEADER = 1,
    SECTION_VALUES = 2,
    HEADER_MAX = ASSAY_PRIME_MAX + 4,
    HEADER_BYTES = 4 + ASSAY_FR_BYTES + 4
};

static const char header_part[] = "section 1 (header)", values_part[] = "section 2 (values)";

static assay_status refuse(const assay_container *f, assay_status s, const char *part, const char *reason, uint64_t a,
                           uint64_t b, assay_errinfo *err)
{
    char subject[ASSAY_SUBJECT_BYTES];
    return ASSAY_FAIL2(err, s, subject_of(subject, f->source.name, part), reason, a, b);
}

static assay_status read_header(assay_wtns *w, const assay_container *f, assay_errinfo *err)
{
    uint8_t bytes[HEADER_MAX];
    size_t n;
    uint32_t n8;
    assay_status s = assay_container_load(bytes, &n, sizeof bytes, f, SECTION_HEADER, header_part, err);
    if (s != ASSAY_OK) return s;
    assay_reader r = assay_reader_of(bytes, n);
    const uint8_t *prime = assay_read_prime(&r, &n8);
    w->n = assay_read_u32(&r);
    if (r.bad || assay_reader_left(&r) != 0)
        return refuse(f, ASSAY_EFORMAT, header_part, "has a wrong length (bytes, of the prime)", n, n8, err);
    w->curve = assay_curve_by_fr(prime, n8);
    if (!w->curve)
        return refuse(f, ASSAY_EUNSUPPORTED, header_part, "is over a field of no known curve (bytes)", n8, n8, err);
    if (w->n == 0) return refuse(f, ASSAY_ERANGE, header_part, "says that there are no values", w->n, 0, err);
    return ASSAY_OK;
}

/* In place: the bytes of a value become its limbs. How many values are below r before one that is not. A frame of its
 * own, for its caller to wipe. */
ASSAY_NO_INLINE uint32_t load_values(assay_wtns *w)
{
    uint64_t v[ASSAY_FR_LIMBS];
    uint32_t n = 0;
    while (n < w->n) {
        bool below_r = scalar_load(v, (const uint8_t *)w->w[n], w->curve);
        memcpy(w->w[n], v, sizeof v);
        if (!below_r) break;
        n++;
    }
    return n;
}

static assay_status decode(assay_wtns *w, const assay_container *f, assay_errinfo *err)
{
    static const uint64_t one[ASSAY_FR_LIMBS] = {1};
    const uint32_t bad = load_values(w);
    assay_mem_wipe_stack();
    if (bad < w->n)
        return refuse(f, ASSAY_ERANGE, values_part, "has a value that is not below r (wire, of)", bad, w->n, err);
    if (!limbs_equal(w->w[0], one, ASSAY_FR_LIMBS))
        return refuse(f, ASSAY_ERANGE, values_part, "does not begin with 1 (wire, of)", 0, w->n, err);
    return ASSAY_OK;
}

/* The header, and a section for as many values. */
static assay_status take_head(assay_wtns *w, const assay_section **values, const assay_container *f, assay_errinfo *err)
{
    assay_status s = read_header(w, f, err);
    if (s != ASSAY_OK) return s;
    return assay_container_need(values, f, SECTION_VALUES, (uint64_t)w->n * ASSAY_FR_BYTES, values_part, err);
}

static assay_status take(assay_wtns *w, const assay_container *f, assay_errinfo *err)
{
    const assay_section *found;
    assay_status s = take_head(w, &found, f, err);
    if (s != ASSAY_OK) return s;
    const uint64_t nbytes = (uint64_t)w->n * ASSAY_FR_BYTES;
    w->w = assay_mem_alloc_raw(w->n, sizeof *w->w);
    if (!w->w) return ASSAY_FAIL(err, ASSAY_ENOMEM, f->source.name, "out of memory");
    s = assay_source_read(&f->source, w->w, found->at, (size_t)nbytes, values_part, err);
    return s == ASSAY_OK ? decode(w, f, err) : s;
}

static assay_status finish(assay_wtns *w, assay_container *f, assay_status s, assay_errinfo *err)
{
    *w = (assay_wtns){0};
    if (s == ASSAY_OK) s = take(w, f, err);
    assay_container_close(f);
    if (s != ASSAY_OK) assay_wtns_clear(w);
    return s;
}

assay_status assay_wtns_read(assay_wtns *w, const char *path, assay_errinfo *err)
{
    assay_container f;
    assay_status s = assay_container_open(&f, path, "wtns", VERSION, err);
    return finish(w, &f, s, err);
}

assay_status assay_wtns_parse(assay_wtns *w, const char *name, const void *p, size_t n, assay_errinfo *err)
{
    assay_container f;
    assay_status s = assay_container_of(&f, name, p, n, "wtns", VERSION, err);
    return finish(w, &f, s, err);
}

assay_status assay_wtns_head_parse(assay_wtns_head *out, const char *name, const void *p, size_t n, assay_errinfo *err)
{
    assay_container f;
    const assay_section *values;
    assay_wtns w = {0};
    *out = (assay_wtns_head){0};
    assay_status s = assay_container_of(&f, name, p, n, "wtns", VERSION, err);
    if (s != ASSAY_OK) return s;
    s = take_head(&w, &values, &f, err);
    assay_container_close(&f);
    if (s == ASSAY_OK) *out = (assay_wtns_head){w.curve, w.n};
    return s;
}

void assay_wtns_clear(assay_wtns *w)
{
    assay_mem_free_secret(w->w, (size_t)w->n * sizeof *w->w);
    *w = (assay_wtns){0};
}

static assay_status write_values(const assay_wtns *w, assay_container_writer *out, assay_errinfo *err)
{
    uint8_t bytes[ASSAY_PRIME_MAX];
    assay_status s = assay_container_section(out, SECTION_HEADER, HEADER_BYTES, err);
    if (s == ASSAY_OK)
        s = assay_container_put(out, bytes, assay_store_prime(bytes, w->curve->fr_modulus, ASSAY_FR_LIMBS), err);
    if (s == ASSAY_OK) s = assay_container_put_u32(out, w->n, err);
    if (s == ASSAY_OK) s = assay_container_section(out, SECTION_VALUES, (uint64_t)w->n * ASSAY_FR_BYTES, err);
    for (uint32_t i = 0; i < w->n && s == ASSAY_OK; i++) {
        scalar_store(bytes, w->w[i]);
        s = assay_container_put(out, bytes, ASSAY_FR_BYTES, err);
    }
    assay_mem_wipe(bytes, sizeof bytes);
    return s == ASSAY_OK ? assay_container_finish(out, err) : s;
}

assay_status assay_wtns_write(const assay_wtns *w, assay_outfile *file, assay_writer *memory, assay_errinfo *err)
{
    assay_container_writer out;
    assay_status s = assay_container_write(&out, file, memory, "wtns", VERSION, 2, err);
    if (s == ASSAY_OK) s = write_values(w, &out, err);
    assay_container_writer_clear(&out);
    return s;
}

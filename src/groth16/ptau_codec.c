/* SPDX-License-Identifier: Apache-2.0 */
/* Reading .ptau files that nobody vouches for. */
#include "base/subject.h"
#include "groth16/ptau.h"

enum { VERSION = 1, HEADER_MAX = ASSAY_PRIME_MAX + 8, FIRST_PREPARED = ASSAY_PTAU_LAGRANGE_TAU_G1 };

/* The sections of points. The number of points is 2^(power + log) - less. */
typedef struct points_of {
    unsigned section;
    const char *part;
    assay_group_id group;
    bool one; /* a single point */
    unsigned log, less;
} points_of;

static const points_of sections[] = {
    {ASSAY_PTAU_TAU_G1, "section 2 (tau in G1)", ASSAY_G1, false, 1, 1},
    {ASSAY_PTAU_TAU_G2, "section 3 (tau in G2)", ASSAY_G2, false, 0, 0},
    {ASSAY_PTAU_ALPHA_TAU_G1, "section 4 (alpha tau)", ASSAY_G1, false, 0, 0},
    {ASSAY_PTAU_BETA_TAU_G1, "section 5 (beta tau)", ASSAY_G1, false, 0, 0},
    {ASSAY_PTAU_BETA_G2, "section 6 (beta in G2)", ASSAY_G2, true, 0, 0},
    {ASSAY_PTAU_LAGRANGE_TAU_G1, "section 12 (Lagrange, tau in G1)", ASSAY_G1, false, 2, 1},
    {ASSAY_PTAU_LAGRANGE_TAU_G2, "section 13 (Lagrange, tau in G2)", ASSAY_G2, false, 1, 1},
    {ASSAY_PTAU_LAGRANGE_ALPHA_G1, "section 14 (Lagrange, alpha tau)", ASSAY_G1, false, 1, 1},
    {ASSAY_PTAU_LAGRANGE_BETA_G1, "section 15 (Lagrange, beta tau)", ASSAY_G1, false, 1, 1},
};
enum { N_SECTIONS = sizeof sections / sizeof sections[0] };

static const points_of *find(unsigned section)
{
    for (size_t i = 0; i < N_SECTIONS; i++)
        if (sections[i].section == section) return &sections[i];
    return NULL;
}

static assay_status refuse(const assay_ptau *t, assay_status s, const char *part, const char *reason, uint64_t a,
                           uint64_t b, assay_errinfo *err)
{
    char subject[ASSAY_SUBJECT_BYTES];
    return ASSAY_FAIL2(err, s, subject_of(subject, t->file.source.name, part), reason, a, b);
}

uint64_t assay_ptau_n_points(const assay_ptau *t, unsigned section)
{
    const points_of *p = find(section);
    if (!p || (section >= FIRST_PREPARED && !t->prepared)) return 0;
    return p->one ? 1 : (UINT64_C(1) << (t->power + p->log)) - p->less; /* power is at most 32 */
}

const assay_group *assay_ptau_group(const assay_ptau *t, unsigned section)
{
    const points_of *p = find(section);
    return &t->curve->group[p ? p->group : ASSAY_G1];
}

static assay_status read_header(assay_ptau *t, assay_errinfo *err)
{
    static const char part[] = "section 1 (header)";
    uint8_t bytes[HEADER_MAX];
    size_t n;
    uint32_t n8;
    assay_status s = assay_container_load(bytes, &n, sizeof bytes, &t->file, ASSAY_PTAU_HEADER, part, err);
    if (s != ASSAY_OK) return s;
    assay_reader r = assay_reader_of(bytes, n);
    const uint8_t *prime = assay_read_prime(&r, &n8);
    uint32_t power = assay_read_u32(&r), ceremony = assay_read_u32(&r);
    if (r.bad || assay_reader_left(&r) != 0)
        return refuse(t, ASSAY_EFORMAT, part, "has a wrong length (bytes, of the prime)", n, n8, err);
    t->curve = assay_curve_by_fq(prime, n8);
    if (!t->curve) return refuse(t, ASSAY_EUNSUPPORTED, part, "is of no known curve (bytes)", n8, n, err);
    if (power == 0 || power > t->curve->two_adicity)
        return refuse(t, ASSAY_ERANGE, part, "a power out of range (power, most)", power, t->curve->two_adicity, err);
    if (ceremony < power)
        return refuse(t, ASSAY_ERANGE, part, "a power above that of its ceremony (power, of the ceremony)", power,
                      ceremony, err);
    t->power = power;
    t->ceremony_power = ceremony;
    return ASSAY_OK;
}

/* The sections of the first phase must be there; those of the second all or none. */
static assay_status check_lengths(assay_ptau *t, assay_errinfo *err)
{
    const assay_section *found;
    t->prepared = assay_container_find(&t->file, FIRST_PREPARED) != NULL;
    for (size_t i = 0; i < N_SECTIONS; i++) {
        const points_of *p = &sections[i];
        if (p->section >= FIRST_PREPARED && !t->prepared) continue;
        uint64_t n = assay_ptau_n_points(t, p->section) * t->curve->group[p->group].affine_bytes;
        assay_status s = assay_container_need(&found, &t->file, p->section, n, p->part, err);
        if (s != ASSAY_OK) return s;
    }
    return ASSAY_OK;
}

static assay_status finish(assay_ptau *t, assay_status s, assay_errinfo *err)
{
    if (s == ASSAY_OK) s = read_header(t, err);
    if (s == ASSAY_OK) s = check_lengths(t, err);
    if (s != ASSAY_OK) assay_ptau_close(t);
    return s;
}

assay_status assay_ptau_open(assay_ptau *t, const char *path, assay_errinfo *err)
{
    *t = (assay_ptau){0};
    return finish(t, assay_container_open(&t->file, path, "ptau", VERSION, err), err);
}

assay_status assay_ptau_of(assay_ptau *t, const char *name, const void *p, size_t n, assay_errinfo *err)
{
    *t = (assay_ptau){0};
    return finish(t, assay_container_of(&t->file, name, p, n, "ptau", VERSION, err), err);
}

void assay_ptau_close(assay_ptau *t)
{
    assay_container_close(&t->file);
    *t = (assay_ptau){.file = t->file};
}

assay_status assay_ptau_points(void *out, const assay_ptau *t, unsigned section, uint64_t first, size_t n,
                               assay_point_check check, assay_pool *pool, assay_errinfo *err)
{
    const points_of *p = find(section);
    uint64_t all = assay_ptau_n_points(t, section);
    const assay_section *s = assay_container_find(&t->file, section);
    if (!p || !s || first > all || n > all - first)
        return refuse(t, ASSAY_EINVAL, p ? p->part : "section", "has fewer points (first, count)", first, n, err);
    return assay_points_read(out, &t->file.source, s->at + first * t->curve->group[p->group].affine_bytes, first, n,
                             t->curve, p->group, check, pool, p->part, err);
}

assay_status assay_ptau_lagrange(void *out, const assay_ptau *t, unsigned section, unsigned k, uint64_t first, size_t n,
                                 assay_point_check check, assay_pool *pool, assay_errinfo *err)
{
    uint64_t size = k < 64 ? UINT64_C(1) << k : 0;
    if (section < FIRST_PREPARED || size == 0 || 2 * size - 1 > assay_ptau_n_points(t, section) || first > size ||
        n > size - first)
        return refuse(t, ASSAY_EINVAL, "Lagrange basis", "has no such points (log2 of its size, first)", k, first, err);
    return assay_ptau_points(out, t, section, size - 1 + first, n, check, pool, err);
}

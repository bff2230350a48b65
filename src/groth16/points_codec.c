/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of points of key files, decoded in place and checked. */
#include "backend/groups.h"
#include "base/mem.h"
#include "base/subject.h"
#include "field/limbs.h"
#include "groth16/points.h"
#include <stdatomic.h>
#include <string.h>

enum { GRAIN = 1024 };

const char *assay_point_fault(const assay_group *g, const void *affine, assay_point_check check)
{
    if (check == ASSAY_POINT_COORDS) return NULL;
    if (g->affine_is_infinity(affine)) return check == ASSAY_POINT_FINITE ? "is the point at infinity" : NULL;
    if (!g->on_curve(affine)) return "is not on the curve";
    if (check >= ASSAY_POINT_GROUP && !g->in_group(affine)) return "is not in the group of prime order";
    return NULL;
}

typedef struct decoding {
    uint8_t *points;
    const assay_curve *c;
    const assay_group *g;
    assay_point_check check;
    bool in_form;      /* LEM is the form in memory here: on little-endian machines */
    atomic_size_t bad; /* the least 2i + c of a point i with a fault, c = 1 for its coordinates; 2n if none */
} decoding;

/* group->from_lem in place, without its calls and copies: the affine form is those limbs (curve.h). A point that is not
 * below q becomes infinity. */
static bool decode_one(const decoding *d, uint8_t *at)
{
    const unsigned n_limbs = d->c->fq_limbs;
    bool below_q = true;
    for (size_t k = 0; k < d->g->affine_bytes; k += d->c->fq_bytes) {
        uint64_t limbs[ASSAY_FQ_MAX_LIMBS];
        for (unsigned i = 0; i < n_limbs; i++) limbs[i] = limb_load(at + k + LIMB_BYTES * i);
        below_q = below_q && limbs_less(limbs, d->c->fq_modulus, (int)n_limbs);
        memcpy(at + k, limbs, n_limbs * sizeof *limbs);
    }
    if (!below_q) memset(at, 0, d->g->affine_bytes);
    return below_q;
}

static void decode_range(void *ctx, size_t begin, size_t end)
{
    decoding *d = ctx;
    size_t i = begin;
    if (d->check == ASSAY_POINT_CURVE && d->in_form)
        i += assay_points_on_curve(d->g, d->points + begin * d->g->affine_bytes, end - begin);
    for (; i < end; i++) {
        uint8_t *at = d->points + i * d->g->affine_bytes;
        bool below_q = decode_one(d, at);
        if (below_q && !assay_point_fault(d->g, at, d->check)) continue;
        size_t least = atomic_load(&d->bad), now = 2 * i + !below_q;
        while (now < least && !atomic_compare_exchange_weak(&d->bad, &least, now)) continue;
        return;
    }
}

assay_status assay_points_decode(void *points, uint64_t first, size_t n, const assay_curve *c, assay_group_id group,
                                 assay_point_check check, assay_pool *pool, const char *name, const char *part,
                                 assay_errinfo *err)
{
    const assay_group *g = &c->group[group];
    char subject[ASSAY_SUBJECT_BYTES];
    const uint8_t one[sizeof(uint64_t)] = {1};
    uint64_t word;
    memcpy(&word, one, sizeof word);
    decoding d = {.points = points, .c = c, .g = g, .check = check, .in_form = word == 1};
    atomic_init(&d.bad, 2 * n);
    assay_pool_range(pool, n, GRAIN, decode_range, &d);
    size_t bad = atomic_load(&d.bad), i = bad / 2;
    if (i == n) return ASSAY_OK;
    const char *why =
        bad % 2 ? "has a coordinate that is not below q" : assay_point_fault(g, d.points + i * g->affine_bytes, check);
    memset(points, 0, n * g->affine_bytes);
    return ASSAY_FAIL1(err, ASSAY_ERANGE, subject_of(subject, name, part), why, first + i);
}

assay_status assay_points_read(void *out, const assay_source *s, uint64_t at, uint64_t first, size_t n,
                               const assay_curve *c, assay_group_id group, assay_point_check check, assay_pool *pool,
                               const char *part, assay_errinfo *err)
{
    size_t nbytes;
    if (n == 0) return ASSAY_OK;
    if (!assay_mul_size(n, c->group[group].affine_bytes, &nbytes))
        return ASSAY_FAIL(err, ASSAY_EINVAL, part, "more points than memory");
    assay_status status = assay_source_read(s, out, at, nbytes, part, err);
    if (status != ASSAY_OK) {
        memset(out, 0, nbytes);
        return status;
    }
    return assay_points_decode(out, first, n, c, group, check, pool, s->name, part, err);
}

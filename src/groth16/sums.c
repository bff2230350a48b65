/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of multiples of a section's points, read in pieces. */
#include "base/mem.h"
#include "groth16/prover.h"

assay_status assay_groth16_sum(const assay_groth16_prover *p, assay_point *sum, unsigned section, const assay_scalar *k,
                               assay_errinfo *err)
{
    const assay_zkey *z = &p->key->z;
    const assay_group_id id = assay_groth16_section_group(section);
    const assay_group *g = &z->curve->group[id];
    const size_t n = (size_t)assay_zkey_n_points(z, section);
    size_t piece = p->key->resident ? n : p->pieces.points[section];
    if (piece > n) piece = n;
    /* Sums are planned for a piece: their windows are closed at the end of each. */
    assay_msm *m = NULL;
    void *room = NULL;
    g->infinity(sum);
    if (n == 0) return ASSAY_OK;
    if (piece == 0) return ASSAY_FAIL(err, ASSAY_EINTERNAL, p->key->path, "a piece holds no point");
    assay_status s = p->be->msm_new(p->be, &m, z->curve, id, piece, p->pieces.msm[section], err);
    if (s == ASSAY_OK && !p->key->resident && !(room = assay_mem_alloc_raw(piece, g->affine_bytes)))
        s = ASSAY_FAIL(err, ASSAY_ENOMEM, p->key->path, "out of memory for points of the key");
    for (size_t at = 0; s == ASSAY_OK && at < n; at += piece) {
        const size_t count = n - at < piece ? n - at : piece;
        const double from = p->done + p->share * (double)at / (double)n;
        const double to = p->done + p->share * (double)(at + count) / (double)n;
        const void *points = NULL;
        assay_subprogress part;
        const assay_progress progress = assay_progress_part(&part, p->progress, from, to);
        s = assay_progress_tell(p->progress, assay_groth16_section_name(section), from, err);
        if (s == ASSAY_OK) s = assay_groth16_key_points(&points, p->key, section, at, count, room, p->be->pool, err);
        if (s == ASSAY_OK) s = p->be->msm_add(m, points, k + at, count, &progress, err);
    }
    if (s == ASSAY_OK) s = p->be->msm_finish(m, sum, err);
    assay_mem_free(room);
    p->be->msm_free(m);
    return s;
}

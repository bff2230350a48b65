/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of multiples of a section's points, read in pieces. */
#include "base/mem.h"
#include "groth16/prover.h"
#include <string.h>

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

/* ---- every parts-th point of H */

typedef struct stride {
    uint8_t *room; /* for parts - 1 points more than are gathered */
    size_t cap, n; /* points: at most, gathered */
    uint64_t next; /* point of the section to look at */
} stride;

/* Gathers points until the section's end, or until the room is nearly full. What is read lies behind what is gathered,
 * and its points of the part move there. */
static assay_status gather(const assay_groth16_prover *p, stride *g, unsigned part, assay_errinfo *err)
{
    const assay_zkey *z = &p->key->z;
    const size_t each = assay_zkey_group(z, ASSAY_ZKEY_H)->affine_bytes, parts = (size_t)1 << p->pieces.log_parts;
    for (g->n = 0; g->next < z->domain && g->n < g->cap;) {
        const size_t left = g->cap - g->n;
        size_t count = (left + parts - 1) / parts * parts;
        if (left < g->cap / 8 && (z->domain - g->next) / parts > left) break;
        if (count > z->domain - g->next) count = (size_t)(z->domain - g->next);
        const void *points = NULL;
        assay_status s = assay_groth16_key_points(&points, p->key, ASSAY_ZKEY_H, g->next, count, g->room + g->n * each,
                                                  p->be->pool, err);
        if (s != ASSAY_OK) return s;
        for (size_t i = part; i < count; i += parts, g->n++)
            memmove(g->room + g->n * each, (const uint8_t *)points + i * each, each);
        g->next += count;
    }
    return ASSAY_OK;
}

assay_status assay_groth16_sum_part(const assay_groth16_prover *p, assay_point *sum, unsigned part,
                                    const assay_scalar *k, assay_errinfo *err)
{
    const assay_zkey *z = &p->key->z;
    const assay_group *group = assay_zkey_group(z, ASSAY_ZKEY_H);
    stride g = {.cap = p->pieces.points[ASSAY_ZKEY_H]};
    assay_msm *m = NULL;
    size_t done = 0;
    group->infinity(sum);
    if (g.cap == 0) return ASSAY_FAIL(err, ASSAY_EINTERNAL, p->key->path, "a piece holds no point");
    assay_status s = p->be->msm_new(p->be, &m, z->curve, assay_groth16_section_group(ASSAY_ZKEY_H), g.cap,
                                    p->pieces.msm[ASSAY_ZKEY_H], err);
    if (s == ASSAY_OK &&
        !(g.room = assay_mem_alloc_raw(g.cap + ((size_t)1 << p->pieces.log_parts) - 1, group->affine_bytes)))
        s = ASSAY_FAIL(err, ASSAY_ENOMEM, p->key->path, "out of memory for points of the key");
    while (s == ASSAY_OK && g.next < z->domain) {
        const double from = p->done + p->share * (double)g.next / (double)z->domain;
        s = assay_progress_tell(p->progress, assay_groth16_section_name(ASSAY_ZKEY_H), from, err);
        if (s == ASSAY_OK) s = gather(p, &g, part, err);
        const double to = p->done + p->share * (double)g.next / (double)z->domain;
        assay_subprogress of_piece;
        const assay_progress progress = assay_progress_part(&of_piece, p->progress, from, to);
        if (s == ASSAY_OK) s = p->be->msm_add(m, g.room, k + done, g.n, &progress, err);
        done += g.n;
    }
    if (s == ASSAY_OK) s = p->be->msm_finish(m, sum, err);
    assay_mem_free(g.room);
    p->be->msm_free(m);
    return s;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Section 10 of a .zkey: who contributed to its second phase. */
#include "base/mem.h"
#include "base/subject.h"
#include "groth16/zkey.h"
#include <string.h>

enum { PARAM_NAME = 1, PARAM_ITERATIONS = 2, PARAM_BEACON = 3, MAX_PARAMS = 1024, MAX_CONTRIBUTIONS = 1 << 16 };

static assay_status refuse(const assay_zkey *z, const char *reason, uint64_t i, uint64_t n, assay_errinfo *err)
{
    char subject[ASSAY_SUBJECT_BYTES];
    const char *part = assay_zkey_part(ASSAY_ZKEY_CONTRIBUTIONS);
    return ASSAY_FAIL2(err, ASSAY_EFORMAT, subject_of(subject, z->file.source.name, part), reason, i, n);
}

/* The named parameters of a contribution: type, then what it needs; each type once, in rising order. */
static const char *read_params(assay_zkey_contribution *c, assay_reader *r)
{
    uint8_t last = 0;
    while (!r->bad && assay_reader_left(r) > 0) {
        uint8_t type = assay_read_u8(r);
        if (type <= last) return "has parameters that are not sorted (contribution, of)";
        last = type;
        if (type == PARAM_NAME) {
            size_t n = assay_read_u8(r);
            const uint8_t *p = assay_read_bytes(r, n);
            if (!p) break;
            for (size_t i = 0; i < n; i++) c->name[i] = (char)(p[i] ? p[i] : '?');
            (void)assay_line_flatten(c->name);
        } else if (type == PARAM_ITERATIONS) {
            c->beacon_iterations_log = assay_read_u8(r);
        } else if (type == PARAM_BEACON) {
            c->n_beacon = assay_read_u8(r);
            const uint8_t *p = assay_read_bytes(r, c->n_beacon);
            if (!p) break;
            memcpy(c->beacon, p, c->n_beacon);
        } else {
            return "has an unknown parameter (contribution, of)";
        }
    }
    return r->bad ? "has parameters that end too early (contribution, of)" : NULL;
}

static assay_status read_one(assay_zkey_contribution *c, assay_stream *t, const assay_zkey *z, uint32_t i, uint32_t n,
                             assay_errinfo *err)
{
    const assay_group *g1 = &z->curve->group[ASSAY_G1], *g2 = &z->curve->group[ASSAY_G2];
    size_t points = 3 * g1->affine_bytes + g2->affine_bytes;
    const uint8_t *p;
    assay_status s = assay_stream_take(t, &p, points + ASSAY_ZKEY_HASH_BYTES + 8, err);
    if (s != ASSAY_OK) return s;
    bool below_q = g1->from_lem(&c->delta_after, p) && g1->from_lem(&c->g1_s, p + g1->affine_bytes) &&
                   g1->from_lem(&c->g1_sx, p + 2 * g1->affine_bytes) &&
                   g2->from_lem(&c->g2_spx, p + 3 * g1->affine_bytes);
    if (!below_q) return refuse(z, "has a coordinate that is not below q (contribution, of)", i, n, err);
    if (!g1->on_curve(&c->delta_after) || !g1->on_curve(&c->g1_s) || !g1->on_curve(&c->g1_sx) ||
        !g2->on_curve(&c->g2_spx))
        return refuse(z, "has a point that is not on its curve (contribution, of)", i, n, err);
    memcpy(c->transcript, p + points, ASSAY_ZKEY_HASH_BYTES);
    c->type = assay_load_u32(p + points + ASSAY_ZKEY_HASH_BYTES);
    uint32_t n_params = assay_load_u32(p + points + ASSAY_ZKEY_HASH_BYTES + 4);
    if (c->type > 1) return refuse(z, "is of an unknown type (contribution, of)", i, n, err);
    if (n_params > MAX_PARAMS) return refuse(z, "has parameters of too many bytes (contribution, of)", i, n, err);
    s = assay_stream_take(t, &p, n_params, err);
    if (s != ASSAY_OK) return s;
    assay_reader r = assay_reader_of(p, n_params);
    const char *wrong = read_params(c, &r);
    return wrong ? refuse(z, wrong, i, n, err) : ASSAY_OK;
}

static assay_status read_all(assay_zkey_history *h, assay_stream *t, const assay_zkey *z, assay_errinfo *err)
{
    const assay_group *g1 = &z->curve->group[ASSAY_G1], *g2 = &z->curve->group[ASSAY_G2];
    const uint8_t *p;
    assay_status s = assay_stream_take(t, &p, ASSAY_ZKEY_HASH_BYTES + 4, err);
    if (s != ASSAY_OK) return s;
    memcpy(h->circuit_hash, p, ASSAY_ZKEY_HASH_BYTES);
    uint32_t n = assay_load_u32(p + ASSAY_ZKEY_HASH_BYTES);
    uint64_t least = 3 * g1->affine_bytes + g2->affine_bytes + ASSAY_ZKEY_HASH_BYTES + 8;
    if (n > assay_stream_left(t) / least)
        return refuse(z, "has more contributions than fit (contributions, bytes)", n, assay_stream_left(t), err);
    if (n > MAX_CONTRIBUTIONS)
        return refuse(z, "has more contributions than this version reads (contributions, limit)", n, MAX_CONTRIBUTIONS,
                      err);
    h->contribution = assay_mem_alloc((size_t)n + 1, sizeof *h->contribution);
    if (!h->contribution) return ASSAY_FAIL(err, ASSAY_ENOMEM, z->file.source.name, "out of memory");
    for (; h->n < n && s == ASSAY_OK; h->n++) s = read_one(&h->contribution[h->n], t, z, h->n, n, err);
    if (s != ASSAY_OK) return s;
    if (assay_stream_left(t) != 0)
        return refuse(z, "has bytes after the last contribution (left, contributions)", assay_stream_left(t), n, err);
    if (n > 0 && memcmp(&h->contribution[n - 1].delta_after, &z->delta1, g1->affine_bytes) != 0)
        return refuse(z, "ends with another delta1 than the header has (contribution, of)", n - 1, n, err);
    return ASSAY_OK;
}

assay_status assay_zkey_history_read(assay_zkey_history *h, const assay_zkey *z, assay_errinfo *err)
{
    assay_stream t;
    *h = (assay_zkey_history){0};
    const assay_section *found = assay_container_find(&z->file, ASSAY_ZKEY_CONTRIBUTIONS);
    if (!found) return ASSAY_OK;
    assay_status s = assay_container_stream(&t, &z->file, found, assay_zkey_part(ASSAY_ZKEY_CONTRIBUTIONS), err);
    if (s == ASSAY_OK) s = read_all(h, &t, z, err);
    assay_stream_clear(&t);
    if (s != ASSAY_OK) assay_zkey_history_clear(h);
    return s;
}

void assay_zkey_history_clear(assay_zkey_history *h)
{
    assay_mem_free(h->contribution);
    *h = (assay_zkey_history){0};
}

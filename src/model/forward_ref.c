/* SPDX-License-Identifier: Apache-2.0 */
/* The definition of the integer model's products and of attention, in plain int64, one cell after the other, on one
 * thread; forward_cells.c defines the other operations. Source: docs/model.md, "Operations". Faster paths equal it bit
 * for bit. */
#include "model/forward.h"
#include <stddef.h>

int64_t assay_forward_dot(const int32_t *x, const int16_t *w, uint32_t n)
{
    int64_t sum = 0;
    for (uint32_t k = 0; k < n; k++) sum += (int64_t)x[k] * w[k];
    return sum;
}

static void ref_matmul(assay_forward *f, assay_tensor y, const int32_t *x, const assay_matrix *w, assay_site s)
{
    for (uint32_t i = 0; i < f->nt; i++) {
        for (uint32_t r = 0; r < w->n_out; r++) {
            const size_t at = (size_t)i * w->n_out + r;
            int64_t acc = assay_forward_dot(x + (size_t)i * w->n_in, w->w + (size_t)r * w->n_in, w->n_in);
            if (w->bias) acc += w->bias[r];
            forward_requant(f, f->t[y] + at, forward_at(f->t[y + 1], at), acc, s, f->t0 + i);
        }
    }
}

/* top - x; in field mode the difference mod p, read symmetrically. */
static int32_t distance_from(const assay_forward *f, int32_t top, int32_t x)
{
    const int64_t d = (int64_t)top - x;
    return (int32_t)(f->field ? forward_symmetric(d) : d);
}

int64_t assay_forward_weights(assay_forward *f, int32_t *ex, uint32_t head, uint32_t i)
{
    const int32_t bits = assay_row_bits(f->c, i), rem_bits = model_dist_rem_bits(f->c);
    const size_t cell = f->keep ? forward_cell(f, head, i) : 0;
    int32_t *rem = f->keep && rem_bits ? f->t[TEN_DREM] + cell : NULL;
    uint32_t first = 0, widest = 0;
    int64_t full = 0;
    for (uint32_t j = 1; j <= i; j++) first = distance_from(f, ex[first], ex[j]) < 0 ? j : first;
    const int32_t top = ex[first];
    for (uint32_t j = 0; j <= i; j++) {
        const uint32_t distance = (uint32_t)distance_from(f, top, ex[j]); /* below 2^30; in field mode maybe negative */
        widest |= distance;
        if (rem) rem[j] = (int32_t)(distance & (((uint32_t)1 << rem_bits) - 1));
        ex[j] = (int32_t)assay_exp_at(f->tb, bits, distance >> rem_bits);
        full += ex[j];
    }
    if (widest >> f->c->dist_bits != 0) forward_refuse(f, BAD_DIST, i);
    if (f->keep) {
        for (uint32_t j = 0; j <= i; j++) f->t[TEN_ZF][cell + j] = j == first;
        f->t[TEN_CMAX][(size_t)head * f->cap + i] = top;
    }
    return full;
}

int64_t assay_forward_divisor(assay_forward *f, size_t at, int64_t full, int32_t *delta)
{
    *delta = 0;
    while (full >> *delta >= 1 << 16) ++*delta;
    const int64_t mantissa = full >> *delta, z2 = mantissa << *delta, half = z2 / 2;
    if (f->keep) {
        f->t[TEN_ZP][at] = (int32_t)mantissa;
        f->t[TEN_ZDEL][at] = *delta;
        f->t[TEN_ZDD][at] = 1 << *delta;
        f->t[TEN_ZFZ][at] = *delta >= 1;
        f->t[TEN_ZLOW][at] = (int32_t)(full - z2);
        f->t[TEN_Z2][at] = (int32_t)z2;
        f->t[TEN_ZH0][at] = (int32_t)(half & 0xffff);
        f->t[TEN_ZH1][at] = (int32_t)(half >> 16);
        f->t[TEN_ZB][at] = (int32_t)(z2 & 1);
    }
    return z2;
}

void assay_forward_divide(assay_forward *f, size_t at, int64_t num1, int64_t num0, int64_t z2, int32_t delta,
                          int32_t o_bits, uint32_t position)
{
    const int64_t lim = (int64_t)1 << (o_bits - 1), guard = (int64_t)1 << f->c->o_guard, limb = 1 << ASSAY_LIMB_BITS;
    const int64_t sum = (num1 * limb + num0) * guard + z2 / 2;
    int64_t o = sum / z2, rem = sum % z2;
    if (rem < 0) o--, rem += z2;
    if (o < -lim || o >= lim) forward_refuse(f, BAD_RANGE, position);
    const int64_t low = o & (limb - 1), high = (o - low) / limb;
    f->t[TEN_O1][at] = (int32_t)high;
    f->t[TEN_O0][at] = (int32_t)low;
    if (f->keep) {
        const int64_t carry = guard * num1 - high * z2 + ((int64_t)1 << (f->c->z_bits + f->c->o_guard));
        f->t[TEN_OC1][at] = (int32_t)(carry >> 16);
        f->t[TEN_OC0][at] = (int32_t)(carry & 0xffff);
        f->t[TEN_OREM][at] = (int32_t)(rem >> delta);
        f->t[TEN_ORHO][at] = (int32_t)(rem & (((int64_t)1 << delta) - 1));
    }
}

/* Mixed value of query token i (row i - t0 of the block) and one head. */
static void row_attention(assay_forward *f, uint32_t layer, uint32_t head, uint32_t i)
{
    const assay_model_config *c = f->c;
    const uint32_t e_n = c->head_dim, kv = head / (c->n_heads / c->n_kv);
    const int16_t *keys = forward_keys(f, layer, kv), *values = forward_values(f, layer, kv);
    const size_t out = ((size_t)(i - f->t0) * c->n_heads + head) * e_n, at = (size_t)head * f->cap + i;
    int32_t *ex = forward_row(f, head, i, 0);
    for (uint32_t j = 0; j <= i; j++)
        ex[j] = forward_score(f, assay_forward_dot(f->t[TEN_QR] + out, keys + (size_t)j * e_n, e_n), i);
    const int64_t full = assay_forward_weights(f, ex, head, i);
    int32_t delta;
    const int64_t z2 = assay_forward_divisor(f, at, full, &delta);
    for (uint32_t e = 0; e < e_n; e++) {
        int64_t num1 = 0, num0 = 0;
        for (uint32_t j = 0; j <= i; j++) {
            num1 += (int64_t)ex[j] * values[(size_t)j * 2 * e_n + e];
            num0 += (int64_t)ex[j] * values[(size_t)j * 2 * e_n + e_n + e];
        }
        assay_forward_divide(f, out + e, num1, num0, z2, delta, c->layer[layer].v.b + c->o_guard, i);
    }
}

static void ref_attention(assay_forward *f, uint32_t layer)
{
    for (uint32_t head = 0; head < f->c->n_heads; head++) {
        for (uint32_t i = f->t0; i < f->t0 + f->nt; i++) row_attention(f, layer, head, i);
    }
}

static void ref_logits(assay_forward *f, int32_t *out, uint32_t n, uint32_t first_position)
{
    const uint32_t d = f->c->d, v_n = f->c->vocab;
    for (uint32_t p = 0; p < n; p++) {
        for (uint32_t v = 0; v < v_n; v++) {
            int64_t acc = assay_forward_dot(f->t[TEN_NG] + (size_t)p * d, f->m->head + (size_t)v * d, d);
            out[(size_t)p * v_n + v] = forward_logit(f, acc, first_position + p);
        }
    }
}

static assay_status ref_open(assay_forward *f, assay_errinfo *err)
{
    (void)f;
    (void)err;
    return ASSAY_OK;
}

static void ref_close(assay_forward *f)
{
    (void)f;
}

const assay_forward_ops assay_forward_ref_ops = {ref_matmul, ref_attention, ref_logits, ref_open, ref_close};

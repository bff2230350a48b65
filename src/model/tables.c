/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of the integer model, made by integer algorithms: reciprocal square root (exact), exp, SiLU, cosine and
 * sine (floor(x + 1/2) of approximations good enough to refuse, not guess, where a rounding is in doubt). Source:
 * docs/model.md, "Tables". Cost: a few milliseconds; a verifier makes them itself. */
#include "base/mem.h"
#include "model/model.h"
#include "model/tables_fixed.h"
#include <string.h>

enum {
    GRID_BITS = 9,
    GRID = 1 << GRID_BITS,
    NEAR_LIMIT = 1 << 15,
    OVERS = 9,
    SILU_BITS = 16 /* of a key */
};
/* Every index of a table of exp is below GRID^2, and the error below holds. */
_Static_assert(2 * GRID_BITS >= ASSAY_EXP_BITS && 2 * GRID_BITS >= SILU_BITS && GRID_BITS <= 12,
               "the grid of exp covers its tables");

static const char doubtful[] = "a table entry lies too near a rounding tie; choose another binary point";

int32_t assay_row_bits(const assay_model_config *c, uint32_t i)
{
    int32_t log = 0;
    while (((uint64_t)1 << log) < (uint64_t)i + 1) log++;
    return c->e_bits < c->z_bits - log ? c->e_bits : c->z_bits - log;
}

/* floor(2^t sqrt(d / ((m + 1/2) 2^par)) + 1/2), exactly: the largest y with (2y - 1)^2 (2m + 1) 2^par <= 8 d 2^(2t). */
static uint64_t rsqrt_entry(uint32_t d, uint32_t m, unsigned par, unsigned t, unsigned bits)
{
    assay_fx right = ((assay_fx)8 * d) << (2 * t);
    uint64_t y = 0;
    for (unsigned k = bits + 1; k-- > 0;) {
        uint64_t odd = 2 * (y | (uint64_t)1 << k) - 1;
        if (((assay_fx)odd * odd * (2 * (uint64_t)m + 1) << par) <= right) y |= (uint64_t)1 << k;
    }
    return y;
}

static assay_status make_rsqrt(assay_tables *t, const assay_model_config *c, assay_errinfo *err)
{
    if (c->rs_t < 0 || c->rs_t > 40 || c->rsqrt_in < 2 || c->rsqrt_in > 15 || c->rsqrt_out < 9 || c->rsqrt_out > 15)
        return ASSAY_FAIL(err, ASSAY_ERANGE, "reciprocal square root table", "widths out of range");
    const uint32_t rows = (uint32_t)1 << (c->rsqrt_in - 1);
    t->rsqrt = assay_mem_alloc((size_t)OVERS * 2 * rows, sizeof *t->rsqrt);
    if (!t->rsqrt) return ASSAY_FAIL(err, ASSAY_ENOMEM, "tables", "out of memory");
    for (unsigned par = 0; par < 2; par++) {
        for (uint32_t k = 0; k < rows; k++) {
            uint64_t r = rsqrt_entry(c->d, rows + k, par, (unsigned)c->rs_t, (unsigned)c->rsqrt_out);
            if (r >> c->rsqrt_out != 0)
                return ASSAY_FAIL(err, ASSAY_ERANGE, "reciprocal square root table", "an entry is too wide");
            for (unsigned over = 0; over < OVERS; over++)
                t->rsqrt[((size_t)over * 2 + par) * rows + k] = (uint16_t)((r + ((1u << over) >> 1)) >> over);
        }
    }
    return ASSAY_OK;
}

/* exp(-i 2^-f) is low[i % GRID] high[i / GRID], i < GRID^2. */
typedef struct exp_grid {
    assay_fx low[GRID], high[GRID];
} exp_grid;

/* Powers of one entry: each product loses at most 2^-120, so all entries are within GRID 2^-100 <= 2^-88; a table of 16
 * bits needs 2^-46. */
static void powers(assay_fx *out, assay_fx base)
{
    out[0] = FX_ONE;
    for (uint32_t k = 1; k < GRID; k++) out[k] = assay_fx_mul(out[k - 1], base);
}

static void exp_grid_init(exp_grid *g, int f)
{
    powers(g->low, assay_fx_exp_neg_ratio(1, f));
    powers(g->high, assay_fx_exp_neg_ratio(GRID, f));
}

static assay_fx exp_grid_at(const exp_grid *g, uint32_t i)
{
    return assay_fx_mul(g->low[i % GRID], g->high[i / GRID]);
}

/* An entry stands for distances from i 2^rem_bits on, in steps of 2^-score_f: i is in steps of 2^-f. */
static int32_t exp_unit(const assay_model_config *c)
{
    return c->score_f - model_dist_rem_bits(c);
}

/* Entries that are not 0: i with 2^b exp(-i 2^-f) > 1/2, that is i < (b + 1) ln 2 2^f. */
static uint32_t exp_rows(const assay_model_config *c, uint32_t b)
{
    const uint64_t last = (uint64_t)((b + 1) * (assay_fx_ln2() >> (FX_BITS - 88)) >> (88 - exp_unit(c)));
    const uint64_t all = (uint64_t)1 << model_exp_bits(c);
    return (uint32_t)(last + 1 < all ? last + 1 : all);
}

/* The bits that rows of up to max_tokens have: low .. e_bits. */
static assay_status exp_alloc(assay_tables *t, const assay_model_config *c, uint32_t low, assay_errinfo *err)
{
    size_t total = 0, at = 0;
    t->exp = assay_mem_alloc((size_t)t->e_bits + 1, sizeof *t->exp);
    t->exp_rows = assay_mem_alloc((size_t)t->e_bits + 1, sizeof *t->exp_rows);
    for (uint32_t b = low; b <= t->e_bits; b++) total += exp_rows(c, b);
    t->exp_all = assay_mem_alloc(total, sizeof *t->exp_all);
    if (!t->exp || !t->exp_rows || !t->exp_all) return ASSAY_FAIL(err, ASSAY_ENOMEM, "tables", "out of memory");
    for (uint32_t b = low; b <= t->e_bits; b++) {
        t->exp[b] = t->exp_all + at;
        t->exp_rows[b] = exp_rows(c, b);
        at += t->exp_rows[b];
    }
    return ASSAY_OK;
}

static assay_status make_exp(assay_tables *t, const assay_model_config *c, uint32_t max_tokens, exp_grid *grid,
                             assay_errinfo *err)
{
    if (c->e_bits < 1 || c->e_bits > 16 || c->dist_bits < 1 || c->dist_bits > ASSAY_MAX_DIST_BITS || exp_unit(c) < 0 ||
        exp_unit(c) > 30)
        return ASSAY_FAIL(err, ASSAY_ERANGE, "exp table", "widths out of range");
    const int32_t least = assay_row_bits(c, max_tokens - 1);
    const uint32_t low = least < 1 ? 1 : (uint32_t)least;
    t->e_bits = (uint32_t)c->e_bits;
    assay_status s = exp_alloc(t, c, low, err);
    if (s != ASSAY_OK) return s;
    exp_grid_init(grid, exp_unit(c));
    for (uint32_t i = 0; i < t->exp_rows[t->e_bits]; i++) {
        const assay_fx e = exp_grid_at(grid, i);
        for (uint32_t b = t->e_bits; b >= low && i < t->exp_rows[b]; b--) {
            int64_t y;
            if (!assay_fx_round(&y, e, FX_BITS - b)) return ASSAY_FAIL(err, ASSAY_ERANGE, "exp table", doubtful);
            t->exp[b][i] = (uint32_t)y;
        }
    }
    return ASSAY_OK;
}

/* One layer: x in [-2^(b-1), 2^(b-1)), g = x 2^-f, entry floor(2^fsg g / (1 + exp(-g)) + 1/2). */
static assay_status make_silu_layer(int32_t *out, int b, int f, int fsg, exp_grid *grid, assay_errinfo *err)
{
    const uint32_t half = (uint32_t)1 << (b - 1);
    const int bits = 63 - (fsg - f);
    if (f < -40 || f > 60 || bits < 48 || bits > 120)
        return ASSAY_FAIL(err, ASSAY_ERANGE, "SiLU table", "binary points out of range");
    exp_grid_init(grid, f);
    out[half] = 0;
    for (uint32_t a = 1; a <= half; a++) {
        const assay_fx one = (assay_fx)1 << 63;
        assay_fx share = (one << 63) / (one + (exp_grid_at(grid, a) >> (FX_BITS - 63))); /* 1 / (1 + exp(-g)) */
        int64_t up, down;
        if (!assay_fx_round(&up, a * share, (unsigned)bits) ||
            !assay_fx_round(&down, a * (one - share), (unsigned)bits))
            return ASSAY_FAIL(err, ASSAY_ERANGE, "SiLU table", doubtful);
        if (down > NEAR_LIMIT || (a < half && up >= NEAR_LIMIT))
            return ASSAY_FAIL(err, ASSAY_ERANGE, "SiLU table", "an entry is outside 16 bits");
        out[half - a] = (int32_t)-down;
        if (a < half) out[half + a] = (int32_t)up;
    }
    return ASSAY_OK;
}

static assay_status make_silu(assay_tables *t, const assay_model_config *c, exp_grid *grid, assay_errinfo *err)
{
    size_t total = 0, at = 0;
    for (uint32_t l = 0; l < c->n_layers; l++) {
        if (c->layer[l].gate.b < 2 || c->layer[l].gate.b > SILU_BITS)
            return ASSAY_FAIL1(err, ASSAY_ERANGE, "SiLU table", "width out of range, layer", l);
        total += (size_t)1 << c->layer[l].gate.b;
    }
    t->silu = assay_mem_alloc(c->n_layers, sizeof *t->silu);
    int32_t *all = assay_mem_alloc(total, sizeof *all);
    if (!t->silu || !all) {
        assay_mem_free(all);
        return ASSAY_FAIL(err, ASSAY_ENOMEM, "tables", "out of memory");
    }
    t->n_layers = c->n_layers;
    for (uint32_t l = 0; l < c->n_layers; l++) {
        t->silu[l] = all + at;
        at += (size_t)1 << c->layer[l].gate.b;
    }
    for (uint32_t l = 0; l < c->n_layers; l++) {
        const assay_layer_config *lc = &c->layer[l];
        assay_status s = make_silu_layer(t->silu[l], lc->gate.b, lc->gate.f, lc->fsg, grid, err);
        if (s != ASSAY_OK) return s;
    }
    return ASSAY_OK;
}

static bool round_62(int32_t *out, int64_t v, unsigned shift)
{
    int64_t y;
    bool sure = assay_fx_round(&y, (assay_fx)(v < 0 ? -v : v), 62 - shift);
    *out = (int32_t)(v < 0 ? -y : y);
    return sure;
}

static assay_status make_rotation(assay_tables *t, const assay_model_config *c, uint32_t max_tokens, assay_errinfo *err)
{
    if (c->cos_bits < 1 || c->cos_bits > 15 || c->rope_theta_q16 < 1 << 16 || c->head_dim < 2 || c->head_dim % 2 != 0 ||
        (c->n_rope != 0 && c->n_rope != c->head_dim / 2))
        return ASSAY_FAIL(err, ASSAY_ERANGE, "rotation table", "parameters out of range");
    const uint32_t half = c->head_dim / 2;
    size_t n;
    if (!assay_mul_size(max_tokens, half, &n)) return ASSAY_FAIL(err, ASSAY_ENOMEM, "tables", "too many tokens");
    t->cos = assay_mem_alloc(n, sizeof *t->cos);
    t->sin = assay_mem_alloc(n, sizeof *t->sin);
    if (!t->cos || !t->sin) return ASSAY_FAIL(err, ASSAY_ENOMEM, "tables", "out of memory");
    t->max_tokens = max_tokens;
    const assay_fx log = assay_fx_ln_q16(c->rope_theta_q16) / c->head_dim;
    for (uint32_t k = 0; k < half; k++) {
        assay_fx step = assay_fx_turn(assay_fx_exp_neg(log * (2 * (uint64_t)k))); /* theta^(-2k/E) */
        if (c->n_rope != 0) step = assay_fx_turn_div(step, c->rope_q32[k]);
        for (uint32_t p = 0; p < max_tokens; p++) {
            int64_t co, si;
            assay_fx_cos_sin(&co, &si, step * p);
            size_t at = (size_t)p * half + k;
            if (!round_62(&t->cos[at], co, (unsigned)c->cos_bits) || !round_62(&t->sin[at], si, (unsigned)c->cos_bits))
                return ASSAY_FAIL2(err, ASSAY_ERANGE, "rotation table", doubtful, p, k);
        }
    }
    return ASSAY_OK;
}

assay_status assay_tables_new(assay_tables *t, const assay_model_config *c, uint32_t max_tokens, assay_errinfo *err)
{
    memset(t, 0, sizeof *t);
    if (max_tokens == 0) return ASSAY_FAIL(err, ASSAY_EINVAL, "tables", "no tokens");
    exp_grid *grid = assay_mem_alloc(1, sizeof *grid);
    if (!grid) return ASSAY_FAIL(err, ASSAY_ENOMEM, "tables", "out of memory");
    assay_status s = make_rsqrt(t, c, err);
    if (s == ASSAY_OK) s = make_exp(t, c, max_tokens, grid, err);
    if (s == ASSAY_OK) s = make_silu(t, c, grid, err);
    if (s == ASSAY_OK) s = make_rotation(t, c, max_tokens, err);
    assay_mem_free(grid);
    if (s != ASSAY_OK) assay_tables_clear(t);
    return s;
}

void assay_tables_clear(assay_tables *t)
{
    assay_mem_free(t->rsqrt);
    assay_mem_free(t->exp_all);
    assay_mem_free(t->exp_rows);
    assay_mem_free(t->exp);
    if (t->silu) assay_mem_free(t->silu[0]);
    assay_mem_free(t->silu);
    assay_mem_free(t->cos);
    assay_mem_free(t->sin);
    memset(t, 0, sizeof *t);
}

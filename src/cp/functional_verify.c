/* SPDX-License-Identifier: Apache-2.0 */
/* phi's multilinear extension at a point, box by box; docs/protocol.md §6.1, §8.5. */
#include "base/mem.h"
#include "cp/functional.h"
#include "poly/eq.h"

/* Sums over axis pieces of the present term: boxes that share a piece share its sum. */
enum { MAX_SUMS = 64 };
typedef struct piece_sum {
    uint32_t axis, start, log_len, bit;
    kel sum;
} piece_sum;
/* The same over pieces of the last two axes, for terms with a rotation. */
typedef struct rotation_piece {
    uint32_t start[2], log_len[2];
    kel sum;
} rotation_piece;

typedef struct eval {
    const assay_functional *f;
    const kel *point;
    unsigned n_vars;
    kel *scratch; /* as long as the longest axis piece */
    kel *pairs;   /* as long as the longest head */
    piece_sum sums[MAX_SUMS];
    rotation_piece rotations[MAX_SUMS];
    size_t n_sums, n_rotations;
} eval;

/* Binds all variables of the table v[2^k] to point; v is overwritten. */
static kel fold_all(kel *v, unsigned k, const kel *point)
{
    for (unsigned i = 0; i < k; i++)
        for (size_t b = 0; b < (size_t)1 << (k - 1 - i); b++)
            v[b] = k_add(v[2 * b], k_mul(point[i], k_sub(v[2 * b + 1], v[2 * b])));
    return v[0];
}

/* sum of eq(w->point, i - w->start) eq(point, i - start) over a piece of 2^k indices, an aligned part of the weights'
 * range (boxes are only ever halved): a product over the low variables, times the piece's place among the high ones. */
static kel eq_sum(const assay_weights *w, uint32_t start, unsigned k, const kel *point)
{
    unsigned n = 0;
    while ((uint32_t)1 << n < w->len) n++;
    return k_mul(assay_eq_index(w->point + k, n - k, (start - w->start) >> k), assay_eq_eval(w->point, point, k));
}

/* sum over lo <= i < hi of w(i) eq(point, i - start) for an axis piece [start, start + 2^k). */
static kel axis_sum(eval *e, const assay_weights *w, uint32_t start, unsigned k, uint32_t lo, uint32_t hi,
                    const kel *point)
{
    uint32_t n = hi - lo, len = (uint32_t)1 << k;
    if (w->point) return eq_sum(w, start, k, point);
    if (!w->w && n == len) return k_one();
    if ((uint64_t)n * k < len) {
        kel sum = k_zero();
        for (uint32_t i = lo; i < hi; i++) {
            kel q = assay_eq_index(point, k, i - start);
            sum = k_add(sum, w->w ? k_mul(q, w->w[i - w->start]) : q);
        }
        return sum;
    }
    for (uint32_t i = 0; i < len; i++) {
        bool in = start + i >= lo && start + i < hi;
        e->scratch[i] = !in ? k_zero() : w->w ? w->w[start + i - w->start] : k_one();
    }
    return fold_all(e->scratch, k, point);
}

/* The same for axis a of a term in a box; bit: where the axis' coordinates begin. */
static kel term_axis(eval *e, const assay_term *t, const assay_box *b, unsigned a, unsigned bit, uint32_t lo,
                     uint32_t hi)
{
    for (size_t i = 0; i < e->n_sums; i++) {
        const piece_sum *s = &e->sums[i];
        if (s->axis == a && s->start == b->start[a] && s->log_len == b->log_len[a] && s->bit == bit) return s->sum;
    }
    kel sum = axis_sum(e, &t->ax[a], b->start[a], b->log_len[a], lo, hi, e->point + bit);
    if (e->n_sums < MAX_SUMS) e->sums[e->n_sums++] = (piece_sum){a, b->start[a], b->log_len[a], bit, sum};
    return sum;
}

/* sum over (t, x) of a rotation's weights times eq. The sum over x comes first, by pairs: two numbers a pair, kept in
 * scratch; then each token costs two products by words a pair. O(tokens + width) memory. */
static kel rotation_sum(eval *e, const assay_rotation *r, const assay_box *b, unsigned a)
{
    const uint32_t half = r->head_dim / 2;
    unsigned ki = b->log_len[a], kj = b->log_len[a + 1];
    for (size_t i = 0; i < e->n_rotations; i++) {
        const rotation_piece *s = &e->rotations[i];
        if (s->start[0] == b->start[a] && s->start[1] == b->start[a + 1] && s->log_len[0] == ki && s->log_len[1] == kj)
            return s->sum;
    }
    for (uint32_t k = 0; k < half; k++) e->pairs[2 * k] = e->pairs[2 * k + 1] = k_zero();
    assay_eq_table(e->scratch, e->point, kj);
    for (uint32_t j = 0; j < (uint32_t)1 << kj; j++) {
        const uint32_t x = b->start[a + 1] + j, k = x % half;
        kel pair[2];
        rotation_pair(r, x, pair);
        for (uint32_t i = 0; i < 2; i++)
            e->pairs[2 * k + i] = k_add(e->pairs[2 * k + i], k_mul(e->scratch[j], pair[i]));
    }
    kel sum = k_zero();
    assay_eq_table(e->scratch, e->point + kj, ki);
    for (uint32_t i = 0; i < (uint32_t)1 << ki; i++) {
        const size_t t = b->start[a] + i;
        const int32_t *co = r->cos + t * half, *si = r->sin + t * half;
        kel row = k_zero();
        for (uint32_t k = 0; k < half; k++)
            row = k_add(row, k_add(k_mul_f(e->pairs[2 * k], m31_from_i64(co[k])),
                                   k_mul_f(e->pairs[2 * k + 1], m31_from_i64(si[k]))));
        sum = k_add(sum, k_mul(row, k_mul(r->token[t], e->scratch[i])));
    }
    if (e->n_rotations < MAX_SUMS)
        e->rotations[e->n_rotations++] = (rotation_piece){{b->start[a], b->start[a + 1]}, {ki, kj}, sum};
    return sum;
}

/* The term's share from one box, without the weight of the box's base. */
static kel term_in_box(eval *e, const assay_term *t, const assay_grid *g, const assay_box *b)
{
    uint32_t lo[ASSAY_GRID_AXES], hi[ASSAY_GRID_AXES];
    if (!assay_term_meets(t, g, b, lo, hi)) return k_zero();
    kel v = t->coef;
    unsigned bit = 0, a = g->n_axes;
    if (t->rotation) {
        a -= 2;
        v = k_mul(v, rotation_sum(e, &e->f->rotation[t->rotation - 1], b, a));
        bit = b->log_len[a] + b->log_len[a + 1];
    }
    while (a-- > 0) {
        v = k_mul(v, term_axis(e, t, b, a, bit, lo[a], hi[a]));
        bit += b->log_len[a];
    }
    return v;
}

static size_t slot_of(const assay_cp_shape *s, uint32_t grid)
{
    return grid >= ASSAY_GRID_OF_MATRIX(0) ? s->n_grids + (grid - ASSAY_GRID_OF_MATRIX(0)) : grid;
}

/* log2 of the longest piece of an axis whose weights are written out. used: a byte a slot, zeroed; gets the axes that
 * some term writes out, and then every grid is looked through once. */
static uint32_t longest_piece(const assay_functional *f, uint8_t *used)
{
    const assay_cp_shape *s = f->shape;
    uint32_t log_len = 0;
    for (size_t i = 0; i < f->n; i++)
        for (unsigned a = 0; a < ASSAY_GRID_AXES; a++)
            if (!f->term[i].ax[a].point) used[slot_of(s, f->term[i].grid)] |= (uint8_t)(1u << a);
    for (size_t slot = 0; slot < s->n_grids + MAT_COUNT; slot++) {
        const assay_grid *g = slot < s->n_grids ? &s->grid[slot] : &s->weights[slot - s->n_grids];
        for (uint32_t b = 0; used[slot] && b < g->n_box; b++)
            for (unsigned a = 0; a < g->n_axes; a++)
                if (used[slot] >> a & 1 && g->box[b].log_len[a] > log_len) log_len = g->box[b].log_len[a];
    }
    return log_len;
}

static size_t longest_head(const assay_functional *f)
{
    size_t n = 0;
    for (uint32_t i = 0; i < f->n_rotations; i++) n = f->rotation[i].head_dim > n ? f->rotation[i].head_dim : n;
    return n;
}

/* Weight of a box's base: eq of the coordinates above the box's own. Boxes of one grid are met by many terms, so these
 * are computed once a grid. */
static bool base_weights(const eval *e, uint32_t grid, kel **cache, size_t slot)
{
    const assay_grid *g = assay_functional_grid(e->f->shape, grid);
    if (cache[slot] || g->n_box == 0) return true;
    cache[slot] = assay_mem_alloc(g->n_box, sizeof(kel));
    if (!cache[slot]) return false;
    for (uint32_t b = 0; b < g->n_box; b++) {
        unsigned k = g->box[b].log_n;
        uint64_t at = assay_functional_address(e->f->shape, grid, &g->box[b]);
        cache[slot][b] = assay_eq_index(e->point + k, e->n_vars - k, at >> k);
    }
    return true;
}

assay_status assay_functional_eval(const assay_functional *f, const assay_iop *iop, const kel *point, kel *out)
{
    const assay_cp_shape *s = f->shape;
    size_t n_slots = s->n_grids + MAT_COUNT;
    kel **cache = assay_mem_alloc(n_slots, sizeof *cache);
    uint8_t *used = assay_mem_alloc(n_slots, 1);
    size_t piece = used ? (size_t)1 << longest_piece(f, used) : 1;
    eval e = {.f = f, .point = point, .n_vars = s->params.c + s->row_bits};
    e.scratch = assay_mem_alloc(piece, sizeof *e.scratch);
    e.pairs = assay_mem_alloc(longest_head(f), sizeof *e.pairs);
    assay_status st = !f->failed && cache && used && e.scratch && e.pairs ? ASSAY_OK : ASSAY_ENOMEM;
    *out = k_zero();
    for (size_t i = 0; i < f->n && st == ASSAY_OK; i++) {
        const assay_term *t = &f->term[i];
        const assay_grid *g = assay_functional_grid(s, t->grid);
        size_t slot = slot_of(s, t->grid);
        e.n_sums = e.n_rotations = 0;
        if (!base_weights(&e, t->grid, cache, slot)) st = ASSAY_ENOMEM;
        kel sum = k_zero();
        bool all = t->natural == ASSAY_EVERY_BOX;
        uint32_t b = all ? 0 : g->natural_at[t->natural], end = all ? g->n_box : g->natural_at[t->natural + 1];
        for (; b < end && st == ASSAY_OK; b++) {
            kel v = term_in_box(&e, t, g, &g->box[b]);
            if (!k_is_zero(v)) sum = k_add(sum, k_mul(v, cache[slot][b]));
        }
        kel weight = t->node == (assay_claim)ASSAY_NODE_ONE ? k_one() : assay_iop_weight(iop, t->node);
        *out = k_add(*out, k_mul(weight, sum));
    }
    for (size_t i = 0; cache && i < n_slots; i++) assay_mem_free(cache[i]);
    assay_mem_free(cache);
    assay_mem_free(used);
    assay_mem_free(e.scratch);
    assay_mem_free(e.pairs);
    return st;
}

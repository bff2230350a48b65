/* SPDX-License-Identifier: Apache-2.0 */
/* Which tuples are looked up in which table: docs/protocol.md §7.2, one line a family. */
#include "cp/families.h"

#include "base/mem.h"

enum { MAX_FAMILIES = 128 };

/* Building state: families are written in order; constants along axis 0 go to one array sized in advance. */
typedef struct maker {
    assay_cp_shape *s;
    const assay_model_config *cfg;
} maker;

static int32_t *constants(maker *m, uint32_t n)
{
    int32_t *p = m->s->constants + m->s->n_constants;
    m->s->n_constants += n;
    return p;
}

static assay_family *family(maker *m, const char *name, int32_t table, const uint8_t *axis, unsigned n_axes)
{
    assay_family *f = &m->s->family[m->s->n_family++];
    uint32_t extent[ASSAY_GRID_AXES] = {0};
    f->name = name;
    f->table = table;
    f->n_axes = (uint8_t)n_axes;
    for (unsigned a = 0; a < n_axes; a++) {
        f->axis[a] = axis[a];
        extent[a] = assay_cp_axis_extent(&m->s->run, axis[a]);
    }
    f->grid = assay_grid_of(n_axes, extent, axis[0] == AX_I);
    return f;
}

/* A family whose index set is that of a tensor. */
static assay_family *family_of(maker *m, const char *name, int32_t table, assay_tensor t)
{
    return family(m, name, table, assay_cp_grid_axes(m->s, t), m->s->grid[t].n_axes);
}

static assay_component *comp(assay_family *f)
{
    return &f->comp[f->n_comps++];
}

static assay_component *comp_const(assay_family *f, int32_t c)
{
    assay_component *k = comp(f);
    k->c0 = c;
    return k;
}

static assay_component *comp_ref(assay_component *k, assay_tensor t, int32_t coef)
{
    k->ref[k->n_refs].tensor = (uint8_t)t;
    k->ref[k->n_refs++].coef = coef;
    return k;
}

static assay_component *comp_cell(assay_family *f, assay_tensor t)
{
    return comp_ref(comp(f), t, 1);
}

/* RANGE (width, t + offset). */
static void fixed_range(maker *m, assay_tensor t, int32_t width, int32_t offset)
{
    assay_family *f = family_of(m, assay_tensor_name(t), TABLE_RANGE, t);
    comp_const(f, width);
    comp_cell(f, t)->c0 = offset;
}

/* RANGE (width tensor, t). */
static void hidden_range(maker *m, assay_tensor width, assay_tensor t)
{
    assay_family *f = family_of(m, assay_tensor_name(t), TABLE_RANGE, t);
    comp_cell(f, width);
    comp_cell(f, t);
}

typedef assay_site site_of(const assay_model_config *cfg, uint32_t i);

/* RANGE (b, y + 2^(b-1)), b by the first axis. */
static void signed_range(maker *m, assay_tensor y, site_of *site, int32_t widen)
{
    assay_family *f = family_of(m, assay_tensor_name(y), TABLE_RANGE, y);
    uint32_t n = f->grid.extent[0];
    int32_t *b = constants(m, n), *half = constants(m, n);
    for (uint32_t i = 0; i < n; i++) {
        b[i] = site(m->cfg, i).b + widen;
        half[i] = (int32_t)1 << (b[i] - 1);
    }
    comp(f)->by_axis0 = b;
    comp_cell(f, y)->by_axis0 = half;
}

/* RANGE (s, rem), s by the first axis. */
static void remainder_range(maker *m, assay_tensor rem, site_of *site)
{
    assay_family *f = family_of(m, assay_tensor_name(rem), TABLE_RANGE, rem);
    uint32_t n = f->grid.extent[0];
    int32_t *s = constants(m, n);
    for (uint32_t i = 0; i < n; i++) s[i] = site(m->cfg, i).s;
    comp(f)->by_axis0 = s;
    comp_cell(f, rem);
}

static void pair(maker *m, assay_tensor y, site_of *site)
{
    signed_range(m, y, site, 0);
    remainder_range(m, (assay_tensor)(y + 1), site);
}

static assay_site site_rebase(const assay_model_config *cfg, uint32_t b)
{
    assay_site s = {cfg->resid_bits, 0, 0};
    for (uint32_t j = 1; j < model_sites(cfg); j++)
        if (assay_rebase_index(cfg, j) == (int)b) s.s = cfg->unit[j - 1] - cfg->unit[j];
    return s;
}
static assay_site site_q(const assay_model_config *c, uint32_t l)
{
    return c->layer[l].q;
}
static assay_site site_k(const assay_model_config *c, uint32_t l)
{
    return c->layer[l].k;
}
static assay_site site_v(const assay_model_config *c, uint32_t l)
{
    return c->layer[l].v;
}
static assay_site site_qr(const assay_model_config *c, uint32_t l)
{
    return c->layer[l].qr;
}
static assay_site site_kr(const assay_model_config *c, uint32_t l)
{
    return c->layer[l].kr;
}
static assay_site site_o(const assay_model_config *c, uint32_t l)
{
    return c->layer[l].o;
}
static assay_site site_gate(const assay_model_config *c, uint32_t l)
{
    return c->layer[l].gate;
}
static assay_site site_up(const assay_model_config *c, uint32_t l)
{
    return c->layer[l].up;
}
static assay_site site_act(const assay_model_config *c, uint32_t l)
{
    return c->layer[l].act;
}
static assay_site site_down(const assay_model_config *c, uint32_t l)
{
    return c->layer[l].down;
}
static assay_site site_ng(const assay_model_config *c, uint32_t p)
{
    (void)p;
    return c->ng;
}

static assay_site site_qg(const assay_model_config *c, uint32_t l)
{
    return c->layer[l].qg;
}
static assay_site site_kg(const assay_model_config *c, uint32_t l)
{
    return c->layer[l].kg;
}

/* Unit of the normalised rows with index i on the first axis. */
static int32_t norm_unit(const assay_model_config *cfg, assay_norm_kind kind, uint32_t i)
{
    if (kind == NORM_HEADS) return cfg->layer[i].fnh;
    return i == 2 * cfg->n_layers ? cfg->fn_final : i & 1 ? cfg->layer[i / 2].fn2 : cfg->layer[i / 2].fn1;
}

/* Names of the families that are not called by their tensor. */
typedef struct norm_names {
    const char *square, *flag, *power, *exponent, *root;
} norm_names;

static void norm_families(maker *m, assay_norm_kind kind)
{
    static const norm_names names[2] = {
        {"residual and square", "norm flag 2", "norm power of two", "norm exponent", "reciprocal root"},
        {"head and square", "head norm flag 2", "head norm power of two", "head norm exponent",
         "head reciprocal root"}};
    static const assay_tensor digits[] = {TEN_NA0, TEN_NA1, TEN_NB0, TEN_NB1, TEN_NS0, TEN_NS1, TEN_NS2};
    static const assay_tensor carries[] = {TEN_NC0, TEN_NC1, TEN_NC2};
    const assay_model_config *cfg = m->cfg;
    const norm_names *name = &names[kind];
#define OF(t) tensor_of_norm(kind, t)

    assay_family *f = family_of(m, name->square, TABLE_SQUARE, OF(TEN_SQ));
    comp(f)->virt = kind == NORM_HEADS ? VIRT_HEADS : VIRT_RESIDUAL;
    comp_cell(f, OF(TEN_SQ));
    fixed_range(m, OF(TEN_N), cfg->n_bits, (int32_t)1 << (cfg->n_bits - 1));
    hidden_range(m, OF(TEN_NSIG), OF(TEN_NREM));

    for (size_t i = 0; i < sizeof digits / sizeof *digits; i++) fixed_range(m, OF(digits[i]), 15, 0);
    for (size_t i = 0; i < sizeof carries / sizeof *carries; i++) fixed_range(m, OF(carries[i]), 2, 0);
    fixed_range(m, OF(TEN_NF0), 1, 0);
    fixed_range(m, OF(TEN_NF1), 1, 0);
    f = family_of(m, name->flag, TABLE_RANGE, OF(TEN_NF0));
    comp_const(f, 1);
    comp_ref(comp_ref(comp_const(f, 1), OF(TEN_NF0), -1), OF(TEN_NF1), -1);
    f = family_of(m, name->power, TABLE_POW, OF(TEN_NR));
    comp_cell(f, OF(TEN_NR));
    comp_cell(f, OF(TEN_NDR));
    hidden_range(m, OF(TEN_NR), OF(TEN_NRHO));

    /* G = 15 (NF1 + 2 (1 - NF0 - NF1)) + NR + 2 (rs_t - fn) */
    f = family_of(m, name->exponent, TABLE_NEXP, OF(TEN_NR));
    const uint32_t n = f->grid.extent[0];
    int32_t *g0 = constants(m, n);
    for (uint32_t i = 0; i < n; i++) g0[i] = 30 + 2 * (cfg->rs_t - norm_unit(cfg, kind, i));
    assay_component *g = comp_ref(comp_ref(comp_ref(comp(f), OF(TEN_NF0), -30), OF(TEN_NF1), -15), OF(TEN_NR), 1);
    g->by_axis0 = g0;
    comp_cell(f, OF(TEN_NPAR));
    comp_cell(f, OF(TEN_NSIG));
    comp_cell(f, OF(TEN_NOVER));
    comp_cell(f, OF(TEN_NDS));
    comp_cell(f, OF(TEN_NHF));
    f = family_of(m, name->root, TABLE_RSQRT, OF(TEN_NM));
    comp_cell(f, OF(TEN_NPAR));
    comp_cell(f, OF(TEN_NM));
    comp_cell(f, OF(TEN_NOVER));
    comp_cell(f, OF(TEN_NRT));
#undef OF
}

static void head_norm_families(maker *m)
{
    if (!model_has_head_norms(m->cfg)) return;
    norm_families(m, NORM_HEADS);
    pair(m, TEN_QG, site_qg);
    pair(m, TEN_KG, site_kg);
}

static void attention_families(maker *m)
{
    const assay_model_config *cfg = m->cfg;
    assay_family *f = family_of(m, "score", TABLE_EXP, TEN_EX);
    int32_t *bits = constants(m, m->s->run.n_tokens);
    for (uint32_t i = 0; i < m->s->run.n_tokens; i++) bits[i] = assay_row_bits(cfg, i);
    f->table_by_axis0 = bits;
    assay_component *key = comp_cell(f, TEN_CMAX);
    key->virt = VIRT_SCORE;
    comp_cell(f, TEN_EX);
    comp_cell(f, TEN_ZF);
    const int32_t rem_bits = model_dist_rem_bits(cfg);
    if (rem_bits) {
        comp_ref(key, TEN_DREM, -1);
        f = family_of(m, assay_tensor_name(TEN_DREM), TABLE_RANGE, TEN_DREM); /* none where the flag is */
        comp_ref(comp_const(f, rem_bits), TEN_ZF, -rem_bits);
        comp_cell(f, TEN_DREM);
    }

    f = family_of(m, "Z exponent", TABLE_ZEXP, TEN_ZDEL);
    comp_cell(f, TEN_ZDEL);
    comp_cell(f, TEN_ZDD);
    comp_cell(f, TEN_ZFZ);
    f = family_of(m, "Z mantissa", TABLE_RANGE, TEN_ZP);
    comp_ref(comp_const(f, 16), TEN_ZFZ, -1);
    comp_ref(comp_cell(f, TEN_ZP), TEN_ZFZ, -(1 << 15));
    hidden_range(m, TEN_ZDEL, TEN_ZLOW);
    fixed_range(m, TEN_ZH0, 16, 0);
    fixed_range(m, TEN_ZH1, 6, 0);
    fixed_range(m, TEN_ZB, 1, 0);

    const int32_t carry_bits = cfg->z_bits + cfg->o_guard + 1;
    signed_range(m, TEN_O1, site_v, cfg->o_guard - ASSAY_LIMB_BITS);
    fixed_range(m, TEN_O0, ASSAY_LIMB_BITS, 0);
    fixed_range(m, TEN_OREM, 16, 0);
    f = family_of(m, "division remainder below Z", TABLE_RANGE, TEN_OREM);
    comp_const(f, 16);
    comp_ref(comp_ref(comp_const(f, -1), TEN_ZP, 1), TEN_OREM, -1);
    hidden_range(m, TEN_ZDEL, TEN_ORHO);
    fixed_range(m, TEN_OC1, carry_bits > 16 ? carry_bits - 16 : 0, 0);
    fixed_range(m, TEN_OC0, 16, 0);
}

static void gate_families(maker *m)
{
    remainder_range(m, TEN_GATEREM, site_gate);
    assay_family *f = family_of(m, "SiLU", TABLE_SILU, TEN_GATE);
    int32_t *layer = constants(m, m->cfg->n_layers);
    for (uint32_t l = 0; l < m->cfg->n_layers; l++) layer[l] = (int32_t)l;
    f->table_by_axis0 = layer;
    comp_cell(f, TEN_GATE);
    comp_cell(f, TEN_SG);
}

/* The flag is a bit, and where it is 0 the gap's width is 0; most - GAP is not negative. Width: config's gap_bits. */
static void gap_families(maker *m)
{
    const int32_t bits = gap_bits(m->cfg);
    fixed_range(m, TEN_GZ, 1, 0);
    assay_family *f = family_of(m, assay_tensor_name(TEN_GAP), TABLE_RANGE, TEN_GAP);
    comp_ref(comp_const(f, 0), TEN_GZ, bits);
    comp_cell(f, TEN_GAP);
    fixed_range(m, TEN_GREM, gap_shift(m->cfg), 0);
    f = family_of(m, "gap below its bound", TABLE_RANGE, TEN_GAP);
    comp_const(f, bits);
    comp_ref(comp_const(f, (int32_t)m->s->gap.most), TEN_GAP, -1);
    fixed_range(m, TEN_GSP, GAP_SPARE_BITS, 0);
}

assay_status assay_families_make(assay_cp_shape *s, assay_errinfo *err)
{
    maker m = {s, s->run.cfg};
    /* No family has more than two vectors along its first axis, sites or fewer; along tokens there are the row bits and
     * the three of the final row alone. */
    const size_t n_constants = (size_t)MAX_FAMILIES * 2 * model_sites(m.cfg) + 4 * (size_t)s->run.n_tokens;
    s->family = assay_mem_alloc(MAX_FAMILIES, sizeof *s->family);
    s->constants = assay_mem_alloc(n_constants, sizeof *s->constants);
    if (!s->family || !s->constants) return ASSAY_FAIL(err, ASSAY_ENOMEM, "look-ups", "out of memory");
    norm_families(&m, NORM_RESIDUAL);
    if (s->run.n_rebase) pair(&m, TEN_REB, site_rebase);
    pair(&m, TEN_Q, site_q);
    pair(&m, TEN_K, site_k);
    head_norm_families(&m);
    signed_range(&m, TEN_V1, site_v, -ASSAY_LIMB_BITS);
    remainder_range(&m, TEN_VREM, site_v);
    fixed_range(&m, TEN_V0, ASSAY_LIMB_BITS, 0);
    pair(&m, TEN_QR, site_qr);
    pair(&m, TEN_KR, site_kr);
    attention_families(&m);
    pair(&m, TEN_Y, site_o);
    gate_families(&m);
    pair(&m, TEN_UP, site_up);
    pair(&m, TEN_ACT, site_act);
    pair(&m, TEN_DOWN, site_down);
    pair(&m, TEN_NG, site_ng);
    fixed_range(&m, TEN_LHI, 14, 0);
    fixed_range(&m, TEN_LLO, 16, 0);
    if (s->run.n_gap) gap_families(&m);
    return ASSAY_OK;
}

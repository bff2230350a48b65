/* SPDX-License-Identifier: Apache-2.0 */
/* Canonical bytes of a model configuration (docs/formats.md, "model configuration"): version, numbers in the order of
 * the structure, little-endian, signed ones as two's complement. No padding; numbers of parts that a model does not
 * have are not there. */
#include "base/mem.h"
#include "model/config.h"

enum { VERSION = 1, N_LAYER_NUMBERS = 10 * 3 + 3 };

static void write_i32(assay_writer *w, int32_t v)
{
    assay_write_u32(w, (uint32_t)v);
}

static int32_t read_i32(assay_reader *r)
{
    uint32_t v = assay_read_u32(r);
    return v < 0x80000000u ? (int32_t)v : (int32_t)(v - 0x80000000u) + INT32_MIN;
}

/* The unsigned numbers of the head, in file order. */
static size_t head_fields(assay_model_config *c, uint32_t **out)
{
    uint32_t *const f[] = {&c->family, &c->n_layers,      &c->d,    &c->n_heads,    &c->n_kv, &c->head_dim, &c->ff,
                           &c->vocab,  &c->max_positions, &c->tied, &c->fixed_first};
    for (size_t i = 0; i < sizeof f / sizeof *f; i++) out[i] = f[i];
    return sizeof f / sizeof *f;
}

/* The signed numbers after the stop tokens. */
static size_t width_fields(assay_model_config *c, int32_t **out)
{
    int32_t *const f[] = {&c->n_bits,     &c->score_f, &c->dist_bits, &c->cos_bits,  &c->e_bits,
                          &c->z_bits,     &c->o_guard, &c->rsqrt_in,  &c->rsqrt_out, &c->rs_t,
                          &c->resid_bits, &c->f_embed, &c->f_head,    &c->f_gf,      &c->fn_final,
                          &c->ng.b,       &c->ng.s,    &c->ng.f,      &c->logit_f};
    for (size_t i = 0; i < sizeof f / sizeof *f; i++) out[i] = f[i];
    return sizeof f / sizeof *f;
}

/* Of a layer of a model with norms of heads. */
static size_t head_norm_fields(assay_layer_config *y, int32_t **out)
{
    int32_t *const f[] = {&y->qg.b, &y->qg.s, &y->qg.f, &y->kg.b, &y->kg.s, &y->kg.f, &y->fnh};
    for (size_t i = 0; i < sizeof f / sizeof *f; i++) out[i] = f[i];
    return sizeof f / sizeof *f;
}

static size_t layer_fields(assay_layer_config *y, int32_t **out)
{
    assay_site *const site[] = {&y->q, &y->k, &y->v, &y->qr, &y->kr, &y->o, &y->gate, &y->up, &y->act, &y->down};
    size_t n = 0;
    for (size_t i = 0; i < sizeof site / sizeof *site; i++) {
        out[n++] = &site[i]->b;
        out[n++] = &site[i]->s;
        out[n++] = &site[i]->f;
    }
    out[n++] = &y->fn1;
    out[n++] = &y->fn2;
    out[n++] = &y->fsg;
    return n;
}

void assay_model_config_encode(assay_writer *w, const assay_model_config *c)
{
    assay_model_config copy = *c;
    uint32_t *head[16];
    int32_t *width[24], *number[N_LAYER_NUMBERS];
    assay_write_u32(w, VERSION);
    size_t n = head_fields(&copy, head);
    for (size_t i = 0; i < n; i++) assay_write_u32(w, *head[i]);
    assay_write_u64(w, c->rope_theta_q16);
    assay_write_u64(w, c->eps_q60);
    write_i32(w, c->bos);
    assay_write_u32(w, c->n_stop);
    for (uint32_t i = 0; i < c->n_stop; i++) assay_write_u32(w, c->stop[i]);
    n = width_fields(&copy, width);
    for (size_t i = 0; i < n; i++) write_i32(w, *width[i]);
    for (uint32_t j = 0; j < model_sites(c); j++) {
        write_i32(w, c->unit[j]);
        assay_write_i64(w, c->eps_term[j]);
    }
    for (uint32_t l = 0; l < c->n_layers; l++) {
        assay_layer_config y = c->layer[l];
        n = layer_fields(&y, number);
        for (size_t i = 0; i < n; i++) write_i32(w, *number[i]);
    }
    assay_write_u32(w, c->n_rope);
    for (uint32_t i = 0; i < c->n_rope; i++) assay_write_u64(w, c->rope_q32[i]);
    assay_write_u32(w, c->parts);
    for (uint32_t l = 0; model_has_head_norms(c) && l < c->n_layers; l++) {
        assay_layer_config y = c->layer[l];
        n = head_norm_fields(&y, number);
        for (size_t i = 0; i < n; i++) write_i32(w, *number[i]);
    }
}

static assay_status decode_head(assay_model_config *c, assay_reader *r, assay_errinfo *err)
{
    static const char subject[] = "model configuration";
    uint32_t *head[16];
    int32_t *width[24];
    uint32_t version = assay_read_u32(r);
    if (!r->bad && version != VERSION)
        return ASSAY_FAIL1(err, ASSAY_EUNSUPPORTED, subject, "unknown format version", version);
    size_t n = head_fields(c, head);
    for (size_t i = 0; i < n; i++) *head[i] = assay_read_u32(r);
    c->rope_theta_q16 = assay_read_u64(r);
    c->eps_q60 = assay_read_u64(r);
    c->bos = read_i32(r);
    uint32_t n_stop = assay_read_u32(r);
    if (n_stop > ASSAY_MAX_STOP_IDS)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, subject, "too many stop tokens", n_stop, ASSAY_MAX_STOP_IDS);
    c->n_stop = n_stop;
    for (uint32_t i = 0; i < n_stop; i++) c->stop[i] = assay_read_u32(r);
    n = width_fields(c, width);
    for (size_t i = 0; i < n; i++) *width[i] = read_i32(r);
    if (r->bad) return ASSAY_FAIL(err, ASSAY_EFORMAT, subject, "ends too early");
    if (c->n_layers < 1 || c->n_layers > ASSAY_MAX_LAYERS)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, subject, "number of layers", c->n_layers, ASSAY_MAX_LAYERS);
    return ASSAY_OK;
}

static assay_status decode_tables(assay_model_config *c, assay_reader *r, assay_errinfo *err)
{
    int32_t *number[N_LAYER_NUMBERS];
    size_t need = (size_t)model_sites(c) * 12 + (size_t)c->n_layers * N_LAYER_NUMBERS * 4;
    if (assay_reader_left(r) < need) return ASSAY_FAIL(err, ASSAY_EFORMAT, "model configuration", "ends too early");
    c->unit = assay_mem_alloc(model_sites(c), sizeof *c->unit);
    c->eps_term = assay_mem_alloc(model_sites(c), sizeof *c->eps_term);
    c->layer = assay_mem_alloc(c->n_layers, sizeof *c->layer);
    if (!c->unit || !c->eps_term || !c->layer)
        return ASSAY_FAIL(err, ASSAY_ENOMEM, "model configuration", "out of memory");
    for (uint32_t j = 0; j < model_sites(c); j++) {
        c->unit[j] = read_i32(r);
        c->eps_term[j] = assay_read_i64(r);
    }
    for (uint32_t l = 0; l < c->n_layers; l++) {
        size_t n = layer_fields(&c->layer[l], number);
        for (size_t i = 0; i < n; i++) *number[i] = read_i32(r);
    }
    return ASSAY_OK;
}

static void decode_head_norms(assay_model_config *c, assay_reader *r)
{
    int32_t *number[N_LAYER_NUMBERS];
    for (uint32_t l = 0; model_has_head_norms(c) && l < c->n_layers; l++) {
        size_t n = head_norm_fields(&c->layer[l], number);
        for (size_t i = 0; i < n; i++) *number[i] = read_i32(r);
    }
}

static assay_status decode_rope(assay_model_config *c, assay_reader *r, assay_errinfo *err)
{
    static const char subject[] = "model configuration";
    uint32_t n = assay_read_u32(r);
    if (n > ASSAY_MAX_ROPE)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, subject, "too many factors of RoPE scaling", n, ASSAY_MAX_ROPE);
    if (n > 0 && !r->bad) {
        c->rope_q32 = assay_mem_alloc(n, sizeof *c->rope_q32);
        if (!c->rope_q32) return ASSAY_FAIL(err, ASSAY_ENOMEM, subject, "out of memory");
        for (uint32_t i = 0; i < n; i++) c->rope_q32[i] = assay_read_u64(r);
    }
    c->n_rope = n;
    c->parts = assay_read_u32(r);
    decode_head_norms(c, r);
    return r->bad ? ASSAY_FAIL(err, ASSAY_EFORMAT, subject, "ends too early") : ASSAY_OK;
}

assay_status assay_model_config_decode(assay_model_config *c, assay_reader *r, assay_errinfo *err)
{
    *c = (assay_model_config){0};
    assay_status s = decode_head(c, r, err);
    if (s == ASSAY_OK) s = decode_tables(c, r, err);
    if (s == ASSAY_OK) s = decode_rope(c, r, err);
    if (s != ASSAY_OK) assay_model_config_clear(c);
    return s;
}

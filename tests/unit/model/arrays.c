/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing files of named arrays, and a model as such a file. */
#include "unit/model/arrays.h"
#include "base/bytes.h"
#include "base/file.h"
#include "base/mem.h"
#include "model/weights.h"
#include <string.h>

enum { NAME_BYTES = 32, HEAD_BYTES = NAME_BYTES + 8 };

bool assay_arrays_open(assay_arrays *a, const char *path)
{
    a->p = NULL;
    return assay_file_read(path, (size_t)1 << 32, &a->p, &a->n, NULL) == ASSAY_OK;
}

void assay_arrays_close(assay_arrays *a)
{
    if (a->p) assay_mem_free_secret(a->p, a->n);
    a->p = NULL;
}

/* Position of the values of an array; count 0 if there is none. */
static size_t find(const assay_arrays *a, const char *name, size_t *count)
{
    *count = 0;
    for (size_t at = 0; a->n - at >= HEAD_BYTES;) {
        uint64_t n = assay_load_u64(a->p + at + NAME_BYTES);
        if (n > (a->n - at - HEAD_BYTES) / 8) return 0;
        if (strncmp((const char *)a->p + at, name, NAME_BYTES) == 0) {
            *count = (size_t)n;
            return at + HEAD_BYTES;
        }
        at += HEAD_BYTES + (size_t)n * 8;
    }
    return 0;
}

size_t assay_arrays_count(const assay_arrays *a, const char *name)
{
    size_t n;
    find(a, name, &n);
    return n;
}

int64_t assay_arrays_at(const assay_arrays *a, const char *name, size_t i)
{
    size_t n, at = find(a, name, &n);
    return i < n ? (int64_t)assay_load_u64(a->p + at + 8 * i) : INT64_MIN;
}

size_t assay_arrays_differ(const assay_arrays *a, const char *name, const int32_t *v, size_t n)
{
    size_t count, at = find(a, name, &count), i = 0;
    if (count != n) return SIZE_MAX;
    while (i < n && (int64_t)assay_load_u64(a->p + at + 8 * i) == v[i]) i++;
    return i;
}

static void write_head(FILE *f, const char *name, size_t n)
{
    uint8_t head[HEAD_BYTES] = {0};
    for (size_t k = 0; k < NAME_BYTES && name[k]; k++) head[k] = (uint8_t)name[k];
    assay_store_u64(head + NAME_BYTES, n);
    fwrite(head, 1, sizeof head, f);
}

static void write_value(FILE *f, int64_t v)
{
    uint8_t b[8];
    assay_store_u64(b, (uint64_t)v);
    fwrite(b, 1, sizeof b, f);
}

void assay_arrays_write(FILE *f, const char *name, const int64_t *v, size_t n)
{
    write_head(f, name, n);
    for (size_t i = 0; i < n; i++) write_value(f, v[i]);
}

static void write_config(FILE *f, const assay_model_config *c)
{
    const int64_t shape[] = {c->n_layers, c->d,     c->n_heads,       c->n_kv, c->head_dim,
                             c->ff,       c->vocab, c->max_positions, c->tied};
    const int64_t widths[] = {c->n_bits,  c->score_f,  c->dist_bits, c->cos_bits, c->e_bits,    c->z_bits,
                              c->o_guard, c->rsqrt_in, c->rsqrt_out, c->rs_t,     c->resid_bits};
    const int64_t ends[] = {c->f_embed, c->f_head, c->f_gf, c->fn_final, c->ng.b, c->ng.s, c->ng.f, c->logit_f};
    const int64_t rope[] = {(int64_t)c->rope_theta_q16}, eps[] = {(int64_t)c->eps_q60};
    assay_arrays_write(f, "shape", shape, sizeof shape / sizeof *shape);
    assay_arrays_write(f, "widths", widths, sizeof widths / sizeof *widths);
    assay_arrays_write(f, "ends", ends, sizeof ends / sizeof *ends);
    assay_arrays_write(f, "rope_theta_q16", rope, 1);
    assay_arrays_write(f, "eps_q60", eps, 1);
    write_head(f, "rope_q32", c->n_rope);
    for (uint32_t i = 0; i < c->n_rope; i++) write_value(f, (int64_t)c->rope_q32[i]);
    write_head(f, "unit", model_sites(c));
    for (uint32_t j = 0; j < model_sites(c); j++) write_value(f, c->unit[j]);
    assay_arrays_write(f, "eps_term", c->eps_term, model_sites(c));
    for (uint32_t l = 0; l < c->n_layers; l++) {
        const assay_layer_config *y = &c->layer[l];
        const assay_site s[] = {y->q, y->k, y->v, y->qr, y->kr, y->o, y->gate, y->up, y->act, y->down};
        char name[NAME_BYTES];
        snprintf(name, sizeof name, "layer.%u", (unsigned)l);
        write_head(f, name, 33);
        for (size_t k = 0; k < 10; k++) write_value(f, s[k].b), write_value(f, s[k].s), write_value(f, s[k].f);
        write_value(f, y->fn1), write_value(f, y->fn2), write_value(f, y->fsg);
        if (!(c->parts & ASSAY_PART_QK_NORM)) continue;
        const int64_t heads[] = {y->qg.b, y->qg.s, y->qg.f, y->kg.b, y->kg.s, y->kg.f, y->fnh};
        snprintf(name, sizeof name, "heads.%u", (unsigned)l);
        assay_arrays_write(f, name, heads, sizeof heads / sizeof *heads);
    }
}

bool assay_arrays_save_model(const char *path, const assay_model *m)
{
    assay_model look = *m; /* assay_weight_at hands out places in the model */
    FILE *f = fopen(path, "wb");
    if (!f) return false;
    write_config(f, &m->cfg);
    for (uint32_t i = 0; i < assay_weight_count(&m->cfg); i++) {
        assay_weight_array w = assay_weight_at(&look, i);
        char name[NAME_BYTES];
        snprintf(name, sizeof name, "weight.%u", (unsigned)i);
        write_head(f, name, (size_t)w.rows * w.cols);
        for (size_t k = 0; k < (size_t)w.rows * w.cols; k++) write_value(f, (*w.slot)[k]);
    }
    for (uint32_t i = 0; i < assay_bias_count(&m->cfg); i++) {
        assay_bias_array b = assay_bias_at(&look, i);
        char name[NAME_BYTES];
        snprintf(name, sizeof name, "bias.%u", (unsigned)i);
        write_head(f, name, b.n);
        for (uint32_t k = 0; k < b.n; k++) write_value(f, (*b.slot)[k]);
    }
    return fclose(f) == 0;
}

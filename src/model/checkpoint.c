/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the tensors of a Hugging Face folder into float arrays, each at its place and exactly once. */
#define _POSIX_C_SOURCE 200809L
#include "model/checkpoint.h"
#include "base/file.h"
#include "base/mem.h"
#include "model/safetensors.h"
#include "model/subject.h"
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_JSON = 1 << 20, MAX_SHARDS = 1024, NAME_BYTES = 256, PATH_BYTES = 4096 };

/* A tensor's place in the checkpoint, and its shape. */
typedef struct slot {
    float **at;
    uint32_t rows, cols;
} slot;

enum { LAYER_TENSORS = 9 };

static slot layer_slot(assay_checkpoint *ck, uint32_t layer, uint32_t which)
{
    const assay_hf_config *c = &ck->cfg;
    assay_checkpoint_layer *w = &ck->layer[layer];
    uint32_t q = c->n_heads * c->head_dim, kv = c->n_kv * c->head_dim;
    const slot all[LAYER_TENSORS] = {{&w->g1, 1, c->d},       {&w->q, q, c->d},      {&w->k, kv, c->d},
                                     {&w->v, kv, c->d},       {&w->o, c->d, q},      {&w->g2, 1, c->d},
                                     {&w->gate, c->ff, c->d}, {&w->up, c->ff, c->d}, {&w->down, c->d, c->ff}};
    return all[which];
}

static const char *const layer_name[LAYER_TENSORS] = {
    "input_layernorm",          "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj",
    "post_attention_layernorm", "mlp.gate_proj",    "mlp.up_proj",      "mlp.down_proj"};

/* Tensors outside layers: embedding, final gain, head. */
enum { END_TENSORS = 3 };
static const char *const end_name[END_TENSORS] = {"model.embed_tokens.weight", "model.norm.weight", "lm_head.weight"};

static slot end_slot(assay_checkpoint *ck, uint32_t which)
{
    const assay_hf_config *c = &ck->cfg;
    const slot all[END_TENSORS] = {{&ck->embed, c->vocab, c->d}, {&ck->gf, 1, c->d}, {&ck->head, c->vocab, c->d}};
    return all[which];
}

static void slot_name(char *out, size_t nbytes, uint32_t layer, uint32_t which)
{
    snprintf(out, nbytes, "model.layers.%u.%s.weight", (unsigned)layer, layer_name[which]);
}

static bool has_suffix(const char *text, const char *suffix)
{
    size_t n = strlen(text), m = strlen(suffix);
    return n >= m && strcmp(text + n - m, suffix) == 0;
}

/* Stored by some programs, and no part of the function. */
static bool is_derived(const assay_hf_config *c, const char *name)
{
    return has_suffix(name, ".rotary_emb.inv_freq") || (c->tied && strcmp(name, end_name[2]) == 0);
}

/* The slot of a tensor by its name; at = NULL when the model has no such tensor. */
static slot find_slot(assay_checkpoint *ck, const char *name)
{
    static const char prefix[] = "model.layers.";
    char full[NAME_BYTES];
    for (uint32_t i = 0; i < END_TENSORS; i++)
        if (strcmp(name, end_name[i]) == 0) return end_slot(ck, i);
    if (strncmp(name, prefix, sizeof prefix - 1) != 0) return (slot){0};
    char *end;
    unsigned long layer = strtoul(name + sizeof prefix - 1, &end, 10);
    if (*end != '.' || layer >= ck->cfg.n_layers) return (slot){0};
    for (uint32_t i = 0; i < LAYER_TENSORS; i++) {
        slot_name(full, sizeof full, (uint32_t)layer, i);
        if (strcmp(name, full) == 0) return layer_slot(ck, (uint32_t)layer, i);
    }
    return (slot){0};
}

static assay_status refuse(assay_errinfo *err, assay_status s, const char *file, const char *tensor, const char *reason)
{
    char subject[ASSAY_SUBJECT_BYTES];
    return ASSAY_FAIL(err, s, subject_of(subject, file, tensor), reason);
}

static assay_status read_tensor(assay_checkpoint *ck, const assay_safetensors *st, const assay_stored_tensor *t,
                                const char *file, assay_errinfo *err)
{
    if (is_derived(&ck->cfg, t->name)) return ASSAY_OK;
    slot to = find_slot(ck, t->name);
    if (!to.at)
        return refuse(err, ASSAY_EUNSUPPORTED, file, t->name, "is no part of a Llama model as config.json has it");
    if (*to.at) return refuse(err, ASSAY_EFORMAT, file, t->name, "comes twice");
    assay_status s = assay_safetensors_expect(t, file, to.rows, to.cols, err);
    if (s != ASSAY_OK) return s;
    *to.at = assay_mem_alloc_raw((size_t)to.rows * to.cols, sizeof(float));
    if (!*to.at) return refuse(err, ASSAY_ENOMEM, file, t->name, "out of memory");
    return assay_safetensors_read(*to.at, st, t, file, err);
}

static assay_status read_shard(assay_checkpoint *ck, const char *folder, const char *file, assay_errinfo *err)
{
    char path[PATH_BYTES];
    assay_map map = {NULL, 0};
    assay_safetensors st = {0};
    assay_status s = assay_path_join(path, sizeof path, folder, file, err);
    if (s == ASSAY_OK) s = assay_map_open(&map, path, err);
    if (s != ASSAY_OK) return s;
    s = assay_safetensors_parse(&st, file, map.p, map.n, err);
    for (size_t i = 0; s == ASSAY_OK && i < st.n_tensors; i++) s = read_tensor(ck, &st, &st.tensor[i], file, err);
    assay_safetensors_clear(&st);
    assay_map_close(&map);
    return s;
}

typedef char shard_name[NAME_BYTES];

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* model.safetensors alone where it is, else every model*.safetensors in order. */
static assay_status list_shards(shard_name *out, size_t *n, const char *folder, assay_errinfo *err)
{
    static const char single[] = "model.safetensors";
    DIR *dir = opendir(folder);
    *n = 0;
    if (!dir) return ASSAY_FAIL(err, ASSAY_EIO, folder, "cannot be opened as a folder");
    assay_status s = ASSAY_OK;
    bool found = false;
    for (struct dirent *e; s == ASSAY_OK && (e = readdir(dir)) != NULL;) {
        const char *name = e->d_name;
        found = found || strcmp(name, single) == 0;
        if (strncmp(name, "model", 5) != 0 || !has_suffix(name, ".safetensors") || strlen(name) >= NAME_BYTES) continue;
        if (*n == MAX_SHARDS) {
            s = ASSAY_FAIL1(err, ASSAY_ERANGE, folder, "too many files model*.safetensors (limit)", MAX_SHARDS);
        } else {
            memcpy(out[(*n)++], name, strlen(name) + 1);
        }
    }
    closedir(dir);
    if (found && s == ASSAY_OK) {
        memcpy(out[0], single, sizeof single);
        *n = 1;
    }
    if (s == ASSAY_OK && *n == 0) s = ASSAY_FAIL(err, ASSAY_EIO, folder, "holds no model*.safetensors");
    qsort(out, *n, sizeof *out, by_name);
    return s;
}

static assay_status read_shards(assay_checkpoint *ck, const char *folder, assay_errinfo *err)
{
    size_t n = 0;
    shard_name *file = assay_mem_alloc(MAX_SHARDS, sizeof *file);
    if (!file) return ASSAY_FAIL(err, ASSAY_ENOMEM, folder, "out of memory");
    assay_status s = list_shards(file, &n, folder, err);
    for (size_t i = 0; s == ASSAY_OK && i < n; i++) s = read_shard(ck, folder, file[i], err);
    assay_mem_free(file);
    return s;
}

static assay_status read_json(assay_hf_config *c, const char *folder, const char *file, bool optional,
                              assay_status (*parse)(assay_hf_config *, const char *, const uint8_t *, size_t,
                                                    assay_errinfo *),
                              assay_errinfo *err)
{
    char path[PATH_BYTES];
    uint8_t *json = NULL;
    size_t n = 0;
    assay_status s = assay_path_join(path, sizeof path, folder, file, err);
    if (s != ASSAY_OK) return s;
    s = assay_file_read(path, MAX_JSON, &json, &n, err);
    if (s == ASSAY_EIO && optional) {
        assay_errinfo_clear(err);
        return ASSAY_OK;
    }
    if (s == ASSAY_OK) s = parse(c, file, json, n, err);
    assay_mem_free_secret(json, n);
    return s;
}

static assay_status check_complete(assay_checkpoint *ck, const char *folder, assay_errinfo *err)
{
    static const char reason[] = "is missing";
    char name[NAME_BYTES];
    for (uint32_t i = 0; i < END_TENSORS; i++)
        if (!*end_slot(ck, i).at) return refuse(err, ASSAY_EFORMAT, folder, end_name[i], reason);
    for (uint32_t l = 0; l < ck->cfg.n_layers; l++) {
        for (uint32_t i = 0; i < LAYER_TENSORS; i++) {
            if (*layer_slot(ck, l, i).at) continue;
            slot_name(name, sizeof name, l, i);
            return refuse(err, ASSAY_EFORMAT, folder, name, reason);
        }
    }
    return ASSAY_OK;
}

assay_status assay_checkpoint_open(assay_checkpoint *ck, const char *folder, assay_errinfo *err)
{
    *ck = (assay_checkpoint){0};
    assay_status s = read_json(&ck->cfg, folder, "config.json", false, assay_hf_config_parse, err);
    if (s == ASSAY_OK) s = read_json(&ck->cfg, folder, "generation_config.json", true, assay_hf_generation_parse, err);
    if (s != ASSAY_OK) return s;
    ck->layer = assay_mem_alloc(ck->cfg.n_layers, sizeof *ck->layer);
    s = ck->layer ? read_shards(ck, folder, err) : ASSAY_FAIL(err, ASSAY_ENOMEM, folder, "out of memory");
    if (s == ASSAY_OK && ck->cfg.tied) ck->head = ck->embed;
    if (s == ASSAY_OK) s = check_complete(ck, folder, err);
    if (s != ASSAY_OK) assay_checkpoint_clear(ck);
    return s;
}

static void free_slot(slot s)
{
    assay_mem_free_secret(*s.at, (size_t)s.rows * s.cols * sizeof(float));
    *s.at = NULL;
}

void assay_checkpoint_clear(assay_checkpoint *ck)
{
    if (ck->head == ck->embed) ck->head = NULL;
    for (uint32_t i = 0; i < END_TENSORS; i++) free_slot(end_slot(ck, i));
    for (uint32_t l = 0; ck->layer && l < ck->cfg.n_layers; l++)
        for (uint32_t i = 0; i < LAYER_TENSORS; i++) free_slot(layer_slot(ck, l, i));
    assay_mem_free(ck->layer);
    *ck = (assay_checkpoint){0};
}

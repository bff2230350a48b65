/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the tensors of a Hugging Face folder into float arrays, each at its place and exactly once; GGUF files are
 * passed on. */
#define _POSIX_C_SOURCE 200809L
#include "base/file.h"
#include "base/mem.h"
#include "base/subject.h"
#include "model/checkpoint_slots.h"
#include "model/gguf.h"
#include "model/safetensors.h"
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_JSON = 1 << 20, MAX_SHARDS = 1024, NAME_BYTES = 256, PATH_BYTES = 4096 };

static const assay_tensor_names hf_names = {
    "model.layers.",
    {"input_layernorm.weight", "self_attn.q_proj.weight", "self_attn.k_proj.weight", "self_attn.v_proj.weight",
     "self_attn.o_proj.weight", "post_attention_layernorm.weight", "mlp.gate_proj.weight", "mlp.up_proj.weight",
     "mlp.down_proj.weight", "self_attn.q_proj.bias", "self_attn.k_proj.bias", "self_attn.v_proj.bias",
     "self_attn.q_norm.weight", "self_attn.k_norm.weight"},
    {"model.embed_tokens.weight", "model.norm.weight", "lm_head.weight"}};

static bool has_suffix(const char *text, const char *suffix)
{
    size_t n = strlen(text), m = strlen(suffix);
    return n >= m && strcmp(text + n - m, suffix) == 0;
}

/* Stored by some programs, and no part of the function. */
static bool is_derived(const assay_hf_config *c, const char *name)
{
    return has_suffix(name, ".rotary_emb.inv_freq") || (c->tied && strcmp(name, hf_names.end[ASSAY_END_HEAD]) == 0);
}

static assay_status read_tensor(assay_checkpoint *ck, const assay_safetensors *st, const assay_stored_tensor *t,
                                const char *file, assay_errinfo *err)
{
    if (is_derived(&ck->cfg, t->name)) return ASSAY_OK;
    assay_slot to = assay_checkpoint_slot(ck, &hf_names, t->name);
    if (!to.at) {
        char subject[ASSAY_SUBJECT_BYTES];
        return ASSAY_FAIL(err, ASSAY_EUNSUPPORTED, subject_of(subject, file, t->name),
                          "is no part of the model that config.json describes");
    }
    assay_status s = assay_safetensors_expect(t, file, to.rows, to.cols, err);
    if (s == ASSAY_OK) s = assay_slot_alloc(to, file, t->name, err);
    return s == ASSAY_OK ? assay_safetensors_read(*to.at, st, t, file, err) : s;
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

static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

assay_status assay_checkpoint_companion(char *out, size_t nbytes, const char *path, const char *name,
                                        assay_errinfo *err)
{
    char folder[PATH_BYTES];
    const char *slash = strrchr(path, '/');
    if (!is_file(path)) return assay_path_join(out, nbytes, path, name, err);
    size_t n = slash ? (size_t)(slash - path) : 0;
    if (n >= sizeof folder) return ASSAY_FAIL(err, ASSAY_ERANGE, path, "path too long");
    memcpy(folder, path, n);
    folder[n] = 0;
    return assay_path_join(out, nbytes, !slash ? "." : n ? folder : "/", name, err);
}

static assay_status open_folder(assay_checkpoint *ck, const char *folder, assay_errinfo *err)
{
    *ck = (assay_checkpoint){0};
    assay_status s = read_json(&ck->cfg, folder, "config.json", false, assay_hf_config_parse, err);
    if (s == ASSAY_OK) s = read_json(&ck->cfg, folder, "generation_config.json", true, assay_hf_generation_parse, err);
    if (s != ASSAY_OK) return s;
    ck->layer = assay_mem_alloc(ck->cfg.n_layers, sizeof *ck->layer);
    s = ck->layer ? read_shards(ck, folder, err) : ASSAY_FAIL(err, ASSAY_ENOMEM, folder, "out of memory");
    if (s == ASSAY_OK) s = assay_checkpoint_complete(ck, &hf_names, folder, err);
    if (s != ASSAY_OK) assay_checkpoint_clear(ck);
    return s;
}

assay_status assay_checkpoint_open(assay_checkpoint *ck, const char *path, assay_errinfo *err)
{
    return is_file(path) ? assay_gguf_checkpoint(ck, path, err) : open_folder(ck, path, err);
}

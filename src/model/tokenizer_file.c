/* SPDX-License-Identifier: Apache-2.0 */
/* The tokenizer of a model on disk, as the bytes that its commitment stores. */
#include "base/dir.h"
#include "base/file.h"
#include "base/mem.h"
#include "model/checkpoint.h"
#include "model/gguf.h"
#include "model/tokenizer.h"

enum { PATH_BYTES = 4096, MAX_FILE = 32 << 20 };

/* A file beside the model; one that is missing is fine (*p = NULL) when `optional`. */
static assay_status read_beside(uint8_t **p, size_t *n, const char *path, const char *name, bool optional,
                                assay_errinfo *err)
{
    char file[PATH_BYTES];
    assay_status s = assay_checkpoint_companion(file, sizeof file, path, name, err);
    if (s == ASSAY_OK && optional && !assay_path_exists(file)) return ASSAY_OK;
    return s == ASSAY_OK ? assay_file_read(file, MAX_FILE, p, n, err) : s;
}

static assay_status of_folder(uint8_t **out, size_t *n_out, const char *folder, assay_errinfo *err)
{
    uint8_t *json = NULL, *config = NULL, *jinja = NULL;
    size_t n = 0, n_config = 0, n_jinja = 0;
    assay_tokenizer *t = NULL;
    assay_status s = read_beside(&json, &n, folder, "tokenizer.json", false, err);
    if (s == ASSAY_OK) s = read_beside(&config, &n_config, folder, "tokenizer_config.json", true, err);
    if (s == ASSAY_OK) s = read_beside(&jinja, &n_jinja, folder, "chat_template.jinja", true, err);
    if (s == ASSAY_OK && !config && !jinja) {
        *out = json;
        *n_out = n;
        return ASSAY_OK;
    }
    if (s == ASSAY_OK) s = assay_tokenizer_of_folder(&t, json, n, config, n_config, jinja, n_jinja, err);
    if (s == ASSAY_OK) s = assay_tokenizer_pack(t, out, n_out, err);
    assay_tokenizer_free(t);
    assay_mem_free(json);
    assay_mem_free(config);
    assay_mem_free(jinja);
    return s;
}

static assay_status of_gguf(uint8_t **out, size_t *n, const char *path, assay_errinfo *err)
{
    assay_map map = {NULL, 0};
    assay_gguf g = {0};
    assay_tokenizer *t = NULL;
    assay_status s = assay_map_open(&map, path, err);
    if (s == ASSAY_OK) s = assay_gguf_parse(&g, path, map.p, map.n, err);
    bool inside = s == ASSAY_OK && assay_gguf_find(&g, "tokenizer.ggml.model");
    if (inside) s = assay_tokenizer_of_gguf(&t, &g, err);
    if (inside && s == ASSAY_OK) s = assay_tokenizer_pack(t, out, n, err);
    assay_tokenizer_free(t);
    assay_gguf_clear(&g);
    assay_map_close(&map);
    return s == ASSAY_OK && !inside ? of_folder(out, n, path, err) : s;
}

assay_status assay_tokenizer_file(uint8_t **out, size_t *n, const char *path, assay_errinfo *err)
{
    *out = NULL;
    *n = 0;
    return assay_path_is_dir(path) ? of_folder(out, n, path, err) : of_gguf(out, n, path, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a commitment: every file is read and checked, and that they belong together. */
#include "assay/prove.h"
#include "base/buffer.h"
#include "base/dir.h"
#include "base/mem.h"
#include "cp/commitment.h"
#include "hash/sha256.h"
#include "model/weights.h"
#include <stdio.h>
#include <string.h>

enum { PATH_BYTES = 4096, DEFAULT_RESERVE = 8 };

static bool digest_is(const uint8_t digest[32], assay_bytes_view v)
{
    uint8_t d[32];
    assay_sha256_digest(d, v.p, v.n);
    return memcmp(d, digest, 32) == 0;
}

static assay_status load_key(assay_commitment *c, const assay_commitment_view *v, assay_errinfo *err)
{
    assay_status s = assay_secret_key_decode(&c->key, v->key.p, v->key.n, err);
    if (s != ASSAY_OK) return s;
    uint64_t covered = assay_proofs_covered(&c->pub.params);
    if (memcmp(c->key.id, c->pub.id, ASSAY_ID_BYTES) != 0)
        return ASSAY_FAIL(err, ASSAY_EFORMAT, "key.bin", "belongs to another commitment");
    if (c->key.lifetime > covered)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, "key.bin", "lifetime is longer than the random slots cover",
                           c->key.lifetime, covered);
    if (!digest_is(c->key.weights_digest, v->weights))
        return ASSAY_FAIL(err, ASSAY_EFORMAT, "weights.bin", "is damaged or belongs to another commitment");
    return ASSAY_OK;
}

static assay_status load_tree(assay_commitment *c, const assay_commitment_view *v, assay_errinfo *err)
{
    assay_status s = assay_weight_rows_new(&c->rows, &c->model, &c->pub.params, c->key.seed, &c->be, err);
    assay_reader r = assay_reader_of(v->tree.p, v->tree.n);
    if (s == ASSAY_OK) s = assay_tree_head_decode(&r, err);
    if (s == ASSAY_OK)
        s = assay_matrix_load(&c->tree, c->rows.code, (const uint32_t *const *)c->rows.row, c->rows.n_rows,
                              ASSAY_TREE_WEIGHTS, c->rows.salt_key, c->pub.root, &r, err);
    if (s == ASSAY_OK && assay_reader_left(&r))
        s = ASSAY_FAIL1(err, ASSAY_EFORMAT, "tree.bin", "has bytes left over", assay_reader_left(&r));
    if (s != ASSAY_OK && err && !err->subject[0]) (void)snprintf(err->subject, sizeof err->subject, "tree.bin");
    return s;
}

assay_status assay_commitment_fill(assay_commitment *c, const assay_commitment_view *v, bool can_prove,
                                   assay_errinfo *err)
{
    assay_public again;
    memset(&again, 0, sizeof again);
    assay_status s = assay_public_decode(&c->pub, v->config.p, v->config.n, v->ivk.p, v->ivk.n, err);
    if (s == ASSAY_OK && !digest_is(c->pub.tokenizer_hash, v->tokenizer))
        s = ASSAY_FAIL(err, ASSAY_EFORMAT, "tokenizer.json", "is not the one that config.bin names");
    if (s == ASSAY_OK) s = assay_buffer_copy(&c->tokenizer, v->tokenizer.p, v->tokenizer.n, "tokenizer.json", err);
    if (s == ASSAY_OK) s = assay_config_decode(&again, v->config.p, v->config.n, err);
    c->model.cfg = again.cfg;
    if (s == ASSAY_OK && can_prove) s = load_key(c, v, err);
    if (s == ASSAY_OK) s = assay_model_weights_decode(&c->model, "weights.bin", v->weights.p, v->weights.n, err);
    if (s == ASSAY_OK && can_prove) s = load_tree(c, v, err);
    c->can_prove = s == ASSAY_OK && can_prove;
    return s;
}

assay_status assay_commitment_load(assay_commitment **out, const assay_commitment_parts *parts, unsigned threads,
                                   assay_errinfo *err)
{
    *out = NULL;
    if (!parts || !parts->config.p || !parts->tokenizer.p || !parts->ivk.p || !parts->key.p || !parts->weights.p ||
        !parts->tree.p)
        return ASSAY_FAIL(err, ASSAY_EINVAL, "commitment", "a part is missing");
    const assay_commitment_view v = {{parts->config.p, parts->config.n},   {parts->tokenizer.p, parts->tokenizer.n},
                                     {parts->ivk.p, parts->ivk.n},         {parts->key.p, parts->key.n},
                                     {parts->weights.p, parts->weights.n}, {parts->tree.p, parts->tree.n}};
    assay_commitment *c = NULL;
    assay_status s = assay_commitment_alloc(&c, threads, err);
    if (s == ASSAY_OK) s = assay_commitment_fill(c, &v, true, err);
    if (s == ASSAY_OK) {
        assay_counter_init(&c->counter, parts->spent, c->key.lifetime);
        *out = c;
        c = NULL;
    }
    assay_commitment_free(c);
    return s;
}

/* Files of a folder, read or mapped. */
typedef struct folder_files {
    assay_buffer id, config, tokenizer, ivk, key;
    assay_map weights, tree;
} folder_files;

static assay_status read_one(assay_buffer *b, const char *folder, const char *name, size_t max, assay_errinfo *err)
{
    char path[PATH_BYTES];
    assay_status s = assay_path_join(path, sizeof path, folder, name, err);
    return s == ASSAY_OK ? assay_file_read(path, max, &b->p, &b->n, err) : s;
}

static assay_status map_one(assay_map *m, const char *folder, const char *name, assay_errinfo *err)
{
    char path[PATH_BYTES];
    assay_status s = assay_path_join(path, sizeof path, folder, name, err);
    return s == ASSAY_OK ? assay_map_open(m, path, err) : s;
}

static assay_status read_folder(folder_files *f, const char *folder, bool can_prove, assay_errinfo *err)
{
    if (!assay_path_is_dir(folder)) return ASSAY_FAIL(err, ASSAY_EIO, folder, "no such folder");
    assay_status s = read_one(&f->id, folder, "ID.txt", ASSAY_ID_TEXT, err);
    if (s == ASSAY_OK) s = read_one(&f->config, folder, "config/config.bin", ASSAY_MAX_PUBLIC_FILE, err);
    if (s == ASSAY_OK) s = read_one(&f->tokenizer, folder, "config/tokenizer.json", ASSAY_MAX_TOKENIZER_FILE, err);
    if (s == ASSAY_OK) s = read_one(&f->ivk, folder, "ivk/ivk.bin", ASSAY_MAX_PUBLIC_FILE, err);
    if (s == ASSAY_OK) s = map_one(&f->weights, folder, "model/weights.bin", err);
    if (s == ASSAY_OK && can_prove) s = read_one(&f->key, folder, "isk/key.bin", ASSAY_KEY_FILE, err);
    if (s == ASSAY_OK && can_prove) s = map_one(&f->tree, folder, "model/tree.bin", err);
    return s;
}

static void close_files(folder_files *f)
{
    assay_buffer_free(&f->id);
    assay_buffer_free(&f->config);
    assay_buffer_free(&f->tokenizer);
    assay_buffer_free(&f->ivk);
    assay_buffer_free(&f->key);
    assay_map_close(&f->weights);
    assay_map_close(&f->tree);
}

static assay_status check_id(const assay_commitment *c, const assay_buffer *text, assay_errinfo *err)
{
    uint8_t id[ASSAY_ID_BYTES];
    assay_status s = assay_id_decode(id, (const char *)text->p, text->n, err);
    if (s == ASSAY_OK && memcmp(id, c->pub.id, sizeof id) != 0)
        s = ASSAY_FAIL(err, ASSAY_EFORMAT, "ID.txt", "is not the ID of config.bin and ivk.bin");
    return s;
}

/* Under the lock: the folder still holds the commitment that was read before (assay_commitment_save may replace one).
 */
static assay_status check_key(const assay_commitment *c, const char *folder, assay_errinfo *err)
{
    assay_buffer file = {NULL, 0};
    uint8_t mine[ASSAY_KEY_FILE];
    assay_secret_key_encode(mine, &c->key);
    assay_status s = read_one(&file, folder, "isk/key.bin", ASSAY_KEY_FILE, err);
    if (s == ASSAY_OK && (file.n != sizeof mine || memcmp(file.p, mine, sizeof mine) != 0))
        s = ASSAY_FAIL(err, ASSAY_EBUSY, folder, "was replaced while it was opened");
    assay_buffer_free(&file);
    assay_mem_wipe(mine, sizeof mine);
    return s;
}

static assay_status open_counter(assay_commitment *c, const char *folder, const assay_open_options *o,
                                 assay_errinfo *err)
{
    char isk[PATH_BYTES];
    uint64_t all = c->key.lifetime, allowed = all;
    if (o->shares) { /* replica i of n takes floor(i all / n) - floor((i - 1) all / n): together all of it */
        if (o->share < 1 || o->share > o->shares || o->shares > 1u << 16)
            return ASSAY_FAIL2(err, ASSAY_EINVAL, "share", "is not one of the shares", o->share, o->shares);
        allowed = all * o->share / o->shares - all * (o->share - 1) / o->shares;
    }
    assay_status s = assay_path_join(isk, sizeof isk, folder, "isk", err);
    if (s == ASSAY_OK)
        s = assay_counter_open(&c->counter, isk, allowed, o->reserve ? o->reserve : DEFAULT_RESERVE, o->wait != 0, err);
    if (s == ASSAY_OK) s = check_key(c, folder, err);
    return s == ASSAY_OK ? assay_counter_skip(&c->counter, o->skip, err) : s;
}

/* "config.bin: ..." says little when several folders are in play. */
static void name_folder(assay_errinfo *err, const char *folder)
{
    char subject[sizeof err->subject];
    if (!err || strchr(err->subject, '/')) return;
    int n = snprintf(subject, sizeof subject, "%.*s%s%s", (int)(sizeof subject - sizeof err->subject / 2), folder,
                     err->subject[0] ? ": " : "", err->subject);
    if (n > 0) memcpy(err->subject, subject, sizeof subject);
}

assay_status assay_commitment_open(assay_commitment **out, const char *folder, const assay_open_options *options,
                                   assay_errinfo *err)
{
    const assay_open_options plain = {0, 0, 0, 0, 0, 0, 0}, *o = options ? options : &plain;
    assay_errinfo here;
    assay_commitment *c = NULL;
    folder_files f;
    bool prove = !o->reply_only;
    memset(&f, 0, sizeof f);
    memset(&here, 0, sizeof here);
    if (!err) err = &here;
    *out = NULL;
    assay_status s = read_folder(&f, folder, prove, err);
    const assay_commitment_view v = {{f.config.p, f.config.n}, {f.tokenizer.p, f.tokenizer.n}, {f.ivk.p, f.ivk.n},
                                     {f.key.p, f.key.n},       {f.weights.p, f.weights.n},     {f.tree.p, f.tree.n}};
    if (s == ASSAY_OK) s = assay_commitment_alloc(&c, o->threads, err);
    if (s == ASSAY_OK) s = assay_commitment_fill(c, &v, prove, err);
    if (s == ASSAY_OK) s = check_id(c, &f.id, err);
    if (s == ASSAY_OK && prove) s = open_counter(c, folder, o, err);
    close_files(&f);
    if (s == ASSAY_OK) {
        *out = c;
        return s;
    }
    name_folder(err, folder);
    assay_commitment_free(c);
    return s;
}

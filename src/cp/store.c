/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of a commitment (docs/formats.md), and the same files in memory. */
#include "assay/commit.h"
#include "base/buffer.h"
#include "base/dir.h"
#include "base/mem.h"
#include "base/outdir.h"
#include "cp/commitment.h"
#include "model/weights.h"
#include <stdio.h>
#include <string.h>

enum { PATH_BYTES = 4096 };

/* Everything that a commitment's folder may hold; children before parents. */
static const char *const all_names[] = {"config/config.bin",
                                        "config/tokenizer.json",
                                        "config",
                                        "ivk/ivk.bin",
                                        "ivk",
                                        "isk/key.bin",
                                        "isk/counter",
                                        "isk/lock",
                                        "isk",
                                        "model/weights.bin",
                                        "model/tree.bin",
                                        "model",
                                        "ID.txt"};

static assay_status append_writer(void *ctx, const void *p, size_t n, assay_errinfo *err)
{
    assay_writer *w = ctx;
    assay_write_bytes(w, p, n);
    return w->bad ? ASSAY_FAIL(err, ASSAY_ENOMEM, "weights", "out of memory") : ASSAY_OK;
}

static assay_status export_public(const assay_commitment *c, assay_commitment_parts *out, assay_errinfo *err)
{
    assay_writer config, ivk;
    assay_writer_init(&config, ASSAY_MAX_PUBLIC_FILE);
    assay_writer_init(&ivk, ASSAY_MAX_PUBLIC_FILE);
    assay_config_encode(&config, &c->pub);
    assay_ivk_encode(&ivk, &c->pub);
    assay_status s = assay_buffer_take(&out->config, &config, "config.bin", err),
                 t = assay_buffer_take(&out->ivk, &ivk, "ivk.bin", err);
    if (s == ASSAY_OK) s = t;
    if (s == ASSAY_OK) s = assay_buffer_copy(&out->tokenizer, c->tokenizer.p, c->tokenizer.n, "tokenizer.json", err);
    return s;
}

/* All but the weights. */
static assay_status export_small(const assay_commitment *c, assay_commitment_parts *out, assay_errinfo *err)
{
    uint8_t key[ASSAY_KEY_FILE];
    assay_writer tree;
    memset(out, 0, sizeof *out);
    if (!c->can_prove) return ASSAY_FAIL(err, ASSAY_EINVAL, "commitment", "was opened for replies only");
    assay_writer_init(&tree, SIZE_MAX);
    assay_tree_head_encode(&tree);
    assay_status s = assay_matrix_save(c->tree, &tree, err);
    if (s == ASSAY_OK) s = assay_buffer_take(&out->tree, &tree, "tree.bin", err);
    assay_writer_clear(&tree);
    if (s == ASSAY_OK) s = export_public(c, out, err);
    assay_secret_key_encode(key, &c->key);
    if (s == ASSAY_OK) s = assay_buffer_copy(&out->key, key, sizeof key, "key.bin", err);
    assay_mem_wipe(key, sizeof key);
    out->spent = c->counter.spent;
    return s;
}

assay_status assay_commitment_export(const assay_commitment *c, assay_commitment_parts *out, assay_errinfo *err)
{
    assay_writer weights;
    assay_writer_init(&weights, SIZE_MAX);
    assay_status s = export_small(c, out, err);
    if (s == ASSAY_OK) s = assay_model_weights_emit(&c->model, append_writer, &weights, err);
    if (s == ASSAY_OK) s = assay_buffer_take(&out->weights, &weights, "weights.bin", err);
    assay_writer_clear(&weights);
    if (s != ASSAY_OK) assay_commitment_parts_free(out);
    return s;
}

void assay_commitment_parts_free(assay_commitment_parts *parts)
{
    if (!parts) return;
    assay_buffer_free(&parts->config);
    assay_buffer_free(&parts->tokenizer);
    assay_buffer_free(&parts->ivk);
    assay_buffer_free(&parts->key);
    assay_buffer_free(&parts->weights);
    assay_buffer_free(&parts->tree);
    parts->spent = 0;
}

static assay_status append_file(void *ctx, const void *p, size_t n, assay_errinfo *err)
{
    return assay_outfile_append(ctx, p, n, err);
}

static assay_status write_weights(assay_outdir *d, const assay_commitment *c, assay_errinfo *err)
{
    assay_outfile *f = NULL;
    assay_status s = assay_outdir_file(d, &f, "model/weights.bin", 0600, err);
    if (s != ASSAY_OK) return s;
    s = assay_model_weights_emit(&c->model, append_file, f, err);
    if (s == ASSAY_OK) return assay_outfile_commit(f, err);
    assay_outfile_abort(f);
    return s;
}

static assay_status write_all(assay_outdir *d, const assay_commitment *c, const assay_commitment_parts *p,
                              assay_errinfo *err)
{
    static const struct {
        const char *name;
        unsigned mode;
    } folders[] = {{"config", 0755}, {"ivk", 0755}, {"isk", 0700}, {"model", 0700}};
    uint8_t counter[ASSAY_COUNTER_FILE];
    char id[ASSAY_ID_TEXT + 1];
    assay_counter_encode(counter, p->spent);
    assay_id_encode(id, c->pub.id);
    const struct {
        const char *name;
        const void *p;
        size_t n;
        unsigned mode;
    } files[] = {{"config/config.bin", p->config.p, p->config.n, 0644},
                 {"config/tokenizer.json", p->tokenizer.p, p->tokenizer.n, 0644},
                 {"ivk/ivk.bin", p->ivk.p, p->ivk.n, 0644},
                 {"isk/key.bin", p->key.p, p->key.n, 0600},
                 {"isk/counter", counter, sizeof counter, 0600},
                 {"isk/lock", "", 0, 0600},
                 {"model/tree.bin", p->tree.p, p->tree.n, 0600},
                 {"ID.txt", id, ASSAY_ID_TEXT, 0644}};
    assay_status s = ASSAY_OK;
    for (size_t i = 0; i < sizeof folders / sizeof *folders && s == ASSAY_OK; i++)
        s = assay_outdir_mkdir(d, folders[i].name, folders[i].mode, err);
    for (size_t i = 0; i < sizeof files / sizeof *files && s == ASSAY_OK; i++)
        s = assay_outdir_write(d, files[i].name, files[i].p, files[i].n, files[i].mode, err);
    return s == ASSAY_OK ? write_weights(d, c, err) : s;
}

static assay_status write_folder(const char *folder, const assay_commitment *c, const assay_commitment_parts *p,
                                 assay_errinfo *err)
{
    assay_outdir *d = NULL;
    assay_status s = assay_outdir_open(&d, folder, 0755, err);
    if (s != ASSAY_OK) return s;
    s = write_all(d, c, p, err);
    if (s == ASSAY_OK) return assay_outdir_commit(d, err);
    assay_outdir_abort(d);
    return s;
}

static bool holds_commitment(const char *folder)
{
    char path[PATH_BYTES];
    assay_errinfo quiet;
    memset(&quiet, 0, sizeof quiet);
    static const char *const signs[] = {"ID.txt", "config/config.bin", "isk/key.bin"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (assay_path_join(path, sizeof path, folder, signs[i], &quiet) != ASSAY_OK || !assay_path_exists(path))
            return false;
    return true;
}

/* `fresh` takes the place of `folder`, which is removed; or everything is as before and `fresh` is removed. */
static assay_status swap_folders(const char *folder, const char *fresh, const char *old, assay_errinfo *err)
{
    const size_t n = sizeof all_names / sizeof *all_names;
    assay_errinfo quiet;
    memset(&quiet, 0, sizeof quiet);
    assay_status s = assay_dir_move(folder, old, err);
    if (s == ASSAY_OK) {
        s = assay_dir_move(fresh, folder, err);
        if (s == ASSAY_OK) return assay_dir_remove(old, all_names, n, err);
        if (assay_dir_move(old, folder, &quiet) != ASSAY_OK) return s;
    }
    assay_status left = assay_dir_remove(fresh, all_names, n, &quiet); /* the first failure is the one to tell */
    (void)left;
    return s;
}

/* A commitment that another takes the place of: its names while that goes on, and its lock. */
typedef struct replacement {
    char folder[PATH_BYTES], fresh[PATH_BYTES], old[PATH_BYTES];
    assay_lock held;
} replacement;

/* What would stop the swap half way is refused before anything is written. */
static assay_status can_be_replaced(const replacement *r, assay_errinfo *err)
{
    char extra[PATH_BYTES];
    if (assay_path_exists(r->old)) return ASSAY_FAIL(err, ASSAY_EIO, r->old, "is in the way: left by an earlier run");
    if (assay_path_exists(r->fresh))
        return ASSAY_FAIL(err, ASSAY_EIO, r->fresh, "is in the way: left by an earlier run");
    if (!assay_dir_holds_only(r->folder, all_names, sizeof all_names / sizeof *all_names, extra, sizeof extra))
        return ASSAY_FAIL(err, ASSAY_EIO, extra, "is not part of a commitment; the folder is not replaced");
    return ASSAY_OK;
}

/* Takes the lock of the commitment in folder; released here on failure, else by the caller. */
static assay_status replacement_begin(replacement *r, const char *folder, assay_errinfo *err)
{
    char isk[PATH_BYTES], lock[PATH_BYTES];
    size_t n = strlen(folder);
    r->held.fd = -1;
    while (n > 1 && folder[n - 1] == '/') n--;
    if (n + 8 > PATH_BYTES) return ASSAY_FAIL(err, ASSAY_ERANGE, folder, "path name is too long");
    (void)snprintf(r->folder, sizeof r->folder, "%.*s", (int)n, folder);
    (void)snprintf(r->fresh, sizeof r->fresh, "%.*s.new", (int)n, folder);
    (void)snprintf(r->old, sizeof r->old, "%.*s.old", (int)n, folder);
    if (assay_path_is_link(r->folder)) return ASSAY_FAIL(err, ASSAY_EIO, folder, "is a link; name the folder itself");
    assay_status s = assay_path_join(isk, sizeof isk, r->folder, "isk", err);
    if (s == ASSAY_OK) s = assay_path_join(lock, sizeof lock, isk, "lock", err);
    if (s == ASSAY_OK) s = assay_lock_take(&r->held, lock, false, err);
    if (s != ASSAY_OK) return s;
    assay_dir_sweep(isk, "counter");
    s = can_be_replaced(r, err);
    if (s != ASSAY_OK) assay_lock_release(&r->held);
    return s;
}

/* The new folder is complete under another name before the old one is moved away and removed, under the old one's lock.
 */
static assay_status replace_folder(const char *folder, const assay_commitment *c, const assay_commitment_parts *p,
                                   assay_errinfo *err)
{
    replacement r;
    assay_status s = replacement_begin(&r, folder, err);
    if (s != ASSAY_OK) return s;
    s = write_folder(r.fresh, c, p, err);
    if (s == ASSAY_OK) s = swap_folders(r.folder, r.fresh, r.old, err);
    assay_lock_release(&r.held);
    return s;
}

assay_status assay_commitment_may_save(const char *folder, int replace, assay_errinfo *err)
{
    char extra[PATH_BYTES];
    replacement r;
    assay_outdir *d = NULL;
    if (replace && holds_commitment(folder)) {
        assay_status s = replacement_begin(&r, folder, err);
        if (s == ASSAY_OK) assay_lock_release(&r.held);
        return s;
    }
    if (assay_path_exists(folder)) {
        if (assay_dir_holds_only(folder, NULL, 0, extra, sizeof extra)) return ASSAY_OK;
        return ASSAY_FAIL(err, ASSAY_EIO, folder, "exists already and is not an empty folder");
    }
    assay_status s = assay_outdir_open(&d, folder, 0755, err);
    if (s == ASSAY_OK) assay_outdir_abort(d);
    return s;
}

assay_status assay_commitment_save(const assay_commitment *c, const char *folder, int replace, assay_errinfo *err)
{
    assay_commitment_parts p;
    assay_status s = export_small(c, &p, err);
    if (s == ASSAY_OK)
        s = replace && holds_commitment(folder) ? replace_folder(folder, c, &p, err) : write_folder(folder, c, &p, err);
    assay_commitment_parts_free(&p);
    return s;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Names become paths here and nowhere else: a name has no slash and no dot in front, so that NAME.zkey lies in the
 * folder whatever a client writes. What a name leads to is the operator's: it may be a link. */
#define _POSIX_C_SOURCE 200809L
#include "base/dir.h"
#include "base/file.h"
#include "base/mem.h"
#include "engine/catalogue_impl.h"
#include "engine/stamp.h"
#include "groth16/container.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ENTRIES_MOST = 1 << 16 };

assay_status assay_catalogue_new(assay_catalogue **out, const char *circuits, const char *models, assay_errinfo *err)
{
    *out = NULL;
    if (!circuits || !models) return ASSAY_FAIL(err, ASSAY_EINVAL, "catalogue", "a folder is missing");
    if (strlen(circuits) >= ASSAY_SUBJECT_PATH)
        return ASSAY_FAIL(err, ASSAY_EINVAL, "paths.circuits", "path name too long");
    if (strlen(models) >= ASSAY_SUBJECT_PATH)
        return ASSAY_FAIL(err, ASSAY_EINVAL, "paths.models", "path name too long");
    assay_catalogue *c = assay_mem_alloc(1, sizeof *c);
    if (!c) return ASSAY_FAIL(err, ASSAY_ENOMEM, "catalogue", "out of memory");
    if (pthread_mutex_init(&c->lock, NULL) != 0) {
        assay_mem_free(c);
        return ASSAY_FAIL(err, ASSAY_ENOMEM, "catalogue", "no lock to be had");
    }
    memcpy(c->circuits, circuits, strlen(circuits) + 1);
    memcpy(c->models, models, strlen(models) + 1);
    *out = c;
    return ASSAY_OK;
}

void assay_catalogue_free(assay_catalogue *c)
{
    if (!c) return;
    (void)pthread_mutex_destroy(&c->lock);
    assay_mem_free(c);
}

/* ---- names */

static bool name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
}

/* Whether the first n bytes are a name. */
static bool name_ok(const char *name, size_t n)
{
    if (n == 0 || n > ASSAY_JOB_SUBJECT || name[0] == '.') return false;
    for (size_t i = 0; i < n; i++)
        if (!name_char(name[i])) return false;
    return true;
}

/* Something stands there, be it a link to nowhere: then it is not passed over in silence. */
static bool stands(const char *path)
{
    return assay_path_exists(path) || assay_path_is_link(path);
}

static assay_status join(char out[ASSAY_SUBJECT_PATH], const char *folder, const char *name, const char *suffix,
                         assay_errinfo *err)
{
    char file[ASSAY_JOB_SUBJECT + 16];
    (void)snprintf(file, sizeof file, "%s%s", name, suffix);
    return assay_path_join(out, ASSAY_SUBJECT_PATH, folder, file, err);
}

/* ---- circuits */

/* The sibling NAME.suffix, "" if there is none. */
static assay_status find_beside(char out[ASSAY_SUBJECT_PATH], const char *folder, const char *name, const char *suffix,
                                assay_errinfo *err)
{
    assay_status s = join(out, folder, name, suffix, err);
    if (s == ASSAY_OK && !stands(out)) out[0] = 0;
    return s;
}

static assay_status find_circuit(const assay_catalogue *c, assay_subject_entry *out, assay_errinfo *err)
{
    assay_container file;
    assay_status s = join(out->path, c->circuits, out->name, ".zkey", err);
    if (s == ASSAY_OK && !stands(out->path)) s = ASSAY_FAIL(err, ASSAY_EIO, out->path, "no such circuit");
    if (s == ASSAY_OK) s = find_beside(out->r1cs, c->circuits, out->name, ".r1cs", err);
    if (s == ASSAY_OK) s = find_beside(out->sym, c->circuits, out->name, ".sym", err);
    if (s != ASSAY_OK) return s;
    s = assay_container_open(&file, out->path, "zkey", 1, err); /* no more than its table of sections */
    if (s == ASSAY_EUNSUPPORTED) s = ASSAY_EFORMAT;
    if (s != ASSAY_OK) return s;
    s = assay_file_stamp_of(&out->stamp, file.source.fd, out->path, err);
    assay_container_close(&file);
    return s;
}

/* ---- models */

/* Whether one file of a commitment is there. */
static assay_status find_part(const char *folder, const char *name, assay_errinfo *err)
{
    char path[ASSAY_SUBJECT_PATH];
    uint64_t n_bytes;
    int fd = -1;
    assay_status s = assay_path_join(path, sizeof path, folder, name, err);
    if (s == ASSAY_OK && !stands(path))
        s = ASSAY_FAIL(err, ASSAY_EFORMAT, path, "is missing: the folder is not one that cp_commit made");
    if (s == ASSAY_OK) s = assay_file_open(&fd, &n_bytes, path, err);
    if (fd >= 0) (void)close(fd);
    return s;
}

static assay_status find_model(const assay_catalogue *c, assay_subject_entry *out, assay_errinfo *err)
{
    static const char *const parts[] = {"ID.txt",      "config/config.bin", "config/tokenizer.json", "ivk/ivk.bin",
                                        "isk/key.bin", "isk/counter",       "model/weights.bin",     "model/tree.bin"};
    assay_status s = join(out->path, c->models, out->name, "", err);
    if (s == ASSAY_OK && !stands(out->path)) s = ASSAY_FAIL(err, ASSAY_EIO, out->path, "no such model");
    if (s == ASSAY_OK && !assay_path_is_dir(out->path)) s = ASSAY_FAIL(err, ASSAY_EFORMAT, out->path, "not a folder");
    for (size_t i = 0; s == ASSAY_OK && i < sizeof parts / sizeof *parts; i++) s = find_part(out->path, parts[i], err);
    return s == ASSAY_OK ? assay_subject_stamp(&out->stamp, out->kind, out->path, err) : s;
}

/* ---- both */

static assay_status check_kind(assay_job_kind kind, assay_errinfo *err)
{
    if (kind == ASSAY_JOB_GROTH16 || kind == ASSAY_JOB_REPLY) return ASSAY_OK;
    return ASSAY_FAIL(err, ASSAY_EUNSUPPORTED, assay_job_kind_name(kind), "this kind's circuits are not built");
}

static const char *folder_of(const assay_catalogue *c, assay_job_kind kind)
{
    return kind == ASSAY_JOB_GROTH16 ? c->circuits : c->models;
}

assay_status assay_catalogue_find(const assay_catalogue *c, assay_job_kind kind, const char *name,
                                  assay_subject_entry *out, assay_errinfo *err)
{
    const bool circuit = kind == ASSAY_JOB_GROTH16;
    const size_t n = strlen(name);
    memset(out, 0, sizeof *out);
    assay_status s = check_kind(kind, err);
    if (s == ASSAY_OK && !name_ok(name, n))
        s = ASSAY_FAIL(err, ASSAY_ERANGE, name,
                       "cannot be a name: letters, digits, '.', '_', '-', no dot in front, at most 128 of them");
    if (s == ASSAY_OK && !folder_of(c, kind)[0])
        s = circuit ? ASSAY_FAIL(err, ASSAY_EIO, name, "no such circuit: no folder of circuits is set (paths.circuits)")
                    : ASSAY_FAIL(err, ASSAY_EIO, name, "no such model: no folder of models is set (paths.models)");
    if (s == ASSAY_OK) {
        out->kind = kind;
        memcpy(out->name, name, n + 1);
        s = circuit ? find_circuit(c, out, err) : find_model(c, out, err);
    }
    if (s != ASSAY_OK) memset(out, 0, sizeof *out);
    return s;
}

/* ---- listing */

typedef char subject_name[ASSAY_JOB_SUBJECT + 1];

/* The first `max` names of a folder in order. */
typedef struct name_list {
    subject_name *at;
    size_t n, max;
    size_t all; /* names seen */
} name_list;

static void put_name(name_list *l, const char *name, size_t n)
{
    subject_name here = "";
    size_t at = l->n;
    memcpy(here, name, n);
    l->all++;
    while (at > 0 && strcmp(l->at[at - 1], here) > 0) at--;
    if (at == l->max) return;
    if (l->n < l->max) l->n++;
    memmove(l->at + at + 1, l->at + at, (l->n - at - 1) * sizeof *l->at);
    memcpy(l->at[at], here, sizeof here);
}

static assay_status read_names(name_list *l, const char *folder, const char *suffix, assay_errinfo *err)
{
    const size_t n_suffix = strlen(suffix);
    size_t entries = 0;
    DIR *d = opendir(folder);
    if (!d && errno == ENOENT) return ASSAY_OK;
    if (!d) return ASSAY_FAIL_OS(err, ASSAY_EIO, folder, "folder cannot be read", errno);
    for (struct dirent *e = readdir(d); e && entries <= ENTRIES_MOST; e = readdir(d), entries++) {
        const size_t n = strlen(e->d_name);
        if (n > n_suffix && strcmp(e->d_name + n - n_suffix, suffix) == 0 && name_ok(e->d_name, n - n_suffix))
            put_name(l, e->d_name, n - n_suffix);
    }
    (void)closedir(d);
    if (entries > ENTRIES_MOST)
        return ASSAY_FAIL1(err, ASSAY_ERANGE, folder, "has more entries than are looked at (limit)", ENTRIES_MOST);
    return ASSAY_OK;
}

assay_status assay_catalogue_list(const assay_catalogue *c, assay_job_kind kind, assay_subject_entry *out, size_t max,
                                  size_t *n, assay_errinfo *err)
{
    const char *folder = folder_of(c, kind);
    assay_errinfo quiet = {0};
    name_list l = {NULL, 0, max, 0};
    size_t good = 0;
    *n = 0;
    assay_status s = check_kind(kind, err);
    if (s != ASSAY_OK || max == 0 || !folder[0]) return s;
    l.at = assay_mem_alloc(max, sizeof *l.at);
    if (!l.at) return ASSAY_FAIL(err, ASSAY_ENOMEM, "catalogue", "out of memory");
    s = read_names(&l, folder, kind == ASSAY_JOB_GROTH16 ? ".zkey" : "", err);
    for (size_t i = 0; s == ASSAY_OK && i < l.n; i++) {
        const assay_status found = assay_catalogue_find(c, kind, l.at[i], &out[good], &quiet);
        if (found == ASSAY_ENOMEM) s = ASSAY_FAIL(err, ASSAY_ENOMEM, "catalogue", "out of memory");
        if (found == ASSAY_OK) good++;
    }
    if (s == ASSAY_OK) *n = l.all - l.n + good;
    assay_mem_free(l.at);
    return s;
}

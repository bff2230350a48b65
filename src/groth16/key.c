/* SPDX-License-Identifier: Apache-2.0 */
/* Opening proving keys, and their points. */
#define _POSIX_C_SOURCE 200809L
#include "groth16/key.h"
#include "base/large_pages.h"
#include "base/mem.h"
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>

enum { READ_GRAIN = 4096 }; /* points: 256 KiB of G1 on BN254 */

const char *assay_groth16_section_name(unsigned section)
{
    static const char *const names[ASSAY_ZKEY_H + 1] = {[ASSAY_ZKEY_A] = "sum of A",
                                                        [ASSAY_ZKEY_B1] = "sum of B1",
                                                        [ASSAY_ZKEY_B2] = "sum of B2",
                                                        [ASSAY_ZKEY_C] = "sum of C",
                                                        [ASSAY_ZKEY_H] = "sum of H"};
    return names[section];
}

/* ---- points from the file */

typedef struct reading {
    const assay_zkey *z;
    unsigned section;
    uint64_t first;
    uint8_t *room;
    size_t each;
    atomic_bool failed;
} reading;

static void read_range(void *ctx, size_t begin, size_t end)
{
    reading *r = ctx;
    if (atomic_load(&r->failed)) return;
    if (assay_zkey_points(r->room + begin * r->each, r->z, r->section, r->first + begin, end - begin, ASSAY_POINT_CURVE,
                          NULL, NULL) != ASSAY_OK)
        atomic_store(&r->failed, true);
}

static assay_status read_points(void *room, const assay_zkey *z, unsigned section, uint64_t first, size_t n,
                                assay_pool *pool, assay_errinfo *err)
{
    reading r = {
        .z = z, .section = section, .first = first, .room = room, .each = assay_zkey_group(z, section)->affine_bytes};
    atomic_init(&r.failed, false);
    assay_pool_range(pool, n, READ_GRAIN, read_range, &r);
    if (!atomic_load(&r.failed)) return ASSAY_OK;
    /* Again in order, for the message: of the first bad point, whichever thread saw one. */
    return assay_zkey_points(room, z, section, first, n, ASSAY_POINT_CURVE, NULL, err);
}

/* Tells the system that the next n points of a section will be wanted; at its end, what is read after it. */
static void expect(const assay_zkey *z, unsigned section, uint64_t first, uint64_t n)
{
    static const uint32_t after[ASSAY_ZKEY_H + 1] = {[ASSAY_ZKEY_A] = ASSAY_ZKEY_B1,
                                                     [ASSAY_ZKEY_B1] = ASSAY_ZKEY_B2,
                                                     [ASSAY_ZKEY_B2] = ASSAY_ZKEY_C,
                                                     [ASSAY_ZKEY_C] = ASSAY_ZKEY_COEFS};
    const uint64_t each = assay_zkey_group(z, section)->affine_bytes;
    uint64_t at = first * each, bytes = n * each;
    const assay_section *s = assay_container_find(&z->file, section);
    if (s && at >= s->n) {
        s = assay_container_find(&z->file, after[section]);
        at = 0;
    }
    if (z->file.source.fd < 0 || !s) return;
    if (bytes > s->n - at) bytes = s->n - at;
    (void)posix_fadvise(z->file.source.fd, (off_t)(s->at + at), (off_t)bytes, POSIX_FADV_WILLNEED);
}

assay_status assay_groth16_key_points(const void **points, const assay_groth16_key *key, unsigned section,
                                      uint64_t first, size_t n, void *room, assay_pool *pool, assay_errinfo *err)
{
    if (key->resident) {
        *points = (const uint8_t *)key->points[section] + first * assay_zkey_group(&key->z, section)->affine_bytes;
        return ASSAY_OK;
    }
    *points = room;
    assay_status s = read_points(room, &key->z, section, first, n, pool, err);
    expect(&key->z, section, first + n, n);
    return s;
}

/* ---- resident keys */

static assay_status load_points(assay_groth16_key *key, unsigned section, assay_pool *pool, assay_errinfo *err)
{
    const uint64_t n = assay_zkey_n_points(&key->z, section);
    const size_t each = assay_zkey_group(&key->z, section)->affine_bytes;
    if (n == 0) return ASSAY_OK;
    key->points[section] = assay_mem_alloc_raw((size_t)n, each);
    if (!key->points[section]) return ASSAY_FAIL(err, ASSAY_ENOMEM, key->path, "out of memory for a resident key");
    assay_large_pages(key->points[section], (size_t)n * each);
    key->n_bytes += n * each;
    return read_points(key->points[section], &key->z, section, 0, (size_t)n, pool, err);
}

static assay_status load_all(assay_groth16_key *key, const assay_groth16_open_options *o, assay_errinfo *err)
{
    const assay_zkey *z = &key->z;
    assay_pool *pool = NULL;
    assay_status s = assay_pool_new(&pool, o->threads, err);
    for (unsigned section = ASSAY_ZKEY_A; s == ASSAY_OK && section <= ASSAY_ZKEY_H; section++) {
        s = assay_progress_tell(&o->progress, "reading the key", (double)(section - ASSAY_ZKEY_A) / 6, err);
        if (s == ASSAY_OK) s = load_points(key, section, pool, err);
    }
    if (s == ASSAY_OK) s = assay_progress_tell(&o->progress, "reading the key", 5.0 / 6, err);
    if (s == ASSAY_OK) s = assay_zkey_matrices_load(&key->matrices, z, err);
    key->n_bytes += (uint64_t)z->n_coefs * 8 + (uint64_t)z->domain * 8 + (uint64_t)key->matrices.values.n * 32;
    assay_pool_free(pool);
    key->resident = s == ASSAY_OK;
    return s;
}

/* ---- opening */

static assay_status refuse_development(const assay_groth16_key *key, const assay_groth16_open_options *o,
                                       assay_errinfo *err)
{
    if (!assay_vk_is_development(&key->vk) || key->marked || o->allow_development) return ASSAY_OK;
    return ASSAY_FAIL(err, ASSAY_EUNSUPPORTED, key->path,
                      "gamma = delta: a key without a second phase, under which anybody can forge proofs; allow "
                      "development keys to use it all the same");
}

assay_status assay_groth16_key_open(assay_groth16_key **out, const char *path,
                                    const assay_groth16_open_options *options, assay_errinfo *err)
{
    static const assay_groth16_open_options usual = {0};
    const assay_groth16_open_options *o = options ? options : &usual;
    *out = NULL;
    if (!path) return ASSAY_FAIL(err, ASSAY_EINVAL, "key", "a pointer is NULL");
    const size_t n = strlen(path) + 1;
    assay_groth16_key *key = assay_mem_alloc(1, sizeof *key);
    if (!key) return ASSAY_FAIL(err, ASSAY_ENOMEM, path, "out of memory");
    assay_status s = ASSAY_OK;
    key->path = assay_mem_alloc(n, 1);
    if (!key->path) {
        assay_mem_free(key);
        return ASSAY_FAIL(err, ASSAY_ENOMEM, path, "out of memory");
    }
    memcpy(key->path, path, n);
    s = assay_zkey_open(&key->z, key->path, true, err);
    if (s == ASSAY_OK) s = assay_zkey_check_header(&key->z, err);
    if (s == ASSAY_OK) s = assay_zkey_vk(&key->vk, &key->z, err);
    if (s == ASSAY_OK) {
        key->marked = assay_container_find(&key->z.file, ASSAY_ZKEY_DEVELOPMENT) != NULL;
        s = refuse_development(key, o, err);
    }
    if (s == ASSAY_OK && o->resident) s = load_all(key, o, err);
    if (s == ASSAY_OK)
        *out = key;
    else
        assay_groth16_key_free(key);
    return s;
}

void assay_groth16_key_free(assay_groth16_key *key)
{
    if (!key) return;
    for (unsigned section = ASSAY_ZKEY_A; section <= ASSAY_ZKEY_H; section++) assay_mem_free(key->points[section]);
    assay_zkey_matrices_clear(&key->matrices);
    assay_vk_clear(&key->vk);
    assay_zkey_close(&key->z);
    assay_mem_free(key->path);
    assay_mem_free(key);
}

void assay_groth16_key_describe(const assay_groth16_key *key, assay_groth16_key_info *out)
{
    const assay_zkey *z = &key->z;
    *out = (assay_groth16_key_info){.curve = z->curve->title,
                                    .n_wires = z->n_vars,
                                    .n_public = z->n_public,
                                    .domain = z->domain,
                                    .n_coefs = z->n_coefs,
                                    .development = z->development,
                                    .marked = key->marked,
                                    .n_bytes = z->file.source.n,
                                    .resident = key->resident ? key->n_bytes : 0};
}

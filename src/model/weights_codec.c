/* SPDX-License-Identifier: Apache-2.0 */
/* The secret weights file (docs/formats.md, "weights"): "ASSAYWTS", version, SHA-256 of the configuration's bytes,
 * number of weights, the weights as little-endian 16-bit two's complement, the biases (none in models without) as
 * 32-bit two's complement. */
#include "base/file.h"
#include "base/mem.h"
#include "hash/sha256.h"
#include "model/weights.h"
#include <string.h>

enum { VERSION = 1, MAGIC_BYTES = 8, HEADER_BYTES = MAGIC_BYTES + 4 + ASSAY_SHA256_BYTES + 8, CHUNK = 1 << 15 };

static const uint8_t magic[MAGIC_BYTES] = {'A', 'S', 'S', 'A', 'Y', 'W', 'T', 'S'};

static assay_status config_digest(uint8_t out[ASSAY_SHA256_BYTES], const assay_model_config *c, assay_errinfo *err)
{
    assay_writer w;
    assay_writer_init(&w, (size_t)1 << 20);
    assay_model_config_encode(&w, c);
    bool bad = w.bad;
    if (!bad) assay_sha256_digest(out, w.p, w.n);
    assay_writer_clear(&w);
    return bad ? ASSAY_FAIL(err, ASSAY_ENOMEM, "model configuration", "out of memory") : ASSAY_OK;
}

static assay_status emit_biases(assay_weights_sink *put, void *ctx, const int32_t *v, size_t n, uint8_t *chunk,
                                assay_errinfo *err)
{
    assay_status s = ASSAY_OK;
    for (size_t at = 0; s == ASSAY_OK && at < n; at += CHUNK / 2) {
        size_t m = n - at < CHUNK / 2 ? n - at : CHUNK / 2;
        for (size_t i = 0; i < m; i++) assay_store_u32(chunk + 4 * i, (uint32_t)v[at + i]);
        s = put(ctx, chunk, 4 * m, err);
    }
    return s;
}

static assay_status emit_array(assay_weights_sink *put, void *ctx, const int16_t *v, size_t n, uint8_t *chunk,
                               assay_errinfo *err)
{
    assay_status s = ASSAY_OK;
    for (size_t at = 0; s == ASSAY_OK && at < n; at += CHUNK) {
        size_t m = n - at < CHUNK ? n - at : CHUNK;
        for (size_t i = 0; i < m; i++) {
            uint16_t x = (uint16_t)v[at + i];
            chunk[2 * i] = (uint8_t)x;
            chunk[2 * i + 1] = (uint8_t)(x >> 8);
        }
        s = put(ctx, chunk, 2 * m, err);
    }
    return s;
}

assay_status assay_model_weights_emit(const assay_model *m, assay_weights_sink *put, void *ctx, assay_errinfo *err)
{
    uint8_t header[HEADER_BYTES];
    assay_model view = *m; /* lists the arrays without a second, const walk */
    uint8_t *chunk = assay_mem_alloc(CHUNK, 2);
    assay_status s = chunk ? ASSAY_OK : ASSAY_FAIL(err, ASSAY_ENOMEM, "weights", "out of memory");
    memcpy(header, magic, MAGIC_BYTES);
    assay_store_u32(header + MAGIC_BYTES, VERSION);
    assay_store_u64(header + HEADER_BYTES - 8, assay_weight_total(&m->cfg));
    if (s == ASSAY_OK) s = config_digest(header + MAGIC_BYTES + 4, &m->cfg, err);
    if (s == ASSAY_OK) s = put(ctx, header, sizeof header, err);
    for (uint32_t i = 0; s == ASSAY_OK && i < assay_weight_count(&m->cfg); i++) {
        assay_weight_array a = assay_weight_at(&view, i);
        s = emit_array(put, ctx, *a.slot, (size_t)a.rows * a.cols, chunk, err);
    }
    for (uint32_t i = 0; s == ASSAY_OK && i < assay_bias_count(&m->cfg); i++) {
        assay_bias_array a = assay_bias_at(&view, i);
        s = emit_biases(put, ctx, *a.slot, a.n, chunk, err);
    }
    assay_mem_free_secret(chunk, 2 * CHUNK);
    return s;
}

static assay_status append(void *ctx, const void *p, size_t n, assay_errinfo *err)
{
    return assay_outfile_append((assay_outfile *)ctx, p, n, err);
}

assay_status assay_model_weights_save(const assay_model *m, const char *path, assay_errinfo *err)
{
    assay_outfile *f = NULL;
    assay_status s = assay_outfile_open(&f, path, 0600, err);
    if (s != ASSAY_OK) return s;
    s = assay_model_weights_emit(m, append, f, err);
    if (s == ASSAY_OK) return assay_outfile_commit(f, err);
    assay_outfile_abort(f);
    return s;
}

static assay_status check_header(assay_reader *r, const assay_model_config *c, const char *name, assay_errinfo *err)
{
    uint8_t digest[ASSAY_SHA256_BYTES];
    const uint8_t *m = assay_read_bytes(r, MAGIC_BYTES);
    if (!m || memcmp(m, magic, MAGIC_BYTES) != 0) return ASSAY_FAIL(err, ASSAY_EFORMAT, name, "not a weights file");
    uint32_t version = assay_read_u32(r);
    const uint8_t *want = assay_read_bytes(r, ASSAY_SHA256_BYTES);
    uint64_t n = assay_read_u64(r), expected = assay_weight_total(c);
    if (r->bad) return ASSAY_FAIL(err, ASSAY_EFORMAT, name, "ends too early");
    if (version != VERSION) return ASSAY_FAIL1(err, ASSAY_EUNSUPPORTED, name, "unknown format version", version);
    assay_status s = config_digest(digest, c, err);
    if (s != ASSAY_OK) return s;
    if (memcmp(digest, want, sizeof digest) != 0)
        return ASSAY_FAIL(err, ASSAY_EFORMAT, name, "weights of another model configuration");
    if (n != expected) return ASSAY_FAIL2(err, ASSAY_EFORMAT, name, "number of values (has, needs)", n, expected);
    uint64_t bytes = 2 * expected + 4 * assay_bias_total(c);
    if (assay_reader_left(r) != bytes)
        return ASSAY_FAIL2(err, ASSAY_EFORMAT, name, "bytes of values (has, needs)", assay_reader_left(r), bytes);
    return ASSAY_OK;
}

static assay_status decode_biases(int32_t *out, assay_reader *r, size_t n, const char *name, assay_errinfo *err)
{
    const int64_t limit = ((int64_t)1 << (ASSAY_BIAS_BITS - 1)) - 1;
    for (size_t i = 0; i < n; i++) {
        int64_t v = assay_read_u32(r);
        if (v >= (int64_t)1 << 31) v -= (int64_t)1 << 32;
        if (v < -limit || v > limit) return ASSAY_FAIL(err, ASSAY_ERANGE, name, "a bias has more than 30 bits");
        out[i] = (int32_t)v;
    }
    return ASSAY_OK;
}

static assay_status decode_array(int16_t *out, const uint8_t *p, size_t n, const char *name, assay_errinfo *err)
{
    const int32_t limit = (1 << (ASSAY_WEIGHT_BITS - 1)) - 1;
    for (size_t i = 0; i < n; i++) {
        int32_t v = p[2 * i] | p[2 * i + 1] << 8;
        if (v >= 1 << 15) v -= 1 << 16;
        if (v < -limit) return ASSAY_FAIL(err, ASSAY_ERANGE, name, "a weight is below -32767");
        out[i] = (int16_t)v;
    }
    return ASSAY_OK;
}

assay_status assay_model_weights_decode(assay_model *m, const char *name, const uint8_t *p, size_t n,
                                        assay_errinfo *err)
{
    assay_reader r = assay_reader_of(p, n);
    assay_status s = check_header(&r, &m->cfg, name, err);
    if (s == ASSAY_OK) s = assay_model_alloc(m, err);
    if (s != ASSAY_OK) return s;
    for (uint32_t i = 0; s == ASSAY_OK && i < assay_weight_count(&m->cfg); i++) {
        assay_weight_array a = assay_weight_at(m, i);
        size_t cells = (size_t)a.rows * a.cols;
        s = decode_array(*a.slot, assay_read_bytes(&r, 2 * cells), cells, name, err);
    }
    for (uint32_t i = 0; s == ASSAY_OK && i < assay_bias_count(&m->cfg); i++) {
        assay_bias_array a = assay_bias_at(m, i);
        s = decode_biases(*a.slot, &r, a.n, name, err);
    }
    if (s != ASSAY_OK) assay_weights_clear(m);
    return s;
}

assay_status assay_model_weights_load(assay_model *m, const char *path, assay_errinfo *err)
{
    assay_map map;
    assay_status s = assay_map_open(&map, path, err);
    if (s != ASSAY_OK) return s;
    s = assay_model_weights_decode(m, path, map.p, map.n, err);
    assay_map_close(&map);
    return s;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Files that travel: configuration, verification key, request, next token, proof header; docs/formats.md.
 * Each starts with eight bytes of magic and a le32 version; unknown versions and bytes left over are refused. */
#include "base/mem.h"
#include "cp/file_head_codec.h"
#include "cp/public.h"
#include <string.h>

static const char magic_config[] = "ASSAYCFG", magic_ivk[] = "ASSAYIVK", magic_req[] = "ASSAYREQ",
                  magic_next[] = "ASSAYTOK", magic_proof[] = "ASSAYPRF";

enum { VERSION_BOUNDS = 2 /* of a proof under a policy with bounds */ };

static assay_status expect_end(const assay_reader *r, const char *what, assay_errinfo *err)
{
    if (r->bad) return ASSAY_FAIL(err, ASSAY_EFORMAT, what, "is too short");
    if (assay_reader_left(r)) return ASSAY_FAIL1(err, ASSAY_EFORMAT, what, "has bytes left over", assay_reader_left(r));
    return ASSAY_OK;
}

static void read_into(assay_reader *r, uint8_t *out, size_t n)
{
    const uint8_t *p = assay_read_bytes(r, n);
    if (p) memcpy(out, p, n);
}

void assay_config_encode(assay_writer *w, const assay_public *p)
{
    assay_file_head_write(w, magic_config);
    assay_write_bytes(w, p->tokenizer_hash, 32);
    assay_model_config_encode(w, &p->cfg);
}

void assay_ivk_encode(assay_writer *w, const assay_public *p)
{
    assay_file_head_write(w, magic_ivk);
    assay_write_u32(w, p->params.security);
    assay_write_u32(w, p->params.c);
    assay_write_u32(w, p->params.a);
    assay_write_u32(w, p->params.jb);
    assay_write_bytes(w, p->root, 32);
}

static assay_status config_decode(assay_public *p, const uint8_t *b, size_t n, assay_errinfo *err)
{
    assay_reader r = assay_reader_of(b, n);
    assay_status s = assay_file_head_read(&r, magic_config, "config.bin", err);
    if (s != ASSAY_OK) return s;
    read_into(&r, p->tokenizer_hash, 32);
    s = assay_model_config_decode(&p->cfg, &r, err);
    if (s == ASSAY_OK) s = expect_end(&r, "config.bin", err);
    return s == ASSAY_OK ? assay_model_config_check(&p->cfg, 1, err) : s;
}

static assay_status ivk_decode(assay_public *p, const uint8_t *b, size_t n, assay_errinfo *err)
{
    assay_reader r = assay_reader_of(b, n);
    assay_status s = assay_file_head_read(&r, magic_ivk, "ivk.bin", err);
    if (s != ASSAY_OK) return s;
    p->params.security = assay_read_u32(&r);
    p->params.c = assay_read_u32(&r);
    p->params.a = assay_read_u32(&r);
    p->params.jb = assay_read_u32(&r);
    read_into(&r, p->root, 32);
    if ((s = expect_end(&r, "ivk.bin", err)) != ASSAY_OK) return s;
    assay_grid grids[MAT_COUNT];
    memset(grids, 0, sizeof grids);
    s = assay_weights_place(grids, &p->cfg, &p->params, err);
    for (unsigned m = 0; m < MAT_COUNT; m++) assay_grid_clear(&grids[m]);
    return s;
}

assay_status assay_config_decode(assay_public *p, const uint8_t *config, size_t n, assay_errinfo *err)
{
    memset(p, 0, sizeof *p);
    assay_status s = config_decode(p, config, n, err);
    if (s != ASSAY_OK) assay_public_clear(p);
    return s;
}

assay_status assay_public_decode(assay_public *p, const uint8_t *config, size_t n_config, const uint8_t *ivk,
                                 size_t n_ivk, assay_errinfo *err)
{
    memset(p, 0, sizeof *p);
    assay_status s = config_decode(p, config, n_config, err);
    if (s == ASSAY_OK) s = ivk_decode(p, ivk, n_ivk, err);
    if (s == ASSAY_OK) s = assay_public_identify(p, err);
    if (s != ASSAY_OK) assay_public_clear(p);
    return s;
}

void assay_request_encode(assay_writer *w, const assay_request *r)
{
    assay_file_head_write(w, magic_req);
    assay_write_u32(w, r->n_context);
    assay_write_bytes(w, r->context, r->n_context);
    assay_write_u32(w, r->n_prompt);
    assay_write_u32(w, r->n_tokens);
    for (uint32_t i = 0; i < r->n_tokens; i++) assay_write_u32(w, r->ids[i]);
}

void assay_next_token_encode(assay_writer *w, uint32_t y)
{
    assay_file_head_write(w, magic_next);
    assay_write_u32(w, y);
}

assay_status assay_request_decode(assay_request *r, const uint8_t *req, size_t n_req, const uint8_t *y, size_t n_y,
                                  assay_errinfo *err)
{
    uint8_t context[ASSAY_MAX_CONTEXT] = {0};
    assay_reader in = assay_reader_of(req, n_req), next = assay_reader_of(y, n_y);
    memset(r, 0, sizeof *r);
    assay_status s = assay_file_head_read(&in, magic_req, "request", err);
    if (s != ASSAY_OK || (s = assay_file_head_read(&next, magic_next, "next token", err)) != ASSAY_OK) return s;
    uint32_t y_id = assay_read_u32(&next);
    if ((s = expect_end(&next, "next token", err)) != ASSAY_OK) return s;

    uint32_t n_context = assay_read_u32(&in);
    if (n_context > ASSAY_MAX_CONTEXT)
        return ASSAY_FAIL1(err, ASSAY_ERANGE, "request", "context is too long", n_context);
    read_into(&in, context, n_context);
    uint32_t n_prompt = assay_read_u32(&in), n_tokens = assay_read_u32(&in);
    if (in.bad) return ASSAY_FAIL(err, ASSAY_EFORMAT, "request", "is too short");
    if (n_prompt == 0 || n_tokens < n_prompt || n_tokens > ASSAY_MAX_TOKENS)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, "request", "lengths are out of range", n_prompt, n_tokens);
    if (assay_reader_left(&in) != (size_t)n_tokens * 4)
        return ASSAY_FAIL(err, ASSAY_EFORMAT, "request", "has the wrong length");
    r->ids = assay_mem_alloc((size_t)n_tokens + 1, sizeof *r->ids);
    if (!r->ids) return ASSAY_FAIL(err, ASSAY_ENOMEM, "request", "out of memory");
    for (uint32_t i = 0; i < n_tokens; i++) r->ids[i] = assay_read_u32(&in);
    r->ids[n_tokens] = y_id;
    r->n_prompt = n_prompt;
    r->n_tokens = n_tokens;
    r->n_context = n_context;
    memcpy(r->context, context, n_context);
    return ASSAY_OK;
}

void assay_gap_bounds_encode(assay_writer *w, const assay_gap_bounds *gap)
{
    assay_write_u32(w, gap->policy);
    if (gap->policy == ASSAY_POLICY_EXACT) return;
    assay_write_u32(w, gap->most);
    assay_write_u32(w, gap->sum);
    assay_write_u32(w, gap->count);
}

void assay_proof_header_encode(assay_writer *w, const assay_gap_bounds *gap, size_t n_body)
{
    const bool exact = gap->policy == ASSAY_POLICY_EXACT;
    assay_file_head_write_version(w, magic_proof, exact ? ASSAY_FILE_VERSION : VERSION_BOUNDS);
    if (!exact) assay_gap_bounds_encode(w, gap);
    assay_write_u32(w, (uint32_t)n_body);
}

assay_status assay_proof_header_decode(const uint8_t *p, size_t n, assay_gap_bounds *gap, const uint8_t **body,
                                       size_t *n_body, assay_errinfo *err)
{
    assay_reader r = assay_reader_of(p, n);
    uint32_t version = 0;
    memset(gap, 0, sizeof *gap);
    assay_status s = assay_file_head_read_version(&r, magic_proof, "proof", VERSION_BOUNDS, &version, err);
    if (s != ASSAY_OK) return s;
    if (version == VERSION_BOUNDS) {
        gap->policy = assay_read_u32(&r);
        gap->most = assay_read_u32(&r);
        gap->sum = assay_read_u32(&r);
        gap->count = assay_read_u32(&r);
        if (!r.bad && gap->policy != ASSAY_POLICY_GAP) /* the exact one is version 1: one form a proof */
            return ASSAY_FAIL1(err, ASSAY_EUNSUPPORTED, "proof", "states an unknown policy", gap->policy);
    }
    uint32_t len = assay_read_u32(&r);
    if (r.bad || len != assay_reader_left(&r)) return ASSAY_FAIL(err, ASSAY_EFORMAT, "proof", "has the wrong length");
    *body = assay_read_bytes(&r, len);
    *n_body = len;
    return ASSAY_OK;
}

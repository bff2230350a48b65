/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions of single files. */
#include "cli/describe.h"
#include "base/mem.h"
#include "base/status.h"
#include "cli/report.h"
#include "cp/store_codec.h"
#include "hash/sha256.h"
#include <stdio.h>
#include <string.h>

static void begin(assay_describer *d)
{
    if (d->json && !d->begun) assay_json_begin();
    d->begun = d->json;
}

void assay_fact_text(assay_describer *d, const char *name, const char *value)
{
    begin(d);
    if (d->json)
        assay_json_string(name, value);
    else
        printf("%s: %s\n", name, value);
}

void assay_fact_number(assay_describer *d, const char *name, uint64_t value)
{
    begin(d);
    if (d->json)
        assay_json_number(name, value);
    else
        printf("%s: %llu\n", name, (unsigned long long)value);
}

void assay_fact_hex(assay_describer *d, const char *name, const uint8_t *p, size_t n)
{
    char text[129] = "";
    for (size_t i = 0; i < n && 2 * i + 2 < sizeof text; i++) (void)snprintf(text + 2 * i, 3, "%02x", p[i]);
    assay_fact_text(d, name, text);
}

static void fact_ids(assay_describer *d, const char *name, const uint32_t *ids, size_t n)
{
    begin(d);
    if (d->json) {
        assay_json_ids(name, ids, n);
        return;
    }
    printf("%s:", name);
    for (size_t i = 0; i < n; i++) printf(" %u", (unsigned)ids[i]);
    printf("\n");
}

static void fact_digest(assay_describer *d, const char *name, const uint8_t *p, size_t n)
{
    uint8_t digest[32];
    assay_sha256_digest(digest, p, n);
    assay_fact_hex(d, name, digest, sizeof digest);
}

static void fact_scaling(assay_describer *d, const assay_model_config *c)
{
    char text[64];
    uint64_t low = UINT64_MAX, high = 0;
    for (uint32_t i = 0; i < c->n_rope; i++) {
        low = c->rope_q32[i] < low ? c->rope_q32[i] : low;
        high = c->rope_q32[i] > high ? c->rope_q32[i] : high;
    }
    (void)snprintf(text, sizeof text, "frequencies divided by %g to %g", (double)low / 4294967296.0,
                   (double)high / 4294967296.0);
    assay_fact_text(d, "rope_scaling", c->n_rope ? text : "none");
}

assay_status assay_describe_config(assay_describer *d, const uint8_t *p, size_t n, assay_errinfo *err)
{
    assay_public pub;
    assay_status s = assay_config_decode(&pub, p, n, err);
    if (s != ASSAY_OK) return s;
    const assay_model_config *c = &pub.cfg;
    assay_fact_text(d, "what", "model configuration (public)");
    assay_fact_text(d, "family", c->family == 1 ? "Llama" : "unknown");
    assay_fact_number(d, "layers", c->n_layers);
    assay_fact_number(d, "width", c->d);
    assay_fact_number(d, "query_heads", c->n_heads);
    assay_fact_number(d, "key_value_heads", c->n_kv);
    assay_fact_number(d, "head_dimension", c->head_dim);
    assay_fact_number(d, "hidden_width", c->ff);
    assay_fact_number(d, "vocabulary", c->vocab);
    assay_fact_number(d, "context", c->max_positions);
    assay_fact_text(d, "embeddings_called_tied", c->tied ? "yes" : "no");
    if (c->bos >= 0) assay_fact_number(d, "first_token", (uint64_t)c->bos);
    fact_ids(d, "stop_tokens", c->stop, c->n_stop);
    fact_scaling(d, c);
    assay_fact_text(d, "qkv_biases", c->parts & ASSAY_PART_BIAS ? "yes" : "no");
    assay_fact_text(d, "qk_norms", model_has_head_norms(c) ? "yes" : "no");
    assay_fact_hex(d, "tokenizer_sha256", pub.tokenizer_hash, 32);
    assay_public_clear(&pub);
    return ASSAY_OK;
}

/* Head of a file: ASSAY_EFORMAT if it is shorter than nbytes, ASSAY_EUNSUPPORTED for an unknown version. */
static assay_status head(assay_reader *r, const uint8_t *p, size_t n, size_t nbytes, const char *what,
                         assay_errinfo *err)
{
    *r = assay_reader_of(p, n);
    if (n < nbytes) return ASSAY_FAIL2(err, ASSAY_EFORMAT, what, "is too short (bytes, needs)", n, nbytes);
    (void)assay_read_bytes(r, 8);
    uint32_t version = assay_read_u32(r);
    return version == 1 ? ASSAY_OK : ASSAY_FAIL1(err, ASSAY_EUNSUPPORTED, what, "has an unknown version", version);
}

assay_status assay_describe_ivk(assay_describer *d, const uint8_t *p, size_t n, assay_errinfo *err)
{
    assay_reader r;
    assay_status s = head(&r, p, n, 60, "ivk.bin", err);
    if (s != ASSAY_OK) return s;
    assay_commit_params c;
    c.security = assay_read_u32(&r);
    c.c = assay_read_u32(&r);
    c.a = assay_read_u32(&r);
    c.jb = assay_read_u32(&r);
    if ((c.security != 128 && c.security != 100) || c.c > 30 || c.a > c.c || c.jb > 30)
        return ASSAY_FAIL(err, ASSAY_ERANGE, "ivk.bin", "holds numbers that this version does not make");
    assay_fact_text(d, "what", "verification key (public)");
    assay_fact_number(d, "security", c.security);
    assay_fact_number(d, "weight_rows", (uint64_t)1 << c.jb);
    assay_fact_number(d, "row_cells", (uint64_t)1 << c.c);
    assay_fact_number(d, "random_slots_a_row", (uint64_t)1 << c.a);
    assay_fact_number(d, "proofs_covered", assay_proofs_covered(&c));
    assay_fact_hex(d, "weight_root", assay_read_bytes(&r, 32), 32);
    return ASSAY_OK;
}

assay_status assay_describe_request(assay_describer *d, const uint8_t *p, size_t n, assay_errinfo *err)
{
    assay_writer next;
    assay_request r;
    assay_writer_init(&next, 64);
    assay_next_token_encode(&next, 0); /* the request's other file, which is not asked for here */
    if (next.bad) return ASSAY_FAIL(err, ASSAY_ENOMEM, "request", "out of memory");
    assay_status s = assay_request_decode(&r, p, n, next.p, next.n, err);
    assay_writer_clear(&next);
    if (s != ASSAY_OK) return s;
    assay_fact_text(d, "what", "request (public)");
    assay_fact_number(d, "prompt_tokens", r.n_prompt);
    assay_fact_number(d, "reply_tokens", r.n_tokens - r.n_prompt);
    if (r.n_context) assay_fact_hex(d, "context", r.context, r.n_context);
    fact_ids(d, "prompt", r.ids, r.n_prompt);
    fact_ids(d, "reply", r.ids + r.n_prompt, r.n_tokens - r.n_prompt);
    assay_request_clear(&r);
    return ASSAY_OK;
}

assay_status assay_describe_next(assay_describer *d, const uint8_t *p, size_t n, assay_errinfo *err)
{
    assay_reader r;
    assay_status s = head(&r, p, n, 16, "next token", err);
    if (s != ASSAY_OK) return s;
    assay_fact_text(d, "what", "token after a reply (public)");
    assay_fact_number(d, "token", assay_read_u32(&r));
    return ASSAY_OK;
}

assay_status assay_describe_proof(assay_describer *d, const uint8_t *p, size_t n, assay_errinfo *err)
{
    const uint8_t *body = NULL;
    size_t n_body = 0;
    assay_gap_bounds gap;
    assay_status s = assay_proof_header_decode(p, n, &gap, &body, &n_body, err);
    if (s != ASSAY_OK) return s;
    assay_fact_text(d, "what", "proof (public)");
    assay_fact_number(d, "format", 1);
    assay_fact_text(d, "policy", gap.policy == ASSAY_POLICY_EXACT ? "exact" : "gap");
    if (gap.policy != ASSAY_POLICY_EXACT) { /* as stated; steps of 2^-10 nat, or the logit unit if that is coarser */
        assay_fact_number(d, "largest_gap_steps", gap.most);
        assay_fact_number(d, "sum_of_gaps_steps", gap.sum);
        assay_fact_number(d, "tokens_with_a_gap", gap.count);
    }
    assay_fact_number(d, "bytes", n);
    if (n_body >= 32) assay_fact_hex(d, "witness_root", body, 32);
    fact_digest(d, "sha256", p, n);
    return ASSAY_OK;
}

assay_status assay_describe_key(assay_describer *d, const uint8_t *p, size_t n, assay_errinfo *err)
{
    assay_secret_key k;
    assay_status s = assay_secret_key_decode(&k, p, n, err);
    if (s == ASSAY_OK) {
        assay_fact_text(d, "what", "SECRET key of a commitment");
        assay_fact_hex(d, "id", k.id, 32);
        assay_fact_number(d, "proofs_allowed", k.lifetime);
    }
    assay_mem_wipe(&k, sizeof k);
    return s;
}

assay_status assay_describe_counter(assay_describer *d, const uint8_t *p, size_t n, assay_errinfo *err)
{
    uint64_t spent = 0;
    assay_status s = assay_counter_decode(&spent, p, n, err);
    if (s != ASSAY_OK) return s;
    assay_fact_text(d, "what", "counter of proofs made (keep it)");
    assay_fact_number(d, "proofs_made", spent);
    return ASSAY_OK;
}

assay_status assay_describe_weights(assay_describer *d, const uint8_t *p, size_t n, assay_errinfo *err)
{
    assay_reader r;
    assay_status s = head(&r, p, n, 52, "weights.bin", err);
    if (s != ASSAY_OK) return s;
    assay_fact_text(d, "what", "SECRET integer weights");
    assay_fact_hex(d, "configuration_sha256", assay_read_bytes(&r, 32), 32);
    assay_fact_number(d, "weights", assay_read_u64(&r));
    return ASSAY_OK;
}

assay_status assay_describe_tree(assay_describer *d, const uint8_t *p, size_t n, assay_errinfo *err)
{
    assay_reader r;
    assay_status s = head(&r, p, n, 24, "tree.bin", err);
    if (s != ASSAY_OK) return s;
    assay_fact_text(d, "what", "digests of a commitment's weight tree (secret)");
    (void)assay_read_u8(&r);
    uint8_t c = assay_read_u8(&r);
    (void)assay_read_u16(&r);
    assay_fact_number(d, "log2_row_cells", c);
    assay_fact_number(d, "rows", assay_read_u64(&r));
    return ASSAY_OK;
}

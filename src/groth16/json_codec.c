/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the JSON of snarkjs that nobody vouches for. */
#include "base/mem.h"
#include "base/subject.h"
#include "field/limbs.h"
#include "groth16/decimal.h"
#include "groth16/json.h"
#include <jansson.h>
#include <string.h>

enum { MEMBER_BYTES = 48, NO_PLACE = -1 };

/* What is read, for messages: a member, and which of its elements. */
typedef struct place {
    const char *name, *member;
    int64_t index; /* NO_PLACE: the member is no array of elements */
} place;

static assay_status refuse(const place *at, assay_status s, const char *part, const char *reason, assay_errinfo *err)
{
    char subject[ASSAY_SUBJECT_BYTES], what[MEMBER_BYTES + 64];
    if (at->index == NO_PLACE)
        (void)snprintf(what, sizeof what, "%.*s%s%s", MEMBER_BYTES, at->member, *part ? ", " : "", part);
    else
        (void)snprintf(what, sizeof what, "%.*s[%lld]%s%s", MEMBER_BYTES, at->member, (long long)at->index,
                       *part ? ", " : "", part);
    return ASSAY_FAIL(err, s, *what ? subject_of(subject, at->name, what) : at->name, reason);
}

/* A number below the modulus, as limbs. part: which one, for the message. */
static assay_status read_number(uint64_t *limbs, const json_t *v, const uint64_t *modulus, unsigned n_limbs,
                                const place *at, const char *part, assay_errinfo *err)
{
    if (!json_is_string(v)) return refuse(at, ASSAY_EFORMAT, part, "is not a string of decimal digits", err);
    const char *text = json_string_value(v), *wrong = assay_decimal_fault(text, json_string_length(v));
    if (wrong) return refuse(at, ASSAY_EFORMAT, part, wrong, err);
    if (!assay_decimal_read(limbs, text, json_string_length(v), modulus, n_limbs))
        return refuse(at, ASSAY_ERANGE, part, "is not below the modulus of its field", err);
    return ASSAY_OK;
}

static bool is_text(const json_t *v, const char *text)
{
    return json_is_string(v) && strcmp(json_string_value(v), text) == 0;
}

/* A coordinate of k components (1 in G1, 2 in G2) as the big-endian bytes of curve.h: the last component first. */
static assay_status read_coordinate(uint8_t *bytes, const json_t *v, const assay_curve *c, size_t k, const place *at,
                                    const char *part, assay_errinfo *err)
{
    if (k > 1 && (!json_is_array(v) || json_array_size(v) != k))
        return refuse(at, ASSAY_EFORMAT, part, "is not an array of two numbers", err);
    for (size_t i = 0; i < k; i++) {
        uint64_t limbs[ASSAY_FQ_MAX_LIMBS];
        const json_t *number = k > 1 ? json_array_get(v, i) : v;
        assay_status s = read_number(limbs, number, c->fq_modulus, c->fq_limbs, at, part, err);
        if (s != ASSAY_OK) return s;
        limbs_to_bytes(bytes + (k - 1 - i) * c->fq_bytes, limbs, (int)c->fq_limbs, true);
    }
    return ASSAY_OK;
}

static assay_status read_point(assay_affine *out, const json_t *v, const assay_curve *c, assay_group_id group,
                               const place *at, assay_errinfo *err)
{
    const assay_group *g = &c->group[group];
    uint8_t bytes[ASSAY_AFFINE_MAX_BYTES];
    size_t k = g->coord_bytes / c->fq_bytes;
    memset(out, 0, sizeof *out);
    if (!json_is_array(v) || json_array_size(v) != 3)
        return refuse(at, ASSAY_EFORMAT, "", v ? "is not an array of three coordinates" : "is missing", err);
    const json_t *z = json_array_get(v, 2);
    bool normal =
        k == 1 ? is_text(z, "1")
               : json_array_size(z) == 2 && is_text(json_array_get(z, 0), "1") && is_text(json_array_get(z, 1), "0");
    if (!normal) return refuse(at, ASSAY_EFORMAT, "z", k == 1 ? "is not \"1\"" : "is not [\"1\", \"0\"]", err);
    assay_status s = read_coordinate(bytes, json_array_get(v, 0), c, k, at, "x", err);
    if (s == ASSAY_OK) s = read_coordinate(bytes + g->coord_bytes, json_array_get(v, 1), c, k, at, "y", err);
    if (s == ASSAY_OK && !g->from_be(out, bytes)) s = refuse(at, ASSAY_ERANGE, "", "is out of range", err);
    return s;
}

static assay_status read_member(assay_affine *out, const json_t *root, const char *member, const assay_curve *c,
                                assay_group_id group, const char *name, assay_errinfo *err)
{
    place at = {name, member, NO_PLACE};
    return read_point(out, json_object_get(root, member), c, group, &at, err);
}

static assay_status load(json_t **root, const char *name, const void *p, size_t n, size_t max, assay_errinfo *err)
{
    json_error_t e;
    *root = NULL;
    if (n > max) return ASSAY_FAIL2(err, ASSAY_ERANGE, name, "file too large (bytes, limit)", n, max);
    *root = json_loadb(p ? p : "", n, JSON_REJECT_DUPLICATES, &e);
    if (*root) return ASSAY_OK;
    if (json_error_code(&e) == json_error_out_of_memory) return ASSAY_FAIL(err, ASSAY_ENOMEM, name, "out of memory");
    return ASSAY_FAIL2(err, ASSAY_EFORMAT, name,
                       json_error_code(&e) == json_error_duplicate_key ? "has a member twice (line, column)"
                                                                       : "is not JSON (line, column)",
                       e.line, e.column);
}

static assay_status check_protocol(const json_t *root, const char *name, assay_errinfo *err)
{
    place at = {name, "protocol", NO_PLACE};
    const json_t *v = json_object_get(root, "protocol");
    if (!json_is_object(root)) return ASSAY_FAIL(err, ASSAY_EFORMAT, name, "is not a JSON object");
    if (!json_is_string(v)) return refuse(&at, ASSAY_EFORMAT, "", "is missing or no text", err);
    if (!is_text(v, "groth16")) return refuse(&at, ASSAY_EUNSUPPORTED, "", "is not \"groth16\"", err);
    return ASSAY_OK;
}

/* The curve that is named; NULL, without a failure, when none is. */
static assay_status read_curve(const assay_curve **c, const json_t *root, const char *name, assay_errinfo *err)
{
    place at = {name, "curve", NO_PLACE};
    const json_t *v = json_object_get(root, "curve");
    *c = NULL;
    if (!v) return ASSAY_OK;
    if (!json_is_string(v)) return refuse(&at, ASSAY_EFORMAT, "", "is no text", err);
    *c = assay_curve_by_name(json_string_value(v));
    return *c ? ASSAY_OK : refuse(&at, ASSAY_EUNSUPPORTED, "", "is no curve that is known", err);
}

/* ---- verification keys */

static assay_status read_ic(assay_vk *vk, const json_t *ic, const char *name, assay_errinfo *err)
{
    const assay_group *g = &vk->curve->group[ASSAY_G1];
    for (size_t i = 0; i <= vk->n_public; i++) {
        place at = {name, "IC", (int64_t)i};
        assay_affine point;
        assay_status s = read_point(&point, json_array_get(ic, i), vk->curve, ASSAY_G1, &at, err);
        if (s != ASSAY_OK) return s;
        memcpy(assay_vk_ic(vk, (uint32_t)i), &point, g->affine_bytes);
    }
    return ASSAY_OK;
}

static assay_status read_vk(assay_vk *vk, const json_t *root, const char *name, assay_errinfo *err)
{
    const assay_curve *c = NULL;
    place curve = {name, "curve", NO_PLACE}, n_public = {name, "nPublic", NO_PLACE}, points = {name, "IC", NO_PLACE};
    const json_t *ic = json_object_get(root, "IC"), *count = json_object_get(root, "nPublic");
    assay_status s = check_protocol(root, name, err);
    if (s == ASSAY_OK) s = read_curve(&c, root, name, err);
    if (s != ASSAY_OK) return s;
    if (!c) return refuse(&curve, ASSAY_EFORMAT, "", "is missing", err);
    if (!json_is_array(ic) || json_array_size(ic) == 0 || json_array_size(ic) > UINT32_MAX)
        return refuse(&points, ASSAY_EFORMAT, "", "is not an array of points", err);
    if (!json_is_integer(count)) return refuse(&n_public, ASSAY_EFORMAT, "", "is missing or no whole number", err);
    if (json_integer_value(count) != (json_int_t)json_array_size(ic) - 1)
        return refuse(&n_public, ASSAY_EFORMAT, "", "is not the length of IC less one", err);
    s = assay_vk_init(vk, c, (uint32_t)json_array_size(ic) - 1, err);
    if (s == ASSAY_OK) s = read_member(&vk->alpha1, root, "vk_alpha_1", c, ASSAY_G1, name, err);
    if (s == ASSAY_OK) s = read_member(&vk->beta2, root, "vk_beta_2", c, ASSAY_G2, name, err);
    if (s == ASSAY_OK) s = read_member(&vk->gamma2, root, "vk_gamma_2", c, ASSAY_G2, name, err);
    if (s == ASSAY_OK) s = read_member(&vk->delta2, root, "vk_delta_2", c, ASSAY_G2, name, err);
    if (s == ASSAY_OK) s = read_ic(vk, ic, name, err);
    return s == ASSAY_OK ? assay_vk_check(vk, name, err) : s;
}

assay_status assay_vk_parse_json(assay_vk *vk, const char *name, const void *p, size_t n, assay_errinfo *err)
{
    *vk = (assay_vk){0};
    json_t *root;
    assay_status s = load(&root, name, p, n, ASSAY_JSON_MAX_BYTES, err);
    if (s == ASSAY_OK) s = read_vk(vk, root, name, err);
    vk->marked = s == ASSAY_OK && json_is_true(json_object_get(root, "assay_development_key"));
    json_decref(root);
    if (s != ASSAY_OK) assay_vk_clear(vk);
    return s;
}

/* ---- proofs */

static assay_status read_proof(assay_proof *proof, const assay_curve *curve, const json_t *root, const char *name,
                               assay_errinfo *err)
{
    place at = {name, "curve", NO_PLACE};
    const assay_curve *named = NULL;
    assay_status s = check_protocol(root, name, err);
    if (s == ASSAY_OK) s = read_curve(&named, root, name, err);
    if (s != ASSAY_OK) return s;
    if (!named && !curve) return refuse(&at, ASSAY_EFORMAT, "", "is missing", err);
    if (named && curve && named != curve)
        return refuse(&at, ASSAY_EUNSUPPORTED, "", "is another one than that of the key", err);
    const assay_curve *c = proof->curve = named ? named : curve;
    s = read_member(&proof->a, root, "pi_a", c, ASSAY_G1, name, err);
    if (s == ASSAY_OK) s = read_member(&proof->b, root, "pi_b", c, ASSAY_G2, name, err);
    if (s == ASSAY_OK) s = read_member(&proof->c, root, "pi_c", c, ASSAY_G1, name, err);
    return s == ASSAY_OK ? assay_proof_check(proof, name, err) : s;
}

assay_status assay_proof_parse_json(assay_proof *proof, const assay_curve *curve, const char *name, const void *p,
                                    size_t n, assay_errinfo *err)
{
    memset(proof, 0, sizeof *proof);
    json_t *root;
    assay_status s = load(&root, name, p, n, ASSAY_JSON_PROOF_MAX_BYTES, err);
    if (s == ASSAY_OK) s = read_proof(proof, curve, root, name, err);
    json_decref(root);
    if (s != ASSAY_OK) memset(proof, 0, sizeof *proof);
    return s;
}

/* ---- public values */

static assay_status read_publics(assay_publics *out, const assay_curve *curve, const json_t *root, const char *name,
                                 assay_errinfo *err)
{
    if (!json_is_array(root) || json_array_size(root) >= UINT32_MAX)
        return ASSAY_FAIL(err, ASSAY_EFORMAT, name, "is not a JSON array of public values");
    out->curve = curve;
    out->n = (uint32_t)json_array_size(root);
    if (out->n == 0) return ASSAY_OK;
    out->v = assay_mem_alloc(out->n, sizeof *out->v);
    if (!out->v) return ASSAY_FAIL(err, ASSAY_ENOMEM, name, "out of memory");
    for (uint32_t i = 0; i < out->n; i++) {
        place at = {name, "public value ", i};
        assay_status s =
            read_number(out->v[i], json_array_get(root, i), curve->fr_modulus, ASSAY_FR_LIMBS, &at, "", err);
        if (s != ASSAY_OK) return s;
    }
    return ASSAY_OK;
}

assay_status assay_publics_parse_json(assay_publics *out, const assay_curve *curve, const char *name, const void *p,
                                      size_t n, assay_errinfo *err)
{
    *out = (assay_publics){0};
    json_t *root;
    assay_status s = load(&root, name, p, n, ASSAY_JSON_MAX_BYTES, err);
    if (s == ASSAY_OK) s = read_publics(out, curve, root, name, err);
    json_decref(root);
    if (s != ASSAY_OK) assay_publics_clear(out);
    return s;
}

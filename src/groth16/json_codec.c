/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the JSON of snarkjs that nobody vouches for. */
#include "base/json_text.h"
#include "base/mem.h"
#include "base/subject.h"
#include "field/limbs.h"
#include "groth16/decimal.h"
#include "groth16/json.h"
#include <stdio.h>
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

static const char not_digits[] = "is not a string of decimal digits";

/* A number below the modulus, as limbs. part: which one, for the message. */
static assay_status read_number(uint64_t *limbs, const assay_json_node *v, const uint64_t *modulus, unsigned n_limbs,
                                const place *at, const char *part, assay_errinfo *err)
{
    if (!assay_json_is(v, ASSAY_JSON_STRING)) return refuse(at, ASSAY_EFORMAT, part, not_digits, err);
    const char *wrong = assay_decimal_fault(v->text, v->n);
    if (wrong) return refuse(at, ASSAY_EFORMAT, part, wrong, err);
    if (!assay_decimal_read(limbs, v->text, v->n, modulus, n_limbs))
        return refuse(at, ASSAY_ERANGE, part, "is not below the modulus of its field", err);
    return ASSAY_OK;
}

/* A coordinate of k components (1 in G1, 2 in G2) as the big-endian bytes of curve.h: the last component first. */
static assay_status read_coordinate(uint8_t *bytes, const assay_json_node *v, const assay_curve *c, size_t k,
                                    const place *at, const char *part, assay_errinfo *err)
{
    if (k > 1 && (!assay_json_is(v, ASSAY_JSON_ARRAY) || v->n != k))
        return refuse(at, ASSAY_EFORMAT, part, "is not an array of two numbers", err);
    for (size_t i = 0; i < k; i++) {
        uint64_t limbs[ASSAY_FQ_MAX_LIMBS];
        const assay_json_node *number = k > 1 ? assay_json_at(v, (uint32_t)i) : v;
        assay_status s = read_number(limbs, number, c->fq_modulus, c->fq_limbs, at, part, err);
        if (s != ASSAY_OK) return s;
        limbs_to_bytes(bytes + (k - 1 - i) * c->fq_bytes, limbs, (int)c->fq_limbs, true);
    }
    return ASSAY_OK;
}

static assay_status read_point(assay_affine *out, const assay_json_node *v, const assay_curve *c, assay_group_id group,
                               const place *at, assay_errinfo *err)
{
    const assay_group *g = &c->group[group];
    uint8_t bytes[ASSAY_AFFINE_MAX_BYTES];
    size_t k = g->coord_bytes / c->fq_bytes;
    memset(out, 0, sizeof *out);
    if (!assay_json_is(v, ASSAY_JSON_ARRAY) || v->n != 3)
        return refuse(at, ASSAY_EFORMAT, "", v ? "is not an array of three coordinates" : "is missing", err);
    const assay_json_node *z = assay_json_at(v, 2);
    bool normal = k == 1
                      ? assay_json_equals(z, "1")
                      : assay_json_is(z, ASSAY_JSON_ARRAY) && z->n == 2 &&
                            assay_json_equals(assay_json_at(z, 0), "1") && assay_json_equals(assay_json_at(z, 1), "0");
    if (!normal) return refuse(at, ASSAY_EFORMAT, "z", k == 1 ? "is not \"1\"" : "is not [\"1\", \"0\"]", err);
    assay_status s = read_coordinate(bytes, assay_json_at(v, 0), c, k, at, "x", err);
    if (s == ASSAY_OK) s = read_coordinate(bytes + g->coord_bytes, assay_json_at(v, 1), c, k, at, "y", err);
    if (s == ASSAY_OK && !g->from_be(out, bytes)) s = refuse(at, ASSAY_ERANGE, "", "is out of range", err);
    return s;
}

static assay_status read_member(assay_affine *out, const assay_json_node *root, const char *member,
                                const assay_curve *c, assay_group_id group, const char *name, assay_errinfo *err)
{
    place at = {name, member, NO_PLACE};
    return read_point(out, assay_json_member(root, member), c, group, &at, err);
}

static assay_status check_protocol(const assay_json_node *root, const char *name, assay_errinfo *err)
{
    place at = {name, "protocol", NO_PLACE};
    const assay_json_node *v = assay_json_member(root, "protocol");
    if (!assay_json_is(root, ASSAY_JSON_OBJECT)) return ASSAY_FAIL(err, ASSAY_EFORMAT, name, "is not a JSON object");
    if (!assay_json_is(v, ASSAY_JSON_STRING)) return refuse(&at, ASSAY_EFORMAT, "", "is missing or no text", err);
    if (!assay_json_equals(v, "groth16")) return refuse(&at, ASSAY_EUNSUPPORTED, "", "is not \"groth16\"", err);
    return ASSAY_OK;
}

/* The curve that is named; NULL, without a failure, when none is. */
static assay_status read_curve(const assay_curve **c, const assay_json_node *root, const char *name, assay_errinfo *err)
{
    place at = {name, "curve", NO_PLACE};
    const assay_json_node *v = assay_json_member(root, "curve");
    *c = NULL;
    if (!v) return ASSAY_OK;
    if (!assay_json_is(v, ASSAY_JSON_STRING)) return refuse(&at, ASSAY_EFORMAT, "", "is no text", err);
    for (int i = 0; i < ASSAY_CURVE_COUNT && !*c; i++)
        if (assay_json_equals(v, assay_curve_get((assay_curve_id)i)->name)) *c = assay_curve_get((assay_curve_id)i);
    return *c ? ASSAY_OK : refuse(&at, ASSAY_EUNSUPPORTED, "", "is no curve that is known", err);
}

/* ---- verification keys */

static assay_status read_ic(assay_vk *vk, const assay_json_node *ic, const char *name, assay_errinfo *err)
{
    const assay_group *g = &vk->curve->group[ASSAY_G1];
    const assay_json_node *v = ic + 1;
    for (size_t i = 0; i < ic->n; i++, v = assay_json_next(v)) {
        place at = {name, "IC", (int64_t)i};
        assay_affine point;
        assay_status s = read_point(&point, v, vk->curve, ASSAY_G1, &at, err);
        if (s != ASSAY_OK) return s;
        memcpy(assay_vk_ic(vk, (uint32_t)i), &point, g->affine_bytes);
    }
    return ASSAY_OK;
}

static bool is_whole(const assay_json_node *v)
{
    return assay_json_is(v, ASSAY_JSON_NUMBER) && !memchr(v->text, '.', v->n) && !memchr(v->text, 'e', v->n) &&
           !memchr(v->text, 'E', v->n);
}

/* Whether a number is this one; a text that is longer than any of 32 bits is not. */
static bool is_number(const assay_json_node *v, uint32_t want)
{
    char text[MEMBER_BYTES];
    const int n = snprintf(text, sizeof text, "%lu", (unsigned long)want);
    return n > 0 && v->n == (uint32_t)n && memcmp(v->text, text, (size_t)n) == 0;
}

static assay_status read_vk(assay_vk *vk, const assay_json_node *root, const char *name, assay_errinfo *err)
{
    const assay_curve *c = NULL;
    place curve = {name, "curve", NO_PLACE}, n_public = {name, "nPublic", NO_PLACE}, points = {name, "IC", NO_PLACE};
    const assay_json_node *ic = assay_json_member(root, "IC"), *count = assay_json_member(root, "nPublic");
    assay_status s = check_protocol(root, name, err);
    if (s == ASSAY_OK) s = read_curve(&c, root, name, err);
    if (s != ASSAY_OK) return s;
    if (!c) return refuse(&curve, ASSAY_EFORMAT, "", "is missing", err);
    if (!assay_json_is(ic, ASSAY_JSON_ARRAY) || ic->n == 0)
        return refuse(&points, ASSAY_EFORMAT, "", "is not an array of points", err);
    if (!is_whole(count)) return refuse(&n_public, ASSAY_EFORMAT, "", "is missing or no whole number", err);
    if (!is_number(count, ic->n - 1))
        return refuse(&n_public, ASSAY_EFORMAT, "", "is not the length of IC less one", err);
    s = assay_vk_init(vk, c, ic->n - 1, err);
    if (s == ASSAY_OK) s = read_member(&vk->alpha1, root, "vk_alpha_1", c, ASSAY_G1, name, err);
    if (s == ASSAY_OK) s = read_member(&vk->beta2, root, "vk_beta_2", c, ASSAY_G2, name, err);
    if (s == ASSAY_OK) s = read_member(&vk->gamma2, root, "vk_gamma_2", c, ASSAY_G2, name, err);
    if (s == ASSAY_OK) s = read_member(&vk->delta2, root, "vk_delta_2", c, ASSAY_G2, name, err);
    return s == ASSAY_OK ? read_ic(vk, ic, name, err) : s;
}

assay_status assay_vk_read_json(assay_vk *vk, const char *name, const void *p, size_t n, assay_errinfo *err)
{
    *vk = (assay_vk){0};
    assay_json_node *root;
    assay_status s = assay_json_read(&root, name, p, n, ASSAY_JSON_MAX_BYTES, err);
    if (s == ASSAY_OK) s = read_vk(vk, root, name, err);
    const assay_json_node *mark = assay_json_member(root, "assay_development_key");
    vk->marked = s == ASSAY_OK && assay_json_is(mark, ASSAY_JSON_OTHER) && mark->text[0] == 't';
    assay_mem_free(root);
    if (s != ASSAY_OK) assay_vk_clear(vk);
    return s;
}

assay_status assay_vk_parse_json(assay_vk *vk, const char *name, const void *p, size_t n, assay_errinfo *err)
{
    assay_status s = assay_vk_read_json(vk, name, p, n, err);
    if (s == ASSAY_OK) s = assay_vk_check(vk, name, err);
    if (s != ASSAY_OK) assay_vk_clear(vk);
    return s;
}

/* ---- proofs */

static assay_status read_proof(assay_proof *proof, const assay_curve *curve, const assay_json_node *root,
                               const char *name, assay_errinfo *err)
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
    assay_json_node *root;
    assay_status s = assay_json_read(&root, name, p, n, ASSAY_JSON_PROOF_MAX_BYTES, err);
    if (s == ASSAY_OK) s = read_proof(proof, curve, root, name, err);
    assay_mem_free(root);
    if (s != ASSAY_OK) memset(proof, 0, sizeof *proof);
    return s;
}

/* ---- public values */

static assay_status read_publics(assay_publics *out, const assay_curve *curve, const assay_json_node *root,
                                 const char *name, assay_errinfo *err)
{
    if (!assay_json_is(root, ASSAY_JSON_ARRAY))
        return ASSAY_FAIL(err, ASSAY_EFORMAT, name, "is not a JSON array of public values");
    out->curve = curve;
    out->n = root->n;
    if (out->n == 0) return ASSAY_OK;
    const assay_json_node *v = root + 1;
    for (uint32_t i = 0; i < out->n; i++, v = assay_json_next(v)) /* else values of two bytes would be given 32 each */
        if (!assay_json_is(v, ASSAY_JSON_STRING))
            return refuse(&(place){name, "public value ", i}, ASSAY_EFORMAT, "", not_digits, err);
    out->v = assay_mem_alloc(out->n, sizeof *out->v);
    if (!out->v) return ASSAY_FAIL(err, ASSAY_ENOMEM, name, "out of memory");
    v = root + 1;
    for (uint32_t i = 0; i < out->n; i++, v = assay_json_next(v)) {
        place at = {name, "public value ", i};
        assay_status s = read_number(out->v[i], v, curve->fr_modulus, ASSAY_FR_LIMBS, &at, "", err);
        if (s != ASSAY_OK) return s;
    }
    return ASSAY_OK;
}

assay_status assay_publics_parse_json(assay_publics *out, const assay_curve *curve, const char *name, const void *p,
                                      size_t n, assay_errinfo *err)
{
    *out = (assay_publics){0};
    assay_json_node *root;
    assay_status s = assay_json_read(&root, name, p, n, ASSAY_JSON_MAX_BYTES, err);
    if (s == ASSAY_OK) s = read_publics(out, curve, root, name, err);
    assay_mem_free(root);
    if (s != ASSAY_OK) assay_publics_clear(out);
    return s;
}

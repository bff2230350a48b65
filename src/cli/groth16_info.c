/* SPDX-License-Identifier: Apache-2.0 */
/* assay groth16 info FILE: told apart by the first four bytes. */
#include "assay/groth16.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/status.h"
#include "cli/commands.h"
#include "cli/groth16.h"
#include "cli/report.h"
#include "groth16/key.h"
#include "groth16/ptau.h"
#include "groth16/r1cs.h"
#include "groth16/wtns.h"
#include <stdio.h>
#include <string.h>

typedef struct info {
    const assay_args *a;
    bool json;
} info;

static void text(const info *i, const char *key, const char *label, const char *value)
{
    if (i->json)
        assay_json_string(key, value);
    else
        printf("  %-14s %s\n", label, value);
}

static void number(const info *i, const char *key, const char *label, uint64_t value)
{
    if (i->json)
        assay_json_number(key, value);
    else
        printf("  %-14s %llu\n", label, (unsigned long long)value);
}

static void title(const info *i, const char *kind)
{
    if (i->json) {
        assay_json_begin();
        assay_json_string("kind", kind);
    } else {
        assay_report_path(i->a->operand[0]);
        printf(": %s\n", kind);
    }
}

/* ---- proving keys */

static void print_plan(const info *i, const assay_groth16_plan *plan)
{
    if (i->json) {
        assay_json_number("proof_memory", plan->peak);
        assay_json_number("least_memory", plan->least);
        assay_json_array_begin("stages");
    } else {
        printf("  a proof takes %.1f MiB, or with --memory %.1f at least:\n", (double)plan->peak / 1048576,
               (double)plan->least / 1048576);
    }
    for (size_t k = 0; k < plan->n_stages; k++) {
        if (!i->json) {
            printf("    %-12s %8.1f\n", plan->stage[k].name, (double)plan->stage[k].n_bytes / 1048576);
            continue;
        }
        assay_json_begin();
        assay_json_string("stage", plan->stage[k].name);
        assay_json_number("memory", plan->stage[k].n_bytes);
        assay_json_close();
    }
    if (i->json) assay_json_array_end();
}

static void print_history(const info *i, const assay_zkey_history *h)
{
    char hex[2 * ASSAY_ZKEY_HASH_BYTES + 1];
    for (size_t k = 0; k < ASSAY_ZKEY_HASH_BYTES; k++)
        (void)snprintf(hex + 2 * k, sizeof hex - 2 * k, "%02x", h->circuit_hash[k]);
    text(i, "circuit_hash", "circuit hash", hex);
    number(i, "contributions", "contributions", h->n);
}

static assay_status describe_key(const info *i, const char *path, assay_errinfo *err)
{
    const assay_groth16_open_options o = {.allow_development = 1};
    assay_groth16_key_info k;
    assay_groth16_plan plan;
    assay_zkey_history history = {0};
    assay_groth16_key *key = NULL;
    unsigned threads = 0;
    (void)assay_cli_threads(i->a, &threads);
    assay_status s = assay_groth16_key_open(&key, path, &o, err);
    if (s == ASSAY_OK) s = assay_groth16_plan_make(&plan, key, 0, threads, err);
    if (s == ASSAY_OK) s = assay_zkey_history_read(&history, &key->z, err);
    if (s == ASSAY_OK) { /* nothing is printed before all is known to be good */
        assay_groth16_key_describe(key, &k);
        title(i, "proving key (Groth16)");
        text(i, "curve", "curve", k.curve);
        if (k.development)
            text(i, "development_key", "INSECURE",
                 k.marked ? "development key: whoever made it can forge proofs"
                          : "development key: gamma = delta, anybody can forge proofs");
        number(i, "wires", "wires", k.n_wires);
        number(i, "public_values", "public values", k.n_public);
        number(i, "domain", "domain", k.domain);
        number(i, "coefficients", "coefficients", k.n_coefs);
        print_history(i, &history);
        print_plan(i, &plan);
    }
    assay_zkey_history_clear(&history);
    assay_groth16_key_free(key);
    return s;
}

/* ---- others */

static assay_status describe_circuit(const info *i, const char *path, assay_errinfo *err)
{
    assay_container file = {.source = {.fd = -1}};
    assay_r1cs c = {0};
    assay_status s = assay_container_open(&file, path, "r1cs", 1, err);
    if (s == ASSAY_OK) s = assay_r1cs_read_header(&c, &file, err);
    if (s == ASSAY_OK) {
        title(i, "circuit (.r1cs)");
        text(i, "curve", "curve", c.curve->title);
        number(i, "constraints", "constraints", c.n_constraints);
        number(i, "wires", "wires", c.n_wires);
        number(i, "outputs", "outputs", c.n_outputs);
        number(i, "public_inputs", "public inputs", c.n_inputs);
        number(i, "private_inputs", "private inputs", c.n_private);
    }
    assay_r1cs_clear(&c);
    assay_container_close(&file);
    return s;
}

static assay_status describe_witness(const info *i, const char *path, assay_errinfo *err)
{
    assay_wtns w = {0};
    assay_status s = assay_wtns_read(&w, path, err);
    if (s == ASSAY_OK) {
        title(i, "witness (secret)");
        text(i, "curve", "curve", w.curve->title);
        number(i, "values", "values", w.n);
    }
    assay_wtns_clear(&w);
    return s;
}

static assay_status describe_ptau(const info *i, const char *path, assay_errinfo *err)
{
    assay_ptau t;
    assay_status s = assay_ptau_open(&t, path, err);
    if (s != ASSAY_OK) return s;
    title(i, "powers of tau");
    text(i, "curve", "curve", t.curve->title);
    number(i, "power", "power", t.power);
    number(i, "ceremony_power", "of a ceremony", t.ceremony_power);
    text(i, "prepared", "phase 2", t.prepared ? "prepared" : "not prepared");
    assay_ptau_close(&t);
    return ASSAY_OK;
}

int assay_run_groth16_info(const assay_args *a)
{
    enum { MAGIC = 4 };
    static const struct {
        const char *magic;
        assay_status (*describe)(const info *i, const char *path, assay_errinfo *err);
    } kinds[] = {
        {"zkey", describe_key}, {"r1cs", describe_circuit}, {"wtns", describe_witness}, {"ptau", describe_ptau}};
    const info i = {a, args_has(a, OPT_JSON)};
    const char *path = a->operand[0];
    assay_errinfo err = {0};
    assay_source file = {.fd = -1};
    uint8_t magic[MAGIC] = {0};
    unsigned threads;
    if (!assay_cli_threads(a, &threads)) return ASSAY_EXIT_USAGE;
    assay_status s = assay_source_open(&file, path, &err);
    if (s == ASSAY_OK) s = assay_source_read(&file, magic, 0, file.n < MAGIC ? (size_t)file.n : MAGIC, "magic", &err);
    assay_source_close(&file);
    if (s == ASSAY_OK) {
        s = ASSAY_EFORMAT;
        size_t k = 0;
        while (k < sizeof kinds / sizeof *kinds && memcmp(magic, kinds[k].magic, MAGIC) != 0) k++;
        if (k < sizeof kinds / sizeof *kinds)
            s = kinds[k].describe(&i, path, &err);
        else
            (void)ASSAY_FAIL(&err, s, path, "is no .zkey, .r1cs, .wtns or .ptau");
    }
    if (s == ASSAY_OK && i.json) assay_json_end();
    return s == ASSAY_OK ? assay_report_finish(a, ASSAY_EXIT_OK) : assay_report_error(a, ASSAY_READING, s, &err);
}

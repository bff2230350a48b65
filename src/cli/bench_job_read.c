/* SPDX-License-Identifier: Apache-2.0 */
/* A job's options and files. */
#include "base/mem.h"
#include "cli/bench_job.h"
#include "cli/files.h"
#include "cli/report.h"
#include <jansson.h>
#include <openssl/evp.h>
#include <string.h>

static const size_t file_bytes = (size_t)256 << 20;

/* ---- vanilla proofs: a JSON array of base64 texts, or one binary file */

static assay_status decode(assay_buffer *out, const char *text, const char *file, assay_errinfo *err)
{
    const size_t n = strlen(text);
    if (n == 0 || n % 4 != 0 || n > file_bytes) return ASSAY_FAIL(err, ASSAY_EFORMAT, file, "an element is not base64");
    out->p = assay_mem_alloc(n / 4 * 3, 1);
    if (!out->p) return ASSAY_FAIL(err, ASSAY_ENOMEM, file, "out of memory");
    const int got = EVP_DecodeBlock(out->p, (const unsigned char *)text, (int)n);
    out->n = n / 4 * 3 - (text[n - 1] == '=') - (text[n - 2] == '=');
    return got < 0 ? ASSAY_FAIL(err, ASSAY_EFORMAT, file, "an element is not base64") : ASSAY_OK;
}

static assay_status read_vanilla(assay_bench_job *j, const char *path, assay_errinfo *err)
{
    assay_buffer b = {NULL, 0};
    json_error_t ignored;
    assay_status s = assay_cli_read(&b, path, NULL, file_bytes, err);
    json_t *list = s == ASSAY_OK ? json_loadb((const char *)b.p, b.n, 0, &ignored) : NULL;
    assay_buffer_free(&b);
    if (s != ASSAY_OK) return s;
    const size_t n = json_array_size(list);
    if (n == 0 || n > ASSAY_BENCH_FILES)
        s = ASSAY_FAIL1(err, ASSAY_EFORMAT, path, "is not a JSON array of 1 to so many base64 texts",
                        ASSAY_BENCH_FILES);
    for (size_t i = 0; i < n && s == ASSAY_OK; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        s = text ? decode(&j->file[j->n_files], text, path, err)
                 : ASSAY_FAIL(err, ASSAY_EFORMAT, path, "an element is not a text");
        j->n_files += j->file[j->n_files].p != NULL;
    }
    json_decref(list);
    return s;
}

/* ---- options */

static assay_status add_file(assay_bench_job *j, const char *path, assay_errinfo *err)
{
    assay_status s = assay_cli_read(&j->file[j->n_files], path, NULL, file_bytes, err);
    if (s == ASSAY_OK) j->n_files++;
    return s;
}

static int failed(const assay_args *a, assay_status s, const assay_errinfo *err)
{
    return s == ASSAY_OK ? -1 : assay_report_error(a, ASSAY_READING, s, err);
}

static int read_groth16(assay_bench_job *j, const assay_args *a)
{
    assay_errinfo err = {0};
    const size_t n = assay_args_times(a, OPT_WITNESS);
    j->kind = ASSAY_JOB_GROTH16;
    j->subject = a->value[OPT_CIRCUIT];
    if (n == 0) return assay_report_usage(a, "--circuit", "needs --witness FILE.wtns, one for each partition");
    assay_status s = ASSAY_OK;
    for (size_t i = 0; i < n && s == ASSAY_OK; i++) s = add_file(j, assay_args_nth(a, OPT_WITNESS, i), &err);
    return failed(a, s, &err);
}

static int read_reply(assay_bench_job *j, const assay_args *a)
{
    assay_errinfo err = {0};
    j->kind = ASSAY_JOB_REPLY;
    j->subject = a->value[OPT_COMMITTED];
    if (!args_has(a, OPT_REQ) || !args_has(a, OPT_Y))
        return assay_report_usage(a, "--committed", "needs --req F.req and --y F.y");
    assay_status s = add_file(j, a->value[OPT_REQ], &err);
    if (s == ASSAY_OK) s = add_file(j, a->value[OPT_Y], &err);
    return failed(a, s, &err);
}

/* 32 bytes of hexadecimal; not given: zeros. */
static int read_digest(const assay_args *a, assay_opt_id id, uint8_t out[32])
{
    assay_errinfo err = {0};
    if (!args_has(a, id)) return -1;
    if (assay_cli_id(out, a->value[id], &err) == ASSAY_OK) return -1;
    return assay_report_usage(a, a->value[id], "is not 64 hexadecimal digits");
}

static int read_filecoin(assay_bench_job *j, const assay_args *a)
{
    static const char *const words[] = {"porep", "snap", "wpost", "winning"};
    static const assay_job_kind kinds[] = {ASSAY_JOB_POREP, ASSAY_JOB_SNAP, ASSAY_JOB_WINDOW_POST,
                                           ASSAY_JOB_WINNING_POST};
    assay_errinfo err = {0};
    size_t i = 0;
    if (!assay_args_word(a, OPT_TYPE, words, sizeof words / sizeof *words, &i) ||
        !assay_args_number(a, OPT_REGISTERED_PROOF, 0, UINT32_MAX, &j->registered_proof) ||
        !assay_args_number(a, OPT_SECTOR, 0, UINT64_MAX, &j->sector) ||
        !assay_args_number(a, OPT_MINER, 0, UINT64_MAX, &j->miner) ||
        !assay_args_number(a, OPT_PARTITION, 0, UINT32_MAX, &j->partition))
        return ASSAY_EXIT_USAGE;
    j->kind = kinds[i];
    j->subject = words[i];
    const struct {
        assay_opt_id id;
        uint8_t *out;
    } digests[] = {{OPT_RANDOMNESS, j->randomness},
                   {OPT_COMM_R_OLD, j->comm_r_old},
                   {OPT_COMM_R_NEW, j->comm_r_new},
                   {OPT_COMM_D_NEW, j->comm_d_new}};
    for (size_t k = 0; k < sizeof digests / sizeof *digests; k++) {
        const int code = read_digest(a, digests[k].id, digests[k].out);
        if (code >= 0) return code;
    }
    if (j->kind == ASSAY_JOB_POREP) {
        if (!args_has(a, OPT_C1)) return assay_report_usage(a, "--type porep", "needs --c1 FILE");
        return failed(a, add_file(j, a->value[OPT_C1], &err), &err);
    }
    if (!args_has(a, OPT_VANILLA)) return assay_report_usage(a, "--type", "needs --vanilla FILE");
    return failed(a, read_vanilla(j, a->value[OPT_VANILLA], &err), &err);
}

/* Inputs of another kind of job than the one that is asked for: nothing is ignored in silence. */
static int refuse_strays(const assay_args *a)
{
    static const struct {
        assay_opt_id input, of;
        const char *name, *why;
    } inputs[] = {{OPT_WITNESS, OPT_CIRCUIT, "--witness", "belongs to --circuit"},
                  {OPT_REQ, OPT_COMMITTED, "--req", "belongs to --committed"},
                  {OPT_Y, OPT_COMMITTED, "--y", "belongs to --committed"},
                  {OPT_C1, OPT_TYPE, "--c1", "belongs to --type"},
                  {OPT_VANILLA, OPT_TYPE, "--vanilla", "belongs to --type"}};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (args_has(a, inputs[i].input) && !args_has(a, inputs[i].of))
            return assay_report_usage(a, inputs[i].name, inputs[i].why);
    return -1;
}

int assay_bench_job_read(assay_bench_job *j, const assay_args *a)
{
    static const char *const priorities[] = {"low", "normal", "high", "critical"};
    uint64_t seconds = 0;
    size_t priority = 0;
    memset(j, 0, sizeof *j);
    j->sector = 1;
    j->miner = 1000;
    j->timeout_ms = UINT64_MAX;
    if (args_has(a, OPT_PRIORITY)) {
        if (!assay_args_word(a, OPT_PRIORITY, priorities, sizeof priorities / sizeof *priorities, &priority))
            return ASSAY_EXIT_USAGE;
        j->priority = priority + 1;
    }
    if (!assay_args_number(a, OPT_TIMEOUT, 1, 1000000000, &seconds)) return ASSAY_EXIT_USAGE;
    if (seconds > 0) j->timeout_ms = 1000 * seconds;
    if (args_has(a, OPT_CIRCUIT) + args_has(a, OPT_COMMITTED) + args_has(a, OPT_TYPE) != 1)
        return assay_report_usage(a, "a job", "is one of --circuit NAME, --committed NAME and --type KIND");
    const int code = refuse_strays(a);
    if (code >= 0) return code;
    return args_has(a, OPT_CIRCUIT)     ? read_groth16(j, a)
           : args_has(a, OPT_COMMITTED) ? read_reply(j, a)
                                        : read_filecoin(j, a);
}

void assay_bench_job_clear(assay_bench_job *j)
{
    for (size_t i = 0; i < j->n_files; i++) assay_buffer_free(&j->file[i]);
    memset(j, 0, sizeof *j);
}

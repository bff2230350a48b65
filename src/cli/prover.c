/* SPDX-License-Identifier: Apache-2.0 */
/* Prompts, requests and open commitments. */
#define _POSIX_C_SOURCE 200809L
#include "cli/prover.h"
#include "base/dir.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/status.h"
#include "cli/files.h"
#include "cli/report.h"
#include "cp/public.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void assay_cli_start(void)
{
    assay_mem_keep();
    assay_file_cleanup_on_signals();
}

/* "I/K" with 1 <= I <= K. */
static bool parse_share(const char *text, unsigned *share, unsigned *shares)
{
    char *end = NULL;
    unsigned long i = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '/') return false;
    const char *second = end + 1;
    unsigned long k = strtoul(second, &end, 10);
    if (second[0] < '0' || second[0] > '9' || *end || i < 1 || i > k || k > 65536) return false;
    *share = (unsigned)i;
    *shares = (unsigned)k;
    return true;
}

int assay_cli_open_options(const assay_args *a, assay_open_options *o)
{
    uint64_t threads = 0;
    memset(o, 0, sizeof *o);
    o->reserve = 1;
    o->wait = args_has(a, OPT_WAIT);
    if (!assay_args_number(a, OPT_THREADS, 1, 1024, &threads)) return ASSAY_EXIT_USAGE;
    if (!assay_args_number(a, OPT_SKIP, 0, UINT32_MAX, &o->skip)) return ASSAY_EXIT_USAGE;
    o->threads = (unsigned)threads;
    if (args_has(a, OPT_SHARE) && !parse_share(a->value[OPT_SHARE], &o->share, &o->shares))
        return assay_report_usage(a, "--share", "is not I/K with 1 <= I <= K");
    return -1;
}

assay_status assay_cli_text(assay_text **out, const char *dir, const char *below, assay_errinfo *err)
{
    char folder[ASSAY_CLI_PATH];
    assay_buffer config = {NULL, 0}, tokenizer = {NULL, 0};
    *out = NULL;
    (void)snprintf(folder, sizeof folder, "%s%s%s", dir, below ? "/" : "", below ? below : "");
    assay_status s = assay_cli_read(&config, folder, "config.bin", ASSAY_MAX_PUBLIC_FILE, err);
    if (s == ASSAY_OK) s = assay_cli_read(&tokenizer, folder, "tokenizer.json", ASSAY_MAX_TOKENIZER_FILE, err);
    if (s == ASSAY_OK) s = assay_text_new(out, config.p, config.n, tokenizer.p, tokenizer.n, err);
    assay_buffer_free(&config);
    assay_buffer_free(&tokenizer);
    return s;
}

static assay_status check_length(assay_ids *prompt, const assay_text *t, assay_errinfo *err)
{
    size_t n = prompt->n;
    if (n <= assay_text_max_tokens(t)) return ASSAY_OK;
    assay_ids_free(prompt);
    return ASSAY_FAIL2(err, ASSAY_ERANGE, "prompt", "has more tokens than the model's context", n,
                       assay_text_max_tokens(t));
}

static assay_status plain(assay_ids *out, const assay_text *t, const char *text, size_t n, assay_errinfo *err)
{
    if (n == 0) return ASSAY_FAIL(err, ASSAY_ERANGE, "prompt", "is empty");
    assay_status s = assay_text_prompt(t, out, text, n, err);
    return s == ASSAY_OK ? check_length(out, t, err) : s;
}

/* A chat, in the form of the model's template. */
static assay_status chat(assay_ids *out, const assay_text *t, const assay_args *a, assay_errinfo *err)
{
    const char *system = a->value[OPT_SYSTEM];
    const size_t users = assay_args_times(a, OPT_USER), answers = assay_args_times(a, OPT_ASSISTANT);
    assay_turn turn[2 * ASSAY_MAX_TIMES];
    if (answers + 1 != users)
        return ASSAY_FAIL2(err, ASSAY_EINVAL, "--assistant", "stands between two of --user (users, assistants)", users,
                           answers);
    for (size_t i = 0; i < users + answers; i++) {
        const assay_opt_id id = i % 2 ? OPT_ASSISTANT : OPT_USER;
        turn[i].text = assay_args_nth(a, id, i / 2);
        turn[i].n = strlen(turn[i].text);
        if (turn[i].n == 0) return ASSAY_FAIL(err, ASSAY_ERANGE, i % 2 ? "--assistant" : "--user", "is empty");
    }
    /* The first two have no order that can be told; the others have. */
    for (size_t i = 0; i < a->n_again; i++)
        if (a->again[i].id != (i % 2 ? OPT_ASSISTANT : OPT_USER))
            return ASSAY_FAIL(err, ASSAY_EINVAL, "--assistant", "stands between two of --user");
    assay_status s = assay_text_dialogue(t, out, system, system ? strlen(system) : 0, turn, users + answers, err);
    return s == ASSAY_OK ? check_length(out, t, err) : s;
}

static assay_status prompt_file(assay_ids *out, const assay_text *t, const char *path, assay_errinfo *err)
{
    assay_buffer file = {NULL, 0};
    assay_status s = assay_cli_read(&file, path, NULL, ASSAY_CLI_MAX_TEXT, err);
    if (s == ASSAY_OK) s = plain(out, t, (const char *)file.p, file.n, err);
    assay_buffer_free(&file);
    return s;
}

assay_status assay_cli_prompt(assay_ids *out, const assay_text *t, const assay_args *a, const char *text,
                              assay_errinfo *err)
{
    const char *path = a->value[OPT_PROMPT_FILE], *user = a->value[OPT_USER], *system = a->value[OPT_SYSTEM];
    bool has_prompt = assay_command_takes(a->command, OPT_PROMPT);
    if (!text) text = a->value[OPT_PROMPT];
    out->p = NULL;
    out->n = 0;
    if ((text != NULL) + (path != NULL) + (user != NULL) != 1)
        return ASSAY_FAIL(err, ASSAY_EINVAL, "prompt",
                          has_prompt ? "give one of --prompt, --prompt-file and --user"
                                     : "give one of PROMPT and --user");
    if (system && !user) return ASSAY_FAIL(err, ASSAY_EINVAL, "--system", "goes with --user, for a chat");
    if (args_has(a, OPT_ASSISTANT) && !user)
        return ASSAY_FAIL(err, ASSAY_EINVAL, "--assistant", "goes with --user, for a chat");
    if (user) return chat(out, t, a, err);
    return text ? plain(out, t, text, strlen(text), err) : prompt_file(out, t, path, err);
}

const char *assay_cli_context(const assay_args *a, size_t *n)
{
    const char *text = a->value[OPT_CONTEXT];
    *n = text ? strlen(text) : 0;
    return text;
}

assay_status assay_cli_request_read(assay_request **out, const char *req, const char *next, assay_errinfo *err)
{
    assay_buffer a = {NULL, 0}, b = {NULL, 0};
    *out = NULL;
    assay_status s = assay_cli_read(&a, req, NULL, ASSAY_CLI_MAX_REQUEST, err);
    if (s == ASSAY_OK) s = assay_cli_read(&b, next, NULL, ASSAY_CLI_MAX_REQUEST, err);
    if (s == ASSAY_OK) s = assay_request_parse(out, a.p, a.n, b.p, b.n, err);
    assay_report_name_file(err, "request", req);
    assay_report_name_file(err, "next token", next);
    assay_buffer_free(&a);
    assay_buffer_free(&b);
    return s;
}

assay_status assay_cli_distinct(const char *a, const char *b, assay_errinfo *err)
{
    return assay_path_same(a, b) ? ASSAY_FAIL(err, ASSAY_EINVAL, a, "is named for two different files") : ASSAY_OK;
}

assay_status assay_cli_writable(const char *path, assay_errinfo *err)
{
    assay_outfile *f = NULL;
    assay_status s = assay_outfile_open(&f, path, 0644, err);
    if (s == ASSAY_OK) assay_outfile_abort(f);
    return s;
}

assay_status assay_cli_pair_writable(const char *path1, const char *path2, assay_errinfo *err)
{
    assay_status s = assay_cli_distinct(path1, path2, err);
    if (s == ASSAY_OK) s = assay_cli_writable(path1, err);
    return s == ASSAY_OK ? assay_cli_writable(path2, err) : s;
}

assay_status assay_cli_write(const char *path, const assay_buffer *b, assay_errinfo *err)
{
    return assay_file_write(path, b->p, b->n, 0644, err);
}

assay_status assay_cli_pair_write(const char *path1, const assay_buffer *b1, const char *path2, const assay_buffer *b2,
                                  assay_errinfo *err)
{
    assay_status s = assay_cli_distinct(path1, path2, err);
    if (s == ASSAY_OK) s = assay_cli_write(path1, b1, err);
    if (s != ASSAY_OK) return s;
    s = assay_cli_write(path2, b2, err);
    if (s != ASSAY_OK) (void)unlink(path1);
    return s;
}

assay_status assay_cli_request_write(const assay_request *r, const char *req, const char *next, assay_errinfo *err)
{
    assay_buffer a, b;
    assay_status s = assay_request_files(r, &a, &b, err);
    if (s != ASSAY_OK) return s;
    s = assay_cli_pair_write(req, &a, next, &b, err);
    assay_buffer_free(&a);
    assay_buffer_free(&b);
    return s;
}

assay_status assay_cli_reply_text(assay_buffer *out, const assay_text *t, const assay_request *r, assay_errinfo *err)
{
    uint32_t n_prompt = assay_request_n_prompt(r);
    return assay_text_decode(t, out, assay_request_ids(r) + n_prompt, assay_request_n_tokens(r) - n_prompt, err);
}

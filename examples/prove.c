/* SPDX-License-Identifier: Apache-2.0 */
/* A provider's program with libassay: commits to a model, keeps the commitment in memory, replies, cancels a proof half
 * way, makes it again, and writes the five files that a client needs.
 *     prove MODEL_DIR "prompt" OUT_DIR
 * Build: cc prove.c $(pkg-config --cflags --libs assay) */
#include <assay/commit.h>
#include <assay/prove.h>
#include <assay/text.h>
#include <stdio.h>
#include <string.h>

/* Called now and then by the library; a non-zero result cancels. */
typedef struct watch {
    double cancel_at; /* above 1: never */
    double reached;
} watch;

static int on_progress(void *ctx, const char *stage, double done)
{
    watch *w = (watch *)ctx;
    w->reached = done;
    printf("\r%3.0f%% %-24s", 100 * done, stage);
    return done >= w->cancel_at;
}

static int write_file(const char *dir, const char *name, const assay_buffer *b)
{
    char path[1024];
    if (snprintf(path, sizeof path, "%s/%s", dir, name) >= (int)sizeof path) return -1;
    FILE *f = fopen(path, "wb");
    if (!f) return -1;
    size_t put = fwrite(b->p, 1, b->n, f);
    return fclose(f) == 0 && put == b->n ? 0 : -1;
}

/* Prompt to request: the integer model's own greedy reply of up to 8 tokens. */
static assay_status reply(assay_commitment *c, const assay_commitment_parts *parts, const char *prompt,
                          assay_request **request, assay_errinfo *err)
{
    assay_text *text = NULL;
    assay_ids ids = {NULL, 0};
    assay_buffer shown = {NULL, 0};
    assay_status s =
        assay_text_new(&text, parts->config.p, parts->config.n, parts->tokenizer.p, parts->tokenizer.n, err);
    if (s == ASSAY_OK) s = assay_text_prompt(text, &ids, prompt, strlen(prompt), err);
    if (s == ASSAY_OK) s = assay_commitment_reply(c, request, ids.p, (uint32_t)ids.n, 8, "order 7", 7, err);
    if (s == ASSAY_OK) {
        uint32_t n_prompt = assay_request_n_prompt(*request), n = assay_request_n_tokens(*request);
        s = assay_text_decode(text, &shown, assay_request_ids(*request) + n_prompt, n - n_prompt, err);
    }
    if (s == ASSAY_OK) printf("reply: %.*s\n", (int)shown.n, (const char *)shown.p);
    assay_buffer_free(&shown);
    assay_ids_free(&ids);
    assay_text_free(text);
    return s;
}

/* The proof, after a first attempt that the callback cancels. */
static assay_status prove(assay_commitment *c, const assay_request *request, assay_buffer *proof, assay_errinfo *err)
{
    watch w = {0.3, 0};
    assay_progress progress = {on_progress, &w};
    assay_status s = assay_commitment_prove(c, proof, request, &progress, NULL);
    printf("\n");
    if (s != ASSAY_ECANCELED || proof->n) {
        fprintf(stderr, "the cancelled proof was not cancelled\n");
        return ASSAY_EINTERNAL;
    }
    printf("cancelled at %.0f%%; once more\n", 100 * w.reached);
    w.cancel_at = 2;
    s = assay_commitment_prove(c, proof, request, &progress, err);
    printf("\n");
    return s;
}

static int write_all(const char *dir, const assay_commitment_parts *parts, const assay_request *request,
                     const assay_buffer *proof)
{
    assay_buffer req = {NULL, 0}, next = {NULL, 0};
    int bad = assay_request_files(request, &req, &next, NULL) != ASSAY_OK;
    bad = bad || write_file(dir, "config.bin", &parts->config) || write_file(dir, "ivk.bin", &parts->ivk) ||
          write_file(dir, "F.req", &req) || write_file(dir, "F.y", &next) || write_file(dir, "F.proof", proof);
    assay_buffer_free(&req);
    assay_buffer_free(&next);
    return bad;
}

int main(int argc, char **argv)
{
    assay_commitment *made = NULL, *c = NULL;
    assay_commitment_parts parts;
    assay_request *request = NULL;
    assay_buffer proof = {NULL, 0};
    assay_errinfo err;
    char text[512];
    memset(&err, 0, sizeof err);
    memset(&parts, 0, sizeof parts);
    if (argc != 4) {
        fprintf(stderr, "usage: %s MODEL_DIR \"prompt\" OUT_DIR\n", argv[0]);
        return 2;
    }
    /* Once a model. The parts are what a provider stores: the last three secret, config and ivk for everyone. */
    assay_status s = assay_commitment_make(&made, argv[1], NULL, &err);
    if (s == ASSAY_OK) s = assay_commitment_export(made, &parts, &err);
    assay_commitment_free(made);

    /* Many times, later, from those bytes. `spent` must be kept up to date by whoever stores them. */
    if (s == ASSAY_OK) s = assay_commitment_load(&c, &parts, 0, &err);
    if (s == ASSAY_OK) s = reply(c, &parts, argv[2], &request, &err);
    if (s == ASSAY_OK) s = prove(c, request, &proof, &err);
    if (s == ASSAY_OK && write_all(argv[3], &parts, request, &proof)) s = ASSAY_EIO;
    if (s == ASSAY_OK) {
        assay_commitment_count(c, &parts.spent, NULL);
        printf("%zu bytes of proof, %llu made or written off\n", proof.n, (unsigned long long)parts.spent);
    } else {
        fprintf(stderr, "%s (%s)\n", assay_errinfo_text(&err, text, sizeof text), assay_status_name(s));
    }
    assay_buffer_free(&proof);
    assay_request_free(request);
    assay_commitment_free(c);
    assay_commitment_parts_free(&parts);
    return s == ASSAY_OK ? 0 : 1;
}

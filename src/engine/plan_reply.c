/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of replies. The commitment is held once, by a keeper process, or by each worker that opens it itself; beside it
 * a proof takes what cp/memory.h says. While it is opened, the files of the weights and of their tree are mapped. */
#include "base/file.h"
#include "cp/memory.h"
#include "engine/catalogue_impl.h"

enum {
    PAGES = 2 << 20, /* of a worker: of what the plan of a proof counts for the program */
    INPUTS = 2       /* F.req and F.y */
};

/* Bytes of files: that are mapped; of the tokenizer, which is kept. */
typedef struct file_bytes {
    uint64_t mapped, tokenizer;
} file_bytes;

static assay_status measure(file_bytes *out, const char *folder, assay_errinfo *err)
{
    const struct {
        const char *name;
        uint64_t *to;
    } files[] = {{"model/weights.bin", &out->mapped},
                 {"model/tree.bin", &out->mapped},
                 {"config/tokenizer.json", &out->tokenizer}};
    *out = (file_bytes){0};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[ASSAY_SUBJECT_PATH];
        assay_file_stamp stamp = {0};
        assay_status s = assay_path_join(path, sizeof path, folder, files[i].name, err);
        if (s == ASSAY_OK) s = assay_file_stamp_read(&stamp, path, err);
        if (s != ASSAY_OK) return s;
        *files[i].to += stamp.n_bytes;
    }
    return ASSAY_OK;
}

/* How long the request is. Without inputs: one token. */
static assay_status lengths(uint32_t *n_prompt, uint32_t *n_tokens, uint64_t *n_bytes, const assay_model_config *cfg,
                            const assay_blob *inputs, size_t n_inputs, assay_errinfo *err)
{
    assay_request r;
    *n_prompt = *n_tokens = 1;
    *n_bytes = 0;
    if (n_inputs == 0) return ASSAY_OK;
    if (n_inputs != INPUTS)
        return ASSAY_FAIL1(err, ASSAY_ERANGE, "inputs", "are not a request and the token after it (inputs)", n_inputs);
    assay_status s = assay_request_decode(&r, inputs[0].p, inputs[0].n, inputs[1].p, inputs[1].n, err);
    if (s != ASSAY_OK) return s;
    *n_prompt = r.n_prompt;
    *n_tokens = r.n_tokens;
    *n_bytes = inputs[0].n + inputs[1].n + ((uint64_t)r.n_tokens + 1) * sizeof *r.ids;
    s = assay_request_check(&r, cfg, err);
    assay_request_clear(&r);
    return s;
}

static assay_status fill(assay_job_plan *out, const assay_subject_entry *entry, const assay_cp_plan *p,
                         uint64_t input_bytes, const file_bytes *f, unsigned threads, uint64_t room, assay_errinfo *err)
{
    const uint64_t kept = p->commitment_bytes + f->tokenizer, opening = f->mapped + f->tokenizer;
    const uint64_t process = ASSAY_PLAN_WORKER + (uint64_t)threads * ASSAY_PLAN_THREAD;
    out->least = p->peak_bytes - p->program_bytes + f->tokenizer;
    out->key = kept + ASSAY_PLAN_KEEPER;
    out->load = opening;
    out->process = process + out->key / ASSAY_PLAN_PAGE_TABLES;
    out->synthesis = out->ready = input_bytes;
    out->prove = p->peak_bytes - p->program_bytes - p->commitment_bytes;
    if (assay_plan_sum(out) <= room) return ASSAY_OK;
    out->key = out->load = 0;
    out->process = process;
    out->synthesis = input_bytes + kept + opening;
    out->ready = input_bytes + kept;
    out->prove = out->least;
    const uint64_t needed = assay_plan_sum(out);
    return needed <= room ? ASSAY_OK : assay_plan_refuse(entry, needed, room, err);
}

assay_status assay_plan_reply(assay_job_plan *out, const assay_subject_entry *entry, const assay_blob *inputs,
                              size_t n_inputs, unsigned threads, uint64_t room, assay_errinfo *err)
{
    assay_public pub;
    assay_cp_plan p = {0};
    uint32_t n_prompt = 0, n_tokens = 0;
    uint64_t input_bytes = 0;
    file_bytes f = {0};
    assay_status s = assay_public_read(&pub, entry->path, err);
    if (s == ASSAY_OK) s = measure(&f, entry->path, err);
    if (s == ASSAY_OK) s = lengths(&n_prompt, &n_tokens, &input_bytes, &pub.cfg, inputs, n_inputs, err);
    if (s == ASSAY_OK) s = assay_cp_plan_make(&p, &pub, n_prompt, n_tokens, ASSAY_POLICY_EXACT, threads, err);
    assay_public_clear(&pub);
    out->partitions = n_inputs != 0;
    return s == ASSAY_OK ? fill(out, entry, &p, input_bytes, &f, threads, room, err) : s;
}

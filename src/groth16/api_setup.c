/* SPDX-License-Identifier: Apache-2.0 */
/* Set-ups from files to files. */
#include "assay/groth16.h"
#include "base/file.h"
#include "base/mem.h"
#include "groth16/setup.h"

enum { SECTIONS = 10, DEVELOPMENT_SECTIONS = SECTIONS + 1 /* the mark */ };

typedef struct job {
    assay_r1cs c;
    assay_pool *pool;
    assay_group_backend be;
    assay_outfile *file;
    assay_container_writer w;
} job;

static assay_status development(job *j, const char *r1cs, const assay_progress *progress, assay_errinfo *err)
{
    assay_groth16_trapdoor t;
    assay_status s = assay_groth16_trapdoor_draw(
        &t, j->c.curve, assay_groth16_log_domain(j->c.n_constraints, assay_r1cs_n_public(&j->c)), err);
    if (s == ASSAY_OK) s = assay_container_write(&j->w, j->file, NULL, "zkey", 1, DEVELOPMENT_SECTIONS, err);
    if (s == ASSAY_OK) s = assay_groth16_setup_with(&j->w, &j->c, r1cs, &t, &j->be, progress, err);
    assay_mem_wipe(&t, sizeof t);
    return s;
}

static assay_status from_ptau(job *j, const char *r1cs, const char *path, const assay_progress *progress,
                              assay_errinfo *err)
{
    assay_ptau t;
    assay_status s = assay_ptau_open(&t, path, err);
    if (s != ASSAY_OK) return s;
    s = assay_container_write(&j->w, j->file, NULL, "zkey", 1, SECTIONS, err);
    if (s == ASSAY_OK) s = assay_groth16_setup_ptau(&j->w, &j->c, r1cs, &t, j->pool, progress, err);
    assay_ptau_close(&t);
    return s;
}

assay_status assay_groth16_setup(const char *r1cs, const char *ptau, const char *out_path,
                                 const assay_groth16_circuit_options *options, assay_errinfo *err)
{
    static const assay_groth16_circuit_options usual = {0};
    const assay_groth16_circuit_options *o = options ? options : &usual;
    job j = {.file = NULL};
    assay_subprogress part;
    if (!r1cs || !out_path) return ASSAY_FAIL(err, ASSAY_EINVAL, "set-up", "a pointer is NULL");
    assay_progress progress = assay_progress_part(&part, &o->progress, 0, 0.1);
    assay_status s = assay_r1cs_read(&j.c, r1cs, &progress, err);
    progress = assay_progress_part(&part, &o->progress, 0.1, 1);
    if (s == ASSAY_OK) s = assay_pool_new(&j.pool, o->threads, err);
    if (s == ASSAY_OK) {
        assay_group_backend_cpu_init(&j.be, j.pool);
        s = assay_outfile_open(&j.file, out_path, 0644, err);
    }
    if (s == ASSAY_OK) s = ptau ? from_ptau(&j, r1cs, ptau, &progress, err) : development(&j, r1cs, &progress, err);
    if (s == ASSAY_OK) s = assay_container_finish(&j.w, err);
    assay_container_writer_clear(&j.w);
    if (s == ASSAY_OK)
        s = assay_outfile_commit(j.file, err);
    else
        assay_outfile_abort(j.file);
    assay_pool_free(j.pool);
    assay_r1cs_clear(&j.c);
    return s;
}

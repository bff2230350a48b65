/* SPDX-License-Identifier: Apache-2.0 */
/* What the daemon can prove: circuits (NAME.zkey, with NAME.r1cs and NAME.sym if they are there) and committed models
 * (folders of cp_commit) in the configured folders; and what a job with one of them takes. */
#ifndef ASSAY_ENGINE_CATALOGUE_H
#define ASSAY_ENGINE_CATALOGUE_H

#include "engine/job.h"

enum { ASSAY_SUBJECT_PATH = 4096 };

/* A file as it was: another stamp means another file. */
typedef struct assay_file_stamp {
    uint64_t device, inode, n_bytes, modified_ns, changed_ns;
} assay_file_stamp;

/* A circuit or a model. */
typedef struct assay_subject_entry {
    assay_job_kind kind; /* ASSAY_JOB_GROTH16, ASSAY_JOB_REPLY */
    char name[ASSAY_JOB_SUBJECT + 1];
    char path[ASSAY_SUBJECT_PATH]; /* of the .zkey, or the folder */
    char r1cs[ASSAY_SUBJECT_PATH]; /* "" where there is none */
    char sym[ASSAY_SUBJECT_PATH];
    assay_file_stamp stamp; /* of the .zkey, or of the model's weights and key */
} assay_subject_entry;

typedef struct assay_catalogue assay_catalogue;

/* Folders may be missing: then nothing of that kind is found. Errors: ASSAY_EINVAL, ASSAY_ENOMEM. */
ASSAY_MUST_USE assay_status assay_catalogue_new(assay_catalogue **out, const char *circuits, const char *models,
                                                assay_errinfo *err);
void assay_catalogue_free(assay_catalogue *c);

/* By name: letters, digits, `.`, `_`, `-`, not beginning with a dot. Looks at the disk each time. Errors: ASSAY_ERANGE
 * (such a name cannot be), ASSAY_EIO (there is none; it says where was looked), ASSAY_EFORMAT (what is there is not
 * one), ASSAY_EUNSUPPORTED (another kind). Any thread. *out is empty on failure. */
ASSAY_MUST_USE assay_status assay_catalogue_find(const assay_catalogue *c, assay_job_kind kind, const char *name,
                                                 assay_subject_entry *out, assay_errinfo *err);
/* All of a kind, sorted by name: the first max names, those that are nothing left out; *n is how many there are.
 * Errors: ASSAY_EIO, ASSAY_ERANGE (a folder of more than 65,536 entries), ASSAY_ENOMEM. */
ASSAY_MUST_USE assay_status assay_catalogue_list(const assay_catalogue *c, assay_job_kind kind,
                                                 assay_subject_entry *out, size_t max, size_t *n, assay_errinfo *err);

/* ---- plans. docs/capacity.md has measured peaks beside them; within +0/-15 %. */

/* Bytes. A partition's worker holds `process` from its beginning, and `synthesis`, then `ready` while it waits for a
 * prover, then `prove`, besides; the resident key is held once for all. */
typedef struct assay_job_plan {
    uint64_t key;         /* resident, with its keeper process's own pages; 0: every worker reads the key itself */
    uint64_t load;        /* while it is loaded, besides */
    uint64_t process;     /* of a worker: its own pages, its output */
    uint64_t synthesis;   /* until it asks for a prover: its copy of the input, the witness, the circuit */
    uint64_t ready;       /* the witness */
    uint64_t prove;       /* the witness too */
    uint64_t prove_bytes; /* for assay_worker_order: 0, or the bound of a prover that had to be narrowed */
    uint64_t least;       /* of `prove`, when the key is streamed as narrowly as can be */
    uint64_t peak;        /* process and the largest of the three */
    uint32_t partitions;
} assay_job_plan;

/* For a job of `kind` over an entry, with its inputs; without any, for what its key takes (partitions is 0, and the
 * worker's numbers are those of some input). threads: of a prover. room: bytes that `key`, `load` and `peak`
 * may take together, UINT64_MAX for any: a key that does not fit is streamed (key = 0), and the prover narrowed. What
 * is read of a file is kept in c for as long as its stamp is the entry's; any thread. Errors: ASSAY_ENOMEM when it
 * cannot be done in `room`: err has both numbers in MiB; those of the files; ASSAY_ERANGE, ASSAY_EFORMAT (an input),
 * ASSAY_EUNSUPPORTED (a kind whose circuit is not built). */
ASSAY_MUST_USE assay_status assay_job_plan_make(assay_job_plan *out, assay_catalogue *c, assay_job_kind kind,
                                                const assay_subject_entry *entry, const assay_blob *inputs,
                                                size_t n_inputs, unsigned threads, uint64_t room, assay_errinfo *err);

#endif

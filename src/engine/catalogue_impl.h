/* SPDX-License-Identifier: Apache-2.0 */
/* What stands behind a catalogue: its folders, and what plans have read of keys. */
#ifndef ASSAY_ENGINE_CATALOGUE_IMPL_H
#define ASSAY_ENGINE_CATALOGUE_IMPL_H

#include "engine/catalogue.h"
#include "engine/stamp.h"
#include "groth16/capacity.h"
#include <pthread.h>

enum {
    ASSAY_PLAN_FACTS = 64,
    /* Bytes, measured (docs/capacity.md): the pages of processes that are no arrays of a proof. */
    ASSAY_PLAN_KEEPER = 7 << 18, /* of one that holds a key, without those of the program's file */
    ASSAY_PLAN_WORKER = 4 << 20, /* of a worker */
    ASSAY_PLAN_THREAD = 1 << 16, /* of each of its threads */
    /* One byte for so many of a key's: a worker's own table of its pages, 8 for 4 KiB. */
    ASSAY_PLAN_PAGE_TABLES = 512
};

/* What is asked of the files of a circuit. Numbers of 64 bits only: compared as bytes. */
typedef struct assay_plan_question {
    assay_file_stamp key, circuit;                     /* circuit: all zero for none */
    uint64_t threads, memory_resident, memory_in_file; /* as of assay_groth16_capacity_read */
} assay_plan_question;

typedef struct assay_plan_facts {
    assay_plan_question asked;
    assay_groth16_capacity capacity;
    uint64_t circuit_bytes; /* while it is read */
    uint64_t used;          /* when, in the catalogue's count; 0: an empty place */
} assay_plan_facts;

struct assay_catalogue {
    char circuits[ASSAY_SUBJECT_PATH], models[ASSAY_SUBJECT_PATH];
    pthread_mutex_t lock; /* of what follows */
    uint64_t count;
    assay_plan_facts facts[ASSAY_PLAN_FACTS];
};

/* From memory if the files have the stamps that they had. Any thread. */
ASSAY_MUST_USE assay_status assay_plan_facts_get(assay_plan_facts *out, assay_catalogue *c,
                                                 const assay_subject_entry *entry, unsigned threads,
                                                 uint64_t memory_resident, uint64_t memory_in_file, assay_errinfo *err);

/* ---- of each kind; inputs, threads, room, errors as of assay_job_plan_make */

ASSAY_MUST_USE assay_status assay_plan_groth16(assay_job_plan *out, assay_catalogue *c,
                                               const assay_subject_entry *entry, const assay_blob *inputs,
                                               size_t n_inputs, unsigned threads, uint64_t room, assay_errinfo *err);
ASSAY_MUST_USE assay_status assay_plan_reply(assay_job_plan *out, const assay_subject_entry *entry,
                                             const assay_blob *inputs, size_t n_inputs, unsigned threads, uint64_t room,
                                             assay_errinfo *err);

/* Fills peak; returns key + load + peak. */
uint64_t assay_plan_sum(assay_job_plan *p);
/* ASSAY_ENOMEM with both numbers in MiB. */
ASSAY_MUST_USE assay_status assay_plan_refuse(const assay_subject_entry *entry, uint64_t needed, uint64_t room,
                                              assay_errinfo *err);

#endif

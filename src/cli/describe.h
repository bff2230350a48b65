/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions of files and folders: a line "name: value" a fact, or fields of a JSON object. Nothing secret is shown.
 */
#ifndef ASSAY_CLI_DESCRIBE_H
#define ASSAY_CLI_DESCRIBE_H

#include "assay/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct assay_describer {
    bool json, begun;
} assay_describer;

/* Files, from their bytes. Contents that follow no format give ASSAY_EFORMAT and the like. */
assay_status assay_describe_config(assay_describer *d, const uint8_t *p, size_t n, assay_errinfo *err);
assay_status assay_describe_ivk(assay_describer *d, const uint8_t *p, size_t n, assay_errinfo *err);
assay_status assay_describe_request(assay_describer *d, const uint8_t *p, size_t n, assay_errinfo *err);
assay_status assay_describe_next(assay_describer *d, const uint8_t *p, size_t n, assay_errinfo *err);
assay_status assay_describe_proof(assay_describer *d, const uint8_t *p, size_t n, assay_errinfo *err);
assay_status assay_describe_key(assay_describer *d, const uint8_t *p, size_t n, assay_errinfo *err);
assay_status assay_describe_counter(assay_describer *d, const uint8_t *p, size_t n, assay_errinfo *err);
assay_status assay_describe_weights(assay_describer *d, const uint8_t *p, size_t n, assay_errinfo *err);
assay_status assay_describe_tree(assay_describer *d, const uint8_t *p, size_t n, assay_errinfo *err);

/* Folders. */
assay_status assay_describe_commitment(assay_describer *d, const char *path, assay_errinfo *err);
assay_status assay_describe_config_folder(assay_describer *d, const char *path, assay_errinfo *err);
assay_status assay_describe_ivk_folder(assay_describer *d, const char *path, assay_errinfo *err);
assay_status assay_describe_model(assay_describer *d, const char *path, assay_errinfo *err);

/* ---- one fact */
void assay_fact_text(assay_describer *d, const char *name, const char *value);
void assay_fact_number(assay_describer *d, const char *name, uint64_t value);
void assay_fact_hex(assay_describer *d, const char *name, const uint8_t *p, size_t n);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Writing .r1cs files, as circom does. */
#include "base/mem.h"
#include "groth16/r1cs.h"
#include "groth16/scalar.h"

enum { VERSION = 1, SECTION_HEADER = 1, SECTION_CONSTRAINTS = 2, SECTION_LABELS = 3 };

static assay_status write_header(const assay_r1cs *c, assay_container_writer *w, assay_errinfo *err)
{
    uint8_t prime[ASSAY_PRIME_MAX], labels[8];
    const uint32_t counts[] = {c->n_wires, c->n_outputs, c->n_inputs, c->n_private};
    size_t n_prime = assay_store_prime(prime, c->curve->fr_modulus, ASSAY_FR_LIMBS);
    assay_status s = assay_container_section(w, SECTION_HEADER, n_prime + sizeof counts + sizeof labels + 4, err);
    if (s == ASSAY_OK) s = assay_container_put(w, prime, n_prime, err);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0] && s == ASSAY_OK; i++)
        s = assay_container_put_u32(w, counts[i], err);
    assay_store_u64(labels, c->n_labels);
    if (s == ASSAY_OK) s = assay_container_put(w, labels, sizeof labels, err);
    return s == ASSAY_OK ? assay_container_put_u32(w, c->n_constraints, err) : s;
}

static assay_status write_constraints(const assay_r1cs *c, assay_container_writer *w, assay_errinfo *err)
{
    size_t rows = ASSAY_R1CS_MATRICES * (size_t)c->n_constraints;
    uint64_t n = 4 * (uint64_t)rows + (4 + ASSAY_FR_BYTES) * (uint64_t)c->start[rows];
    assay_status s = assay_container_section(w, SECTION_CONSTRAINTS, n, err);
    for (size_t k = 0; k < rows && s == ASSAY_OK; k++) {
        s = assay_container_put_u32(w, c->start[k + 1] - c->start[k], err);
        for (uint32_t t = c->start[k]; t < c->start[k + 1] && s == ASSAY_OK; t++) {
            uint8_t bytes[ASSAY_FR_BYTES];
            c->curve->fr_to_bytes(bytes, c->values.v[c->value[t]], false);
            s = assay_container_put_u32(w, c->wire[t], err);
            if (s == ASSAY_OK) s = assay_container_put(w, bytes, sizeof bytes, err);
        }
    }
    return s;
}

static assay_status write_labels(const assay_r1cs *c, assay_container_writer *w, assay_errinfo *err)
{
    uint8_t label[8];
    assay_status s = assay_container_section(w, SECTION_LABELS, sizeof label * (uint64_t)c->n_wires, err);
    for (uint32_t i = 0; i < c->n_wires && s == ASSAY_OK; i++) {
        assay_store_u64(label, i);
        s = assay_container_put(w, label, sizeof label, err);
    }
    return s;
}

assay_status assay_r1cs_write(const assay_r1cs *c, assay_outfile *file, assay_writer *memory, assay_errinfo *err)
{
    assay_container_writer w;
    assay_status s = assay_container_write(&w, file, memory, "r1cs", VERSION, 3, err);
    if (s == ASSAY_OK) s = write_constraints(c, &w, err);
    if (s == ASSAY_OK) s = write_header(c, &w, err);
    if (s == ASSAY_OK) s = write_labels(c, &w, err);
    if (s == ASSAY_OK) s = assay_container_finish(&w, err);
    assay_container_writer_clear(&w);
    return s;
}

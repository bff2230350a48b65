/* SPDX-License-Identifier: Apache-2.0 */
/* Circuits: what is read is written and read again, the same; and a survey of it says how large it is. */
#include "fuzz.h"
#include "groth16/r1cs.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    assay_r1cs c, again;
    assay_writer w;
    assay_r1cs_survey survey;
    const assay_status surveyed = assay_r1cs_survey_parse(&survey, "f", data, size, NULL);
    if (assay_r1cs_parse(&c, "f", data, size, NULL) != ASSAY_OK) return 0;
    FUZZ_REQUIRE(surveyed == ASSAY_OK && survey.curve == c.curve && survey.n_wires == c.n_wires);
    FUZZ_REQUIRE(survey.n_constraints == c.n_constraints && survey.n_public == assay_r1cs_n_public(&c));
    FUZZ_REQUIRE(survey.n_terms == c.start[ASSAY_R1CS_MATRICES * (size_t)c.n_constraints]);
    FUZZ_REQUIRE(survey.n_values == c.values.n); /* files here are smaller than a sample */
    for (uint32_t i = 0; i < c.n_constraints; i++) {
        for (unsigned m = 0; m < ASSAY_R1CS_MATRICES; m++) {
            const uint32_t *wire, *value;
            uint32_t n = assay_r1cs_row(&c, i, m, &wire, &value);
            for (uint32_t t = 0; t < n; t++) FUZZ_REQUIRE(wire[t] < c.n_wires && value[t] < c.values.n);
        }
    }
    /* Labels are written for every wire, so a few bytes that announce 2^32 - 1 wires would become 32 GiB. */
    assay_writer_init(&w, 2 * size + (1 << 20));
    if (c.n_wires < 1 << 16 && assay_r1cs_write(&c, NULL, &w, NULL) == ASSAY_OK) {
        FUZZ_REQUIRE(assay_r1cs_parse(&again, "f", w.p, w.n, NULL) == ASSAY_OK);
        size_t rows = ASSAY_R1CS_MATRICES * (size_t)c.n_constraints;
        FUZZ_REQUIRE(again.n_wires == c.n_wires && again.values.n == c.values.n);
        FUZZ_REQUIRE(memcmp(again.start, c.start, (rows + 1) * sizeof *c.start) == 0);
        FUZZ_REQUIRE(memcmp(again.value, c.value, c.start[rows] * sizeof *c.value) == 0);
        assay_r1cs_clear(&again);
    }
    assay_writer_clear(&w);
    assay_r1cs_clear(&c);
    return 0;
}

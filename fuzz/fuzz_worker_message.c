/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of workers: what is read is written again, and read alike. */
#include "engine/worker_message.h"
#include "fuzz.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static assay_subject_entry entry, again_entry;
    assay_worker_message m, again;
    assay_writer w;
    if (assay_message_decode(&m, &entry, data, size, NULL) != ASSAY_OK) return 0;
    const assay_subject_entry *e = assay_message_has_entry(m.kind) ? &entry : NULL;
    assay_writer_init(&w, ASSAY_MESSAGE_BYTES);
    assay_message_encode(&w, &m, e);
    FUZZ_REQUIRE(!w.bad && w.n == size);
    FUZZ_REQUIRE(assay_message_decode(&again, &again_entry, w.p, w.n, NULL) == ASSAY_OK);
    FUZZ_REQUIRE(again.task == m.task && again.kind == m.kind && strcmp(again.text, m.text) == 0);
    FUZZ_REQUIRE(strlen(m.text) < sizeof m.text && m.n_inputs <= ASSAY_MESSAGE_INPUTS);
    if (e) FUZZ_REQUIRE(strcmp(entry.path, again_entry.path) == 0 && strcmp(entry.name, again_entry.name) == 0);
    assay_writer_clear(&w);
    return 0;
}

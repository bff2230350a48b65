/* SPDX-License-Identifier: Apache-2.0 */
/* safetensors files, and the conversion of every tensor that has a usable type and shape. */
#include "base/mem.h"
#include "fuzz.h"
#include "model/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    assay_safetensors s;
    if (assay_safetensors_parse(&s, "f", data, size, NULL) != ASSAY_OK) return 0;
    for (size_t i = 0; i < s.n_tensors; i++) {
        const assay_stored_tensor *t = &s.tensor[i];
        uint64_t rows = t->rank == 2 ? t->shape[0] : 1, cols = t->rank > 0 ? t->shape[t->rank - 1] : 0;
        if (assay_safetensors_expect(t, "f", rows, cols, NULL) != ASSAY_OK || rows * cols == 0) continue;
        float *x = assay_mem_alloc_raw(rows * cols, sizeof *x);
        if (x && assay_safetensors_read(x, &s, t, "f", NULL) == ASSAY_OK)
            FUZZ_REQUIRE(x[rows * cols - 1] - x[rows * cols - 1] == 0); /* finite */
        assay_mem_free(x);
    }
    assay_safetensors_clear(&s);
    return 0;
}

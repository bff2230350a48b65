/* SPDX-License-Identifier: Apache-2.0 */
/* GGUF files: the container, the configuration, and every tensor to float32. */
#include "base/mem.h"
#include "fuzz.h"
#include "model/gguf.h"

enum { MAX_CELLS = 1 << 20 };

static void read_strings(const assay_gguf_value *v)
{
    assay_reader r = assay_reader_of(v->p, v->n);
    size_t n, total = 0;
    if (v->element != ASSAY_GGUF_STRING) return;
    for (uint64_t i = 0; i < v->count; i++) {
        const char *p = assay_gguf_next_string(&r, &n);
        FUZZ_REQUIRE(p);
        for (size_t j = 0; j < n; j++) total += (unsigned char)p[j];
    }
    FUZZ_REQUIRE(assay_reader_left(&r) == 0 && total <= v->n * 255);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    assay_gguf g;
    assay_hf_config c;
    if (assay_gguf_parse(&g, "f", data, size, NULL) != ASSAY_OK) return 0;
    for (size_t i = 0; i < g.n_values; i++) read_strings(&g.value[i]);
    if (assay_gguf_config(&c, &g, NULL) == ASSAY_OK)
        FUZZ_REQUIRE(c.n_layers > 0 && c.d > 0 && c.vocab > 1 && c.n_stop <= ASSAY_MAX_STOP_IDS);
    for (size_t i = 0; i < g.n_tensors; i++) {
        const assay_gguf_tensor *t = &g.tensor[i];
        size_t n_blocks = (size_t)((t->end - t->begin) / t->type->bytes);
        if (n_blocks * t->type->cells > MAX_CELLS) continue;
        float *x = assay_mem_alloc_raw(n_blocks * t->type->cells, sizeof *x);
        if (x) assay_dequant(x, t->type, g.data + t->begin, n_blocks);
        assay_mem_free(x);
    }
    assay_gguf_clear(&g);
    return 0;
}

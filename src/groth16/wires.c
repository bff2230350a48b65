/* SPDX-License-Identifier: Apache-2.0 */
/* Packing a witness. */
#include "groth16/wires.h"
#include "base/mem.h"

static bool is_wide(const assay_scalar *w)
{
    return (*w)[0] >= ASSAY_WIRES_WIDE || ((*w)[1] | (*w)[2] | (*w)[3]) != 0;
}

static size_t count_wide(const assay_wtns *w)
{
    size_t n = 0;
    for (uint32_t i = 0; i < w->n; i++) n += is_wide(&w->w[i]);
    return n;
}

static size_t blocks(const assay_wtns *w)
{
    return w->n / ASSAY_WIRES_BLOCK + 1;
}

static uint64_t packed_bytes(const assay_wtns *w, size_t n_wide)
{
    return (uint64_t)n_wide * sizeof(assay_scalar) + blocks(w) * sizeof(uint32_t) + w->n;
}

uint64_t assay_wires_packed_bytes(const assay_wtns *w)
{
    return packed_bytes(w, count_wide(w));
}

assay_status assay_wires_pack(assay_wires *out, const assay_wtns *w, assay_errinfo *err)
{
    const size_t n_wide = count_wide(w);
    uint32_t at = 0;
    *out = (assay_wires){.n_bytes = packed_bytes(w, n_wide)};
    out->memory = assay_mem_alloc_raw((size_t)out->n_bytes, 1);
    if (!out->memory) {
        *out = (assay_wires){0};
        return ASSAY_FAIL(err, ASSAY_ENOMEM, "witness", "out of memory");
    }
    out->wide = out->memory;
    out->before = (uint32_t *)(out->wide + n_wide);
    out->small = (uint8_t *)(out->before + blocks(w));
    for (uint32_t i = 0; i < w->n; i++) {
        const bool wide = is_wide(&w->w[i]);
        if (i % ASSAY_WIRES_BLOCK == 0) out->before[i / ASSAY_WIRES_BLOCK] = at;
        out->small[i] = wide ? ASSAY_WIRES_WIDE : (uint8_t)w->w[i][0];
        if (wide) memcpy(out->wide[at++], w->w[i], sizeof w->w[i]);
    }
    return ASSAY_OK;
}

void assay_wires_clear(assay_wires *w)
{
    assay_mem_free_secret(w->memory, (size_t)w->n_bytes);
    *w = (assay_wires){0};
}

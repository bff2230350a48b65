/* SPDX-License-Identifier: Apache-2.0 */
/* Picks the SHA-256 compression function of this machine. */
#include "base/cpu.h"
#include "base/isa.h"
#include "hash/sha256.h"

void assay_sha256_select(void)
{
    assay_sha256_compress_fn *shani = ASSAY_X86_FN(assay_sha256_compress_shani);
    assay_sha256_use(shani && assay_cpu_features() & ASSAY_CPU_SHANI ? shani : assay_sha256_compress_portable);
}

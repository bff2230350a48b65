/* SPDX-License-Identifier: Apache-2.0 */
/* Failing allocations while a GGUF file becomes a checkpoint. */
#include "fault/fault.h"
#include "model/checkpoint.h"
#include <stdio.h>

enum { PATH = 1024 };

static assay_status open_small(void *ctx, assay_errinfo *err)
{
    assay_checkpoint ck;
    assay_status s = assay_checkpoint_open(&ck, ctx, err);
    assay_checkpoint_clear(&ck);
    return s;
}

TEST(checkpoint)
{
    char path[PATH];
    (void)snprintf(path, sizeof path, "%s/fuzz/corpus/gguf/small_f32", assay_test_source_dir());
    CHECK(assay_fault_every(open_small, path, 1) >= 14); /* values, tensors, layers, eleven tensors */
}

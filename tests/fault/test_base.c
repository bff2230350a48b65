/* SPDX-License-Identifier: Apache-2.0 */
/* Failing allocations in the base layer. */
#include "base/bytes.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/outdir.h"
#include "base/pool.h"
#include "fault/fault.h"
#include <stdio.h>

static assay_status use_file(void *ctx, assay_errinfo *err)
{
    char path[256];
    uint8_t *p = NULL;
    size_t n = 0;
    (void)ctx;
    (void)snprintf(path, sizeof path, "%s/file", assay_test_tmpdir());
    assay_status s = assay_file_write(path, "contents", 8, 0600, err);
    if (s == ASSAY_OK) s = assay_file_read(path, 8, &p, &n, err);
    if (s == ASSAY_OK) assay_mem_free_secret(p, n);
    return s;
}

TEST(file)
{
    CHECK(assay_fault_every(use_file, NULL, 1) >= 3);
}

static assay_status use_pool(void *ctx, assay_errinfo *err)
{
    assay_pool *p = NULL;
    (void)ctx;
    assay_status s = assay_pool_new(&p, 3, err);
    assay_pool_free(p);
    return s;
}

TEST(pool)
{
    CHECK(assay_fault_every(use_pool, NULL, 1) >= 1);
}

static assay_status use_writer(void *ctx, assay_errinfo *err)
{
    assay_writer w;
    (void)ctx;
    assay_writer_init(&w, 5000);
    for (uint32_t i = 0; i < 1000; i++) assay_write_u32(&w, i);
    assay_status s = w.bad ? ASSAY_FAIL(err, ASSAY_ENOMEM, NULL, "out of memory") : ASSAY_OK;
    assay_writer_clear(&w);
    return s;
}

TEST(writer)
{
    CHECK(assay_fault_every(use_writer, NULL, 1) >= 6);
}

static assay_status use_outdir(void *ctx, assay_errinfo *err)
{
    assay_outdir *d = NULL;
    char path[256];
    (void)ctx;
    (void)snprintf(path, sizeof path, "%s/dir", assay_test_tmpdir());
    assay_status s = assay_outdir_open(&d, path, 0755, err);
    if (s != ASSAY_OK) return s;
    s = assay_outdir_mkdir(d, "a", 0755, err);
    if (s == ASSAY_OK) s = assay_outdir_write(d, "a/b", "c", 1, 0644, err);
    assay_outdir_abort(d);
    return s;
}

TEST(outdir)
{
    CHECK(assay_fault_every(use_outdir, NULL, 1) >= 5);
}

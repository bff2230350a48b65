/* SPDX-License-Identifier: Apache-2.0 */
/* See large.h. Wiping is base/mem's, which the compiler may not leave out. */
#include "backend/large.h"

#include "base/mem.h"

enum { GRAIN = 1 << 20 };

static void wipe_range(void *ctx, size_t begin, size_t end)
{
    assay_mem_wipe((char *)ctx + begin, end - begin);
}

bool assay_large_kvec_new(const assay_backend *be, assay_kvec *v, size_t n)
{
    if (!assay_kvec_new_raw(v, n)) return false;
    assay_pool_range(be->pool, v->nbytes, GRAIN, wipe_range, v->own);
    return true;
}

void assay_large_free_secret(const assay_backend *be, void *p, size_t nbytes)
{
    if (!p) return;
    assay_pool_range(be->pool, nbytes, GRAIN, wipe_range, p);
    assay_mem_free(p);
}

void assay_large_kvec_free(const assay_backend *be, assay_kvec *v)
{
    assay_large_free_secret(be, v->own, v->nbytes);
    *v = (assay_kvec){{0}, 0, NULL, 0};
}

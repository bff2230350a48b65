/* SPDX-License-Identifier: Apache-2.0 */
/* Large pages: madvise(MADV_HUGEPAGE), which is Linux's. */
#define _DEFAULT_SOURCE
#include "base/large_pages.h"
#include <stdint.h>
#include <sys/mman.h>

void assay_large_pages(void *p, size_t nbytes)
{
#if defined(MADV_HUGEPAGE)
    const size_t page = (size_t)2 << 20, skipped = (page - (uintptr_t)p % page) % page;
    if (!p || nbytes < skipped + page) return;
    (void)madvise((char *)p + skipped, (nbytes - skipped) / page * page, MADV_HUGEPAGE);
#else
    (void)p;
    (void)nbytes;
#endif
}

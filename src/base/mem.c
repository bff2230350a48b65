/* SPDX-License-Identifier: Apache-2.0 */
/* Checked, aligned allocation with failure injection. */
#include "base/mem.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 64

static _Atomic uint64_t allocations; /* since the last assay_mem_fail_after */
static _Atomic uint64_t fail_at;     /* the number of the allocation that fails; 0: none */

bool assay_mul_size(size_t a, size_t b, size_t *out)
{
    bool fits = a == 0 || b <= SIZE_MAX / a;
    *out = fits ? a * b : 0;
    return fits;
}

bool assay_add_size(size_t a, size_t b, size_t *out)
{
    bool fits = b <= SIZE_MAX - a;
    *out = fits ? a + b : 0;
    return fits;
}

uint64_t assay_mem_fail_after(uint64_t k)
{
    uint64_t made = atomic_exchange(&allocations, 0);
    atomic_store(&fail_at, k);
    return made;
}

void *assay_mem_alloc_raw(size_t n, size_t each)
{
    size_t nbytes, padded;
    if (!assay_mul_size(n, each, &nbytes) || nbytes == 0) return NULL;
    if (!assay_add_size(nbytes, ALIGNMENT - 1, &padded)) return NULL;
    uint64_t number = atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed) + 1;
    if (number == atomic_load_explicit(&fail_at, memory_order_relaxed)) return NULL;
    return aligned_alloc(ALIGNMENT, padded / ALIGNMENT * ALIGNMENT);
}

void *assay_mem_alloc(size_t n, size_t each)
{
    void *p = assay_mem_alloc_raw(n, each);
    if (p) memset(p, 0, n * each);
    return p;
}

void *assay_mem_grow(void *p, size_t old_n, size_t new_n, size_t each)
{
    if (new_n < old_n) return NULL;
    char *q = (char *)assay_mem_alloc_raw(new_n, each);
    if (!q) return NULL;
    size_t kept = p ? old_n * each : 0;
    if (kept) memcpy(q, p, kept);
    memset(q + kept, 0, new_n * each - kept);
    assay_mem_free_secret(p, kept);
    return q;
}

void assay_mem_free(void *p)
{
    free(p);
}

/* Called through a volatile pointer, so that the compiler cannot see that the bytes are dead. */
static void *(*const volatile wipe_with)(void *, int, size_t) = memset;

void assay_mem_wipe(void *p, size_t nbytes)
{
    if (p && nbytes) wipe_with(p, 0, nbytes);
}

void assay_mem_free_secret(void *p, size_t nbytes)
{
    assay_mem_wipe(p, nbytes);
    free(p);
}

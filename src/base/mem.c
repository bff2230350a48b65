/* SPDX-License-Identifier: Apache-2.0 */
/* Checked, aligned allocation with failure injection and a count of bytes.
 *
 * A block is preceded by 64 bytes that say where libc's block begins and how long the caller's part is. Zeroed blocks
 * are libc's: fresh pages are not written twice. */
#include "base/mem.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#define ALIGNMENT 64

typedef struct head {
    void *base; /* what libc gave */
    size_t nbytes;
} head;

static _Atomic uint64_t allocations; /* since the last assay_mem_fail_after */
static _Atomic uint64_t fail_at;     /* the number of the allocation that fails; 0: none */
static _Atomic uint64_t used, peak;  /* bytes of blocks that live; the most since assay_mem_peak_reset */

static void (*_Atomic watcher)(uint64_t number);

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

void assay_mem_watch(void (*seen)(uint64_t number))
{
    atomic_store(&watcher, seen);
}

void assay_mem_keep(void)
{
#if defined(__GLIBC__)
    (void)mallopt(M_MMAP_MAX, 0);
    (void)mallopt(M_TRIM_THRESHOLD, -1);
    (void)mallopt(M_TOP_PAD, 1 << 26);
#endif
}

void assay_mem_return(void)
{
#if defined(__GLIBC__)
    (void)mallopt(M_MMAP_THRESHOLD, 1 << 17);
    (void)mallopt(M_TRIM_THRESHOLD, 1 << 18);
    (void)mallopt(M_TOP_PAD, 0);
#endif
}

static head *head_of(void *p)
{
    return (head *)(void *)((char *)p - ALIGNMENT);
}

static void count_block(size_t nbytes)
{
    uint64_t now = atomic_fetch_add_explicit(&used, nbytes, memory_order_relaxed) + nbytes;
    uint64_t top = atomic_load_explicit(&peak, memory_order_relaxed);
    while (now > top &&
           !atomic_compare_exchange_weak_explicit(&peak, &top, now, memory_order_relaxed, memory_order_relaxed)) {}
}

uint64_t assay_mem_peak(void)
{
    return atomic_load(&peak);
}

void assay_mem_peak_reset(void)
{
    atomic_store(&peak, atomic_load(&used));
}

static void *allocate(size_t n, size_t each, bool zeroed)
{
    size_t nbytes, all;
    if (!assay_mul_size(n, each, &nbytes) || nbytes == 0) return NULL;
    if (!assay_add_size(nbytes, 2 * ALIGNMENT, &all)) return NULL;
    uint64_t number = atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed) + 1;
    void (*seen)(uint64_t) = atomic_load_explicit(&watcher, memory_order_relaxed);
    if (seen) seen(number);
    if (number == atomic_load_explicit(&fail_at, memory_order_relaxed)) return NULL;
    char *base = (char *)(zeroed ? calloc(all, 1) : malloc(all));
    if (!base) return NULL;
    char *p = base + ALIGNMENT;
    p += (ALIGNMENT - (uintptr_t)p % ALIGNMENT) % ALIGNMENT;
    *head_of(p) = (head){base, nbytes};
    count_block(nbytes);
    return p;
}

void *assay_mem_alloc_raw(size_t n, size_t each)
{
    return allocate(n, each, false);
}

void *assay_mem_alloc(size_t n, size_t each)
{
    return allocate(n, each, true);
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
    if (!p) return;
    atomic_fetch_sub_explicit(&used, head_of(p)->nbytes, memory_order_relaxed);
    free(head_of(p)->base);
}

/* Called through a volatile pointer, so that the compiler cannot see that the bytes are dead. */
static void *(*const volatile wipe_with)(void *, int, size_t) = memset;

void assay_mem_wipe(void *p, size_t nbytes)
{
    if (p && nbytes) wipe_with(p, 0, nbytes);
}

void assay_mem_wipe_stack(void)
{
    uint8_t below[16384];
    assay_mem_wipe(below, sizeof below);
}

void assay_mem_free_secret(void *p, size_t nbytes)
{
    assay_mem_wipe(p, nbytes);
    assay_mem_free(p);
}

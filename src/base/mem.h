/* SPDX-License-Identifier: Apache-2.0 */
/* Checked allocation. Every heap allocation in the libraries goes through here, so that tests can
 * make each one fail in turn, and so that multiplications of counts cannot overflow. */
#ifndef ASSAY_BASE_MEM_H
#define ASSAY_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* n elements of `each` bytes, zeroed, 64-byte aligned; NULL if out of memory, on overflow, or if
 * n * each is 0. Free with assay_mem_free. */
void *assay_mem_alloc(size_t n, size_t each);

/* As assay_mem_alloc without zeroing: for large arrays that are written whole before they are read. */
void *assay_mem_alloc_raw(size_t n, size_t each);

/* Grows p (may be NULL) from old_n to new_n elements, keeping the contents and zeroing the rest;
 * NULL on failure (p is then still valid). Old storage is wiped. */
void *assay_mem_grow(void *p, size_t old_n, size_t new_n, size_t each);

/* NULL is fine. */
void assay_mem_free(void *p);

/* Wipes nbytes and frees: for secrets (classes A and B of docs/secrets.md). NULL is fine. */
void assay_mem_free_secret(void *p, size_t nbytes);

/* Overwrites with zeros in a way the compiler may not remove. */
void assay_mem_wipe(void *p, size_t nbytes);

/* Overwrites the stack below the caller's frame, 16 KiB of it: copies of secrets that callees which have returned had
 * as arguments and temporaries. Call it where a secret goes out of use. */
void assay_mem_wipe_stack(void);

/* False when a * b overflows size_t; *out is then 0. */
bool assay_mul_size(size_t a, size_t b, size_t *out);
bool assay_add_size(size_t a, size_t b, size_t *out);

/* The most bytes in living blocks since the last reset (which begins with those that live then). */
uint64_t assay_mem_peak(void);
void assay_mem_peak_reset(void);

/* For programs that do one large thing and end: libc keeps what is freed instead of giving it back to the system, so
 * that a page is faulted in once. Call it first. */
void assay_mem_keep(void);
/* For programs that keep to a bound of memory: what is freed goes back to the system. (libc's own rule lets tens of MiB
 * stay after large blocks were freed.) Call it first. */
void assay_mem_return(void);

/* Test hook: the k-th allocation from now (k = 1: the next) fails once; 0 switches the hook off.
 * Returns the number of allocations made since the last call. */
uint64_t assay_mem_fail_after(uint64_t k);

/* Test hook: seen is called before each allocation with its number (1: the first since the last assay_mem_fail_after),
 * by the thread that allocates; NULL switches the hook off. */
void assay_mem_watch(void (*seen)(uint64_t number));

#endif

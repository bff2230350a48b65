/* SPDX-License-Identifier: Apache-2.0 */
/* Counting from several threads in an ordinary array, which C11's _Atomic cannot do to memory that others read plainly.
 */
#ifndef ASSAY_BASE_ATOMIC_H
#define ASSAY_BASE_ATOMIC_H

#include <stdint.h>

/* *p += v as one relaxed atomic step. Reads of *p are plain once the threads have been joined. */
static inline void atomic_add_u32(uint32_t *p, uint32_t v)
{
    (void)__atomic_fetch_add(p, v, __ATOMIC_RELAXED);
}

#endif

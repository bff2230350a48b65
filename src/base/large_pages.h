/* SPDX-License-Identifier: Apache-2.0 */
/* Large pages. */
#ifndef ASSAY_BASE_LARGE_PAGES_H
#define ASSAY_BASE_LARGE_PAGES_H

#include <stddef.h>

/* Asks the system to keep an array in pages of 2 MiB where it can: for arrays of many MiB that live long and that a
 * process has when it forks, because forking copies an entry a page (23 ms a GiB with small ones, less than 1 ms with
 * large ones). To be called before the array is filled. Takes no more memory: only whole large pages inside the array
 * count. Does nothing with NULL, and where the system has none. */
void assay_large_pages(void *p, size_t nbytes);

#endif

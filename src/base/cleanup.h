/* SPDX-License-Identifier: Apache-2.0 */
/* The list of unfinished files and folders that a signal must remove. */
#ifndef ASSAY_BASE_CLEANUP_H
#define ASSAY_BASE_CLEANUP_H

#include "base/status.h"
#include <stdbool.h>

enum { ASSAY_CLEANUP_SLOTS = 256 };

/* Ends the name of what is unfinished; assay_cleanup_vary replaces the six X. */
#define ASSAY_TEMPORARY_SUFFIX ".tmpXXXXXX"

/* Puts a path on the list, before the file or folder is made; *slot names the entry. ASSAY_EBUSY when all slots are
 * taken. Cost: one allocation. Safe from any thread. */
ASSAY_MUST_USE assay_status assay_cleanup_add(int *slot, const char *path, assay_errinfo *err);

/* Takes an entry off the list, after the file is renamed or removed. A negative slot is fine. */
void assay_cleanup_drop(int slot);

/* Removes the file or empty folder of an entry, then drops the entry. A negative slot is fine. */
void assay_cleanup_remove(int slot);

/* Writes six fresh letters and digits over the end of name (at least six characters long). That a name is unused is
 * for the caller to ensure, by O_EXCL or mkdir; this makes collisions rare. */
void assay_cleanup_vary(char *name);

/* True once a cleanup signal has arrived: a file made after that must be removed by its maker. */
bool assay_cleanup_started(void);

#endif

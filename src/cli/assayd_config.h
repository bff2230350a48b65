/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's configuration: file, then flags, then what the machine makes of it. */
#ifndef ASSAY_CLI_ASSAYD_CONFIG_H
#define ASSAY_CLI_ASSAYD_CONFIG_H

#include "cli/options.h"
#include "daemon/config.h"
#include "engine/budget.h"

/* Defaults, the file (--config, or the usual one if it is there), flags; checked. c is to be cleared in any case.
 * Subjects of errors name a flag, or file and key. Errors: those of assay_config_*; ASSAY_EIO for a folder that was set
 * and is missing. */
ASSAY_MUST_USE assay_status assay_assayd_configure(assay_config *c, const assay_args *a, assay_errinfo *err);

/* Requests and replies have at most an eighth of the budget, one of them at most half of that: scales limits down to
 * it. True if it did. */
bool assay_assayd_scale(assay_config *c, uint64_t budget);
/* Bytes of the budget that are the daemon's own. */
uint64_t assay_assayd_memory(const assay_config *c);

#endif

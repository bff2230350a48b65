/* SPDX-License-Identifier: Apache-2.0 */
/* A valid configuration of two layers, for tests that change it. */
#ifndef ASSAY_TESTS_MODEL_VALID_CONFIG_H
#define ASSAY_TESTS_MODEL_VALID_CONFIG_H

#include "model/config.h"

void valid_config(assay_model_config *c);
/* Gives it norms of heads. */
void valid_config_norm_heads(assay_model_config *c);

#endif

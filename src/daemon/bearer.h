/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens that clients bring, compared by their SHA-256: the time does not depend on where they differ. */
#ifndef ASSAY_DAEMON_BEARER_H
#define ASSAY_DAEMON_BEARER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether n bytes are the token of this hash. */
bool assay_token_is(const void *p, size_t n, const uint8_t hash[32]);
/* The same for the value of a header `authorization`: "Bearer TOKEN", the word in any case. */
bool assay_bearer_is(const char *value, size_t n, const uint8_t hash[32]);

#endif

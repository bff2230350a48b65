/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal text of field elements. */
#include "field/limbs.h"
#include "groth16/decimal.h"
#include <string.h>

enum { GROUP_DIGITS = 19 }; /* 10^19 < 2^64 */
static const uint64_t GROUP = UINT64_C(10000000000000000000);

const char *assay_decimal_fault(const char *text, size_t n)
{
    if (n == 0) return "is empty where a number should be";
    if (text[0] == '-' || text[0] == '+') return "has a sign";
    for (size_t i = 0; i < n; i++)
        if (text[i] < '0' || text[i] > '9') return "is not a decimal number";
    return text[0] == '0' && n > 1 ? "has leading zeros" : NULL;
}

bool assay_decimal_read(uint64_t *limbs, const char *text, size_t n, const uint64_t *modulus, unsigned n_limbs)
{
    for (unsigned i = 0; i < n_limbs; i++) limbs[i] = 0;
    if (n >= ASSAY_DECIMAL_BYTES) return false;
    for (size_t i = 0; i < n; i++) {
        uint64_t carry = (uint64_t)(text[i] - '0');
        for (unsigned k = 0; k < n_limbs; k++) limbs[k] = limb_mac(0, limbs[k], 10, &carry);
        if (carry) return false;
    }
    return limbs_less(limbs, modulus, (int)n_limbs);
}

/* limbs /= 10^19; returns the remainder. */
static uint64_t divide(uint64_t *limbs, unsigned n_limbs)
{
    uint64_t rest = 0;
    for (unsigned i = n_limbs; i-- > 0;) {
        limb2 t = (limb2)rest << LIMB_BITS | limbs[i];
        limbs[i] = (uint64_t)(t / GROUP); /* rest < 10^19, so the quotient is below 2^64 */
        rest = (uint64_t)(t % GROUP);
    }
    return rest;
}

char *assay_decimal_write(char out[ASSAY_DECIMAL_BYTES], const uint64_t *limbs, unsigned n_limbs)
{
    uint64_t left[ASSAY_FQ_MAX_LIMBS];
    char *at = out + ASSAY_DECIMAL_BYTES;
    memcpy(left, limbs, n_limbs * sizeof *left);
    *--at = 0;
    do {
        uint64_t group = divide(left, n_limbs);
        bool last = limbs_zero(left, (int)n_limbs);
        for (int i = 0; i < GROUP_DIGITS && (!last || group || i == 0); i++, group /= 10)
            *--at = (char)('0' + group % 10);
    } while (!limbs_zero(left, (int)n_limbs));
    memmove(out, at, (size_t)(out + ASSAY_DECIMAL_BYTES - at));
    return out;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A proof's length: what is fixed, and the siblings' digests in the mean. */
#include "cp/proof_size.h"
#include "commit/queries.h"
#include "commit/tail.h"
#include <math.h>

enum { HEAD = 16, DIGEST = 32 };

/* Distinct nodes of a level of n nodes above q random leaves. */
static double touched(double n, double q)
{
    return n * (1 - pow(1 - 1 / n, q));
}

/* Digests of an opening at q random leaves of 2^log_size: at each level, children of touched nodes that are not touched
 * themselves. */
static double siblings(unsigned log_size, double q)
{
    double sum = 0;
    for (unsigned l = 1; l <= log_size; l++) sum += 2 * touched(ldexp(1, (int)l - 1), q) - touched(ldexp(1, (int)l), q);
    return sum * DIGEST;
}

/* Siblings in the tail's trees. */
static double tail_siblings(unsigned security, unsigned c)
{
    const double q = (double)assay_query_count(security, ASSAY_TAIL_LOG_RATE);
    double sum = 0;
    for (; c > ASSAY_TAIL_STOP; c -= ASSAY_TAIL_FOLD) sum += siblings(c - ASSAY_TAIL_FOLD + ASSAY_TAIL_LOG_RATE, q);
    return sum;
}

uint64_t assay_cp_proof_bytes(const assay_frame *f)
{
    const assay_commit_params *p = &f->shape.params;
    const double q = (double)assay_query_count(p->security, ASSAY_MAIN_LOG_RATE);
    const double main = siblings(p->c + ASSAY_MAIN_LOG_RATE, q); /* of weights, and again of the witness */
    return HEAD + assay_cp_proof_least(f) + (uint64_t)(2 * main + tail_siblings(p->security, p->c));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a proof in their order (docs/protocol.md), counted and not made. */
#include "cp/proof_size.h"
#include "commit/queries.h"
#include "commit/tail.h"
#include "hash/merkle_hash.h"
#include <math.h>

enum { HEAD = 12, WORD = 4, ELEMENT = 24, DIGEST = 32, TAIL_COLUMN = 6 << ASSAY_TAIL_FOLD };

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

static double opening(unsigned log_size, double q, double words, bool salted)
{
    return q * (words * WORD + (salted ? ASSAY_MERKLE_SALT : 0)) + siblings(log_size, q);
}

/* From the root of u, or u itself, to the last vector. */
static double tail_bytes(unsigned security, unsigned c)
{
    const double q = (double)assay_query_count(security, ASSAY_TAIL_LOG_RATE);
    double sum = 0;
    for (; c > ASSAY_TAIL_STOP; c -= ASSAY_TAIL_FOLD) {
        sum += DIGEST + (2 * (double)c + 1) * ELEMENT; /* root, sumcheck, value */
        sum += opening(c - ASSAY_TAIL_FOLD + ASSAY_TAIL_LOG_RATE, q, TAIL_COLUMN, false);
    }
    return sum + ldexp(ELEMENT, (int)c);
}

uint64_t assay_cp_proof_bytes(const assay_frame *f)
{
    const assay_commit_params *p = &f->shape.params;
    const unsigned log_size = p->c + ASSAY_MAIN_LOG_RATE;
    const double q = (double)assay_query_count(p->security, ASSAY_MAIN_LOG_RATE);
    double sum = HEAD + DIGEST + (double)f->plan.n_hidden * ELEMENT;
    sum += 2 * ELEMENT;                                                /* the ends of the product list */
    sum += (1 + 2 * (double)(p->c + f->shape.row_bits) + 3) * ELEMENT; /* the merge */
    sum += opening(log_size, q, ldexp(1, (int)p->jb), true);           /* weights */
    sum += opening(log_size, q, (double)frame_columns(f), true);       /* witness */
    return (uint64_t)(sum + tail_bytes(p->security, p->c));
}

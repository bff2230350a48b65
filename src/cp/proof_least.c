/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a proof in their order (docs/protocol.md §4, §8 to §10) whose length public numbers fix. */
#include "commit/queries.h"
#include "commit/tail.h"
#include "cp/proof_size.h"
#include "hash/merkle_hash.h"

enum { WORD = 4, DIGEST = 32, TAIL_COLUMN = K_WORDS << ASSAY_TAIL_FOLD };

/* Columns at distinct positions, with their salts: every position where there are fewer than are drawn. */
static uint64_t columns(uint32_t security, unsigned log_size, unsigned log_rate, uint64_t words, bool salted)
{
    const uint64_t size = (uint64_t)1 << log_size, q = assay_query_count(security, log_rate);
    return (q < size ? q : size) * (words * WORD + (salted ? ASSAY_MERKLE_SALT : 0));
}

/* From the root of u, or u itself, to the last vector. */
static uint64_t tail_least(uint32_t security, unsigned c)
{
    uint64_t sum = 0;
    for (; c > ASSAY_TAIL_STOP; c -= ASSAY_TAIL_FOLD) {
        const unsigned log_size = c - ASSAY_TAIL_FOLD + ASSAY_TAIL_LOG_RATE;
        sum += DIGEST + (2 * (uint64_t)c + 1) * K_BYTES; /* root, sumcheck, value */
        sum += columns(security, log_size, ASSAY_TAIL_LOG_RATE, TAIL_COLUMN, false);
    }
    return sum + ((uint64_t)K_BYTES << c);
}

/* Width: n_hidden < 2^31 messages, at most 12 + 2^24 columns, c and jb as in a commitment: far below 2^64. */
uint64_t assay_cp_proof_least(const assay_frame *f)
{
    const assay_commit_params *p = &f->shape.params;
    const unsigned log_size = p->c + ASSAY_MAIN_LOG_RATE;
    uint64_t elements = f->plan.n_hidden;
    elements += 2;                                                /* the ends of the product list */
    elements += 1 + 2 * (uint64_t)(p->c + f->shape.row_bits) + 3; /* the merge */
    uint64_t sum = DIGEST + elements * K_BYTES;
    sum += columns(p->security, log_size, ASSAY_MAIN_LOG_RATE, (uint64_t)1 << p->jb, true); /* weights */
    sum += columns(p->security, log_size, ASSAY_MAIN_LOG_RATE, frame_columns(f), true);     /* witness */
    return sum + tail_least(p->security, p->c);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Query counts.
 *
 * At rate rho = 2^-log_rate a far word differs from every codeword in at least (D - C)/2 of D positions, so t positions
 * miss it with probability at most ((1 + rho)/2)^t: t log2(8/5), t log2(16/9), t log2(32/17) bits for log_rate 2, 3, 4.
 *
 *   setting 128: 192, 155, 141 positions give 130.2, 128.7, 128.7 bits a round
 *   setting 100: 151 positions give 102.39 bits at rate 1/4; the others are the least counts with at least that margin,
 *                ceil(102.39 / log2(16/9)) = 124 (102.9 bits) and ceil(102.39 / log2(32/17)) = 113 (103.1 bits) */
#include "commit/queries.h"

size_t assay_query_count(unsigned security, unsigned log_rate)
{
    static const size_t count[2][3] = {{192, 155, 141}, {151, 124, 113}};
    if ((security != 128 && security != 100) || log_rate < 2 || log_rate > 4) return 0;
    return count[security == 100][log_rate - 2];
}

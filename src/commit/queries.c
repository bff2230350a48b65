/* SPDX-License-Identifier: Apache-2.0 */
/* Query counts.
 *
 * At rate rho = 2^-log_rate a far word differs from every codeword in at least (D - C)/2 of D positions, so t positions
 * miss it with probability at most ((1 + rho)/2)^t: t log2(8/5), t log2(16/9), t log2(32/17) bits for log_rate 2, 3, 4.
 *
 * Counts of the tail's rates are chosen so that the sum over the main round and three tail levels keeps the margin of
 * the setting:
 *   setting 128: 192, 158, 144 positions give 130.19, 131.15, 131.41 bits a round, 128.8 in all
 *   setting 100: 151, 126, 115 positions give 102.39, 104.59, 104.94 bits a round, 101.6 in all */
#include "commit/queries.h"

size_t assay_query_count(unsigned security, unsigned log_rate)
{
    static const size_t count[2][3] = {{192, 158, 144}, {151, 126, 115}};
    if ((security != 128 && security != 100) || log_rate < 2 || log_rate > 4) return 0;
    return count[security == 100][log_rate - 2];
}

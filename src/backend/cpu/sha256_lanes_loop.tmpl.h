/* SPDX-License-Identifier: Apache-2.0 */
/* Defines LANES_FN, an assay_sha256_lanes_fn, from LANES_STEP(h, at, words, from), which compresses LANES_WIDTH lanes
 * from lane `at` of h on with message words words[j][from ..]. Lanes left over go through a padded copy of their words.
 */
void LANES_FN(uint32_t h[8][LANES], const uint32_t *const w[16], size_t m)
{
    size_t i = 0;
    for (; i + LANES_WIDTH <= m; i += LANES_WIDTH) LANES_STEP(h, i, w, i);
    if (i < m) {
        uint32_t last[16][LANES_WIDTH];
        const uint32_t *p[16];
        for (size_t j = 0; j < 16; j++) {
            memset(last[j], 0, sizeof last[j]);
            memcpy(last[j], w[j] + i, (m - i) * sizeof(uint32_t));
            p[j] = last[j];
        }
        LANES_STEP(h, i, p, 0);
    }
}

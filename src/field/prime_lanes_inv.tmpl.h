/* SPDX-License-Identifier: Apache-2.0 */
/* The inverses of many vectors of field elements: the end of prime_ifma.tmpl.h and of prime_lanes.tmpl.h. */

/* Eight lanes, form R', below 2, none zero: their inverses, form R', below 2. One inversion, in time that depends on
 * the values. */
static inline FIELD_v FIELDV_FN(inv)(FIELD_v a)
{
    enum { N = 8 };
    FIELD e[N], before[N], all = FIELD_FN(one)();
    FIELDV_FN(store)(e, FIELDV_FN(once)(FIELDV_FN(lower)(a)));
    for (int i = 0; i < N; i++) {
        before[i] = all;
        all = FIELD_FN(mul)(all, e[i]);
    }
    all = FIELD_FN(inv_var)(all);
    for (int i = N; i-- > 0;) {
        before[i] = FIELD_FN(mul)(all, before[i]);
        all = FIELD_FN(mul)(all, e[i]);
    }
    return FIELDV_FN(raise)(FIELDV_FN(load)(before));
}

/* Montgomery's trick in every lane; even and odd vectors make two chains, so that their products overlap. scratch: n
 * vectors. */
static inline void FIELDV_FN(batch_inv)(FIELD_v *x, FIELD_v *scratch, size_t n)
{
    FIELD_v even = FIELDV_FN(one)(), odd = even, all;
    size_t pairs = n & ~(size_t)1;
    for (size_t i = 0; i < pairs; i += 2) {
        scratch[i] = even;
        scratch[i + 1] = odd;
        even = FIELDV_FN(mul)(even, x[i]);
        odd = FIELDV_FN(mul)(odd, x[i + 1]);
    }
    if (n > pairs) {
        scratch[pairs] = even;
        even = FIELDV_FN(mul)(even, x[pairs]);
    }
    all = FIELDV_FN(inv)(FIELDV_FN(mul)(even, odd));
    FIELD_v t = FIELDV_FN(mul)(all, odd);
    odd = FIELDV_FN(mul)(all, even);
    even = t;
    if (n > pairs) {
        t = FIELDV_FN(mul)(even, x[pairs]);
        x[pairs] = FIELDV_FN(mul)(even, scratch[pairs]);
        even = t;
    }
    for (size_t i = pairs; i > 0; i -= 2) {
        FIELD_v e = FIELDV_FN(mul)(even, x[i - 2]), o = FIELDV_FN(mul)(odd, x[i - 1]);
        x[i - 2] = FIELDV_FN(mul)(even, scratch[i - 2]);
        x[i - 1] = FIELDV_FN(mul)(odd, scratch[i - 1]);
        even = e;
        odd = o;
    }
}

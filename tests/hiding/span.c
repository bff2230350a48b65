/* SPDX-License-Identifier: Apache-2.0 */
/* Gaussian elimination over F. */
#include "span.h"
#include "base/mem.h"
#include "harness.h"
#include <string.h>

/* y -= a x */
static void subtract(uint32_t *y, uint32_t a, const uint32_t *x, size_t n)
{
    if (a == 0) return;
    for (size_t i = 0; i < n; i++) y[i] = m31_sub(y[i], m31_mul(a, x[i]));
}

static void scale(uint32_t *y, uint32_t a, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = m31_mul(y[i], a);
}

void span_init(span *s, size_t n, size_t max)
{
    memset(s, 0, sizeof *s);
    s->n = n;
    if (max > n) max = n;
    s->rows = (uint32_t *)assay_mem_alloc(max + 1, n * sizeof *s->rows);
    s->pivot = (size_t *)assay_mem_alloc(max + 1, sizeof *s->pivot);
    CHECK(s->rows && s->pivot);
}

void span_clear(span *s)
{
    assay_mem_free(s->rows);
    assay_mem_free(s->pivot);
    memset(s, 0, sizeof *s);
}

bool span_add(span *s, uint32_t *v)
{
    size_t at = 0;
    for (size_t i = 0; i < s->rank; i++) subtract(v, v[s->pivot[i]], s->rows + i * s->n, s->n);
    while (at < s->n && v[at] == 0) at++;
    if (at == s->n) return false;
    scale(v, m31_inv(v[at]), s->n);
    memcpy(s->rows + s->rank * s->n, v, s->n * sizeof *v);
    s->pivot[s->rank++] = at;
    return true;
}

bool linear_solve(uint32_t *a, uint32_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t k = i;
        while (k < n && a[k * n + i] == 0) k++;
        if (k == n) return false;
        for (size_t j = 0; k != i && j < n; j++) a[i * n + j] = m31_add(a[i * n + j], a[k * n + j]);
        if (k != i) b[i] = m31_add(b[i], b[k]);
        uint32_t inv = m31_inv(a[i * n + i]);
        scale(a + i * n, inv, n);
        b[i] = m31_mul(b[i], inv);
        for (k = 0; k < n; k++) {
            uint32_t f = a[k * n + i];
            if (k == i || f == 0) continue;
            subtract(a + k * n, f, a + i * n, n);
            b[k] = m31_sub(b[k], m31_mul(f, b[i]));
        }
    }
    return true;
}

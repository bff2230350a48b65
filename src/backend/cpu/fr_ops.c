/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar field arrays of backend/groups.h: the kernels of fr.h on ranges, by the pool; and their choice. */
#include "backend/cpu/fr.h"
#include "backend/cpu/groups.h"
#include "base/cpu.h"
#include "base/isa.h"

enum { GRAIN = 4096 };

const assay_fr_kernels *assay_fr_select(const assay_curve *c)
{
    const struct {
        unsigned needs;
        const assay_fr_table *table;
    } choices[] = {{ASSAY_CPU_IFMA, ASSAY_X86_FN(&assay_fr_ifma)}, {ASSAY_CPU_ADX, ASSAY_X86_FN(&assay_fr_adx)}};
    unsigned have = assay_cpu_features();
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++)
        if (choices[i].table && have & choices[i].needs) return &choices[i].table->of[c->id];
    return &assay_fr_plain.of[c->id];
}

typedef struct work {
    const assay_curve *curve;
    const assay_fr_kernels *kernels;
    void *out;
    const void *a, *b, *c;
    const assay_scalar *scalars;
    assay_fr s, g;
} work;

static void run(const assay_group_backend *be, const assay_curve *c, work w, size_t n, assay_range_fn *fn)
{
    w.curve = c;
    w.kernels = assay_fr_select(c);
    assay_pool_range(be->pool, n, GRAIN, fn, &w);
}

static void mul_range(void *ctx, size_t begin, size_t end)
{
    const work *w = ctx;
    w->kernels->mul((assay_fr *)w->out + begin, (const assay_fr *)w->a + begin, (const assay_fr *)w->b + begin,
                    end - begin);
}

static void mul(const assay_group_backend *be, const assay_curve *c, assay_fr *out, const assay_fr *a,
                const assay_fr *b, size_t n)
{
    run(be, c, (work){.out = out, .a = a, .b = b}, n, mul_range);
}

static void mul_sub_range(void *ctx, size_t begin, size_t end)
{
    const work *w = ctx;
    w->kernels->mul_sub((assay_fr *)w->out + begin, (const assay_fr *)w->a + begin, (const assay_fr *)w->b + begin,
                        (const assay_fr *)w->c + begin, end - begin);
}

static void mul_sub(const assay_group_backend *be, const assay_curve *c, assay_fr *out, const assay_fr *a,
                    const assay_fr *b, const assay_fr *sub, size_t n)
{
    run(be, c, (work){.out = out, .a = a, .b = b, .c = sub}, n, mul_sub_range);
}

static void powers_range(void *ctx, size_t begin, size_t end)
{
    const work *w = ctx;
    assay_fr s = w->s, g = w->g;
    for (size_t e = begin; e; e >>= 1, g = w->curve->fr_mul(g, g))
        if (e & 1) s = w->curve->fr_mul(s, g);
    w->kernels->powers((assay_fr *)w->out + begin, s, w->g, end - begin);
}

static void powers(const assay_group_backend *be, const assay_curve *c, assay_fr *x, assay_fr s, assay_fr g, size_t n)
{
    run(be, c, (work){.out = x, .s = s, .g = g}, n, powers_range);
}

static void to_scalars_range(void *ctx, size_t begin, size_t end)
{
    const work *w = ctx;
    w->kernels->to_scalars((assay_scalar *)w->out + begin, (const assay_fr *)w->a + begin, end - begin);
}

static void to_scalars(const assay_group_backend *be, const assay_curve *c, assay_scalar *out, const assay_fr *a,
                       size_t n)
{
    run(be, c, (work){.out = out, .a = a}, n, to_scalars_range);
}

static void from_scalars_range(void *ctx, size_t begin, size_t end)
{
    const work *w = ctx;
    w->kernels->from_scalars((assay_fr *)w->out + begin, w->scalars + begin, end - begin);
}

static void from_scalars(const assay_group_backend *be, const assay_curve *c, assay_fr *out, const assay_scalar *a,
                         size_t n)
{
    run(be, c, (work){.out = out, .scalars = a}, n, from_scalars_range);
}

void assay_group_backend_fr_init(assay_group_backend *be)
{
    be->name = assay_fr_select(assay_curve_get(ASSAY_BN254))->name;
    be->fr_mul = mul;
    be->fr_mul_sub = mul_sub;
    be->fr_powers = powers;
    be->fr_to_scalars = to_scalars;
    be->fr_from_scalars = from_scalars;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Multiplicities and instances: docs/protocol.md §7.3.
 *
 * ctest: labels soundness nosan
 * ctest: timeout 600
 * ctest: uses support
 * ctest: uses unit/model */
#include "harness.h"
#include "support/cheats.h"
#include <string.h>

#define SPLIT(id, ...)                                                                                                 \
    TEST(id)                                                                                                           \
    {                                                                                                                  \
        static const cheat what = {__VA_ARGS__};                                                                       \
        cheat_check(stage_split(), &what);                                                                             \
    }

/* Multiplicities of a table in an instance; n: its rows. */
static uint32_t *mult_of(const assay_witness *w, uint32_t instance, assay_table_id id, uint32_t *n)
{
    const assay_instance *in = &w->shape->instance[instance];
    for (uint32_t t = 0; t < in->n_table; t++)
        if (in->table[t].table == id) {
            *n = w->shape->grid[in->table[t].mult].extent[0];
            return w->mult[in->table[t].mult];
        }
    CHECK(!"a table of this instance");
    return NULL;
}

/* Row 2^4 + 3 is the tuple (4, 3). */
static void one_more(const cheater *c, assay_witness *w)
{
    uint32_t n, *m = mult_of(w, 0, TABLE_RANGE, &n);
    if (m) m[19] = m31_add(m[19], m31_from_i64(c->what->by));
}
CHEAT(one_more, .breaks = "lookup", .by = 1, .counts = one_more)
CHEAT(one_less, .breaks = "lookup", .by = -1, .counts = one_more)
static void moved(const cheater *c, assay_witness *w)
{
    uint32_t n, *m = mult_of(w, 0, TABLE_RANGE, &n);
    if (!m) return;
    m[c->what->at] = m31_add(m[c->what->at], 1);
    m[c->what->token] = m31_sub(m[c->what->token], 1);
}
CHEAT(moved_to_the_next_row, .breaks = "lookup", .at = 20, .token = 19, .counts = moved)
CHEAT(moved_to_another_width, .breaks = "lookup", .at = (1 << 5) + 3, .token = (1 << 4) + 3, .counts = moved)
/* Rows 0 and 1 hold the same tuple: how its multiplicity is shared between them says nothing. */
TEST(moved_between_equal_rows)
{
    static const cheat what = {.breaks = "", .at = 0, .token = 1, .counts = moved};
    cheat_accept(stage_main(), &what);
}
static void to_another_table(const cheater *c, assay_witness *w)
{
    uint32_t n, *range = mult_of(w, 0, TABLE_RANGE, &n), *power = mult_of(w, 0, TABLE_POW, &n);
    (void)c;
    if (!range || !power) return;
    range[19] = m31_sub(range[19], 1);
    power[3] = m31_add(power[3], 1);
}
CHEAT(moved_to_another_table, .breaks = "lookup", .counts = to_another_table)

/* ---- several instances: the sums over all of them are right, none by itself */

static void to_another_instance(const cheater *c, assay_witness *w)
{
    uint32_t n, *a = mult_of(w, 0, TABLE_RANGE, &n), *b = mult_of(w, 1, TABLE_RANGE, &n);
    (void)c;
    if (!a || !b) return;
    a[19] = m31_sub(a[19], 1);
    b[19] = m31_add(b[19], 1);
}
SPLIT(moved_to_another_instance, .breaks = "lookup", .counts = to_another_instance)
static void exchanged(const cheater *c, assay_witness *w)
{
    uint32_t n = 0, *a = mult_of(w, 0, TABLE_RANGE, &n), *b = mult_of(w, 1, TABLE_RANGE, &n);
    (void)c;
    for (uint32_t i = 0; a && b && i < n; i++) {
        uint32_t x = a[i];
        a[i] = b[i];
        b[i] = x;
    }
}
SPLIT(instances_exchanged, .breaks = "lookup", .counts = exchanged)
/* A tuple in no row is taken off in another instance. */
SPLIT(value_out_of_range, .breaks = "lookup", .families = "down remainder", .t = TEN_DOWN, .index = 2, .token = 5,
      .at = 3, .by = -1, .made = cheat_carry)
SPLIT(relation_among_others, .breaks = "up", .t = TEN_UP, .index = 2, .token = 5, .at = 3, .by = 1, .made = cheat_add)

/* ---- p equal bad look-ups sum to zero in characteristic p (tests/reference/test_toy_field_lookups.py shows it at a
 * small one): an instance has at most 2^30 look-ups, whatever is asked */

static void deal(const assay_model_config *cfg, uint32_t n_tokens, uint64_t limit, uint32_t least_instances)
{
    const assay_commit_params params = {128, 24, 10, 2};
    assay_cp_shape s;
    assay_errinfo err;
    uint64_t all = 0, dealt = 0, bound = limit ? limit : (uint64_t)1 << 26;
    REQUIRE_OK(assay_cp_shape_init(&s, cfg, &params, 1, n_tokens, NULL, limit, &err));
    for (uint32_t f = 0; f < s.n_family; f++)
        for (uint32_t b = 0; b < s.family[f].grid.n_box; b++) {
            uint64_t box = (uint64_t)1 << s.family[f].grid.box[b].log_n;
            if (!limit && box > bound) bound = box;
            all += box;
        }
    for (uint32_t i = 0; i < s.n_instance; i++) {
        uint64_t n = 0;
        for (uint32_t k = 0; k < s.instance[i].n_part; k++)
            for (uint32_t b = s.instance[i].part[k].first_box; b < s.instance[i].part[k].end_box; b++)
                n += (uint64_t)1 << s.family[s.instance[i].part[k].family].grid.box[b].log_n;
        CHECK(n <= bound && n <= (uint64_t)1 << 30 && n < M31_P);
        dealt += n;
    }
    CHECK(s.n_instance >= least_instances);
    CHECK_EQ_U64(dealt, all);
    assay_cp_shape_clear(&s);
}
TEST(instances_have_a_bound)
{
    const assay_model_config *cfg = &stage_main()->fx.model.cfg;
    assay_errinfo err;
    assay_cp_shape s;
    REQUIRE(stage_main()->ready);
    deal(cfg, 23, (uint64_t)1 << 30, 1);
    deal(cfg, 23, 30000, 2);
    deal(cfg, 23, 4096, 8);
    deal(cfg, 500, (uint64_t)1 << 30, 1);
    /* Four thousand tokens of a wide model: more look-ups than p. */
    assay_model_config big = *cfg;
    big.d = 1024;
    big.rs_t = assay_model_rsqrt_unit(big.d);
    big.n_heads = 64;
    big.n_kv = 64;
    big.head_dim = 16;
    big.ff = 4096;
    big.max_positions = 4096;
    int64_t eps[7];
    for (uint32_t j = 0; j < model_sites(&big); j++) eps[j] = assay_model_eps_term(big.eps_q60, big.d, big.unit[j]);
    big.eps_term = eps;
    big.z_bits = 19;
    deal(&big, 4096, (uint64_t)1 << 30, 3);
    /* Production: 2^26 is enough for a tree, unless one box is larger. */
    deal(cfg, 500, 0, 1);
    deal(&big, 4096, 0, 3);
    deal(&big, 512, 0, 2);
    /* A box cannot be cut: where one is larger than the bound there is no shape. */
    const assay_commit_params params = {128, 13, 10, 2};
    CHECK_STATUS(assay_cp_shape_init(&s, cfg, &params, 1, 23, NULL, 64, &err), ASSAY_ERANGE);
}

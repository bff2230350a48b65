/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes cover every cell once, stand aligned, and never touch each other or the random slots. */
#include "base/mem.h"
#include "cp/layout.h"
#include "harness.h"
#include <string.h>

/* Counts how often each cell of the index set is covered. */
static void check_cover(const assay_grid *g)
{
    size_t n = 1;
    for (unsigned a = 0; a < g->n_axes; a++) n *= g->extent[a];
    uint8_t *seen = assay_mem_alloc(n ? n : 1, 1);
    uint64_t cells = 0;
    for (uint32_t b = 0; b < g->n_box; b++) {
        const assay_box *x = &g->box[b];
        CHECK_EQ_U64(x->base & (((uint64_t)1 << x->log_n) - 1), 0);
        for (uint64_t k = 0; k < (uint64_t)1 << x->log_n; k++) {
            size_t at = 0;
            uint32_t i[ASSAY_GRID_AXES] = {0};
            uint64_t rest = k;
            for (unsigned a = g->n_axes; a-- > 0;) {
                i[a] = x->start[a] + (uint32_t)(rest & (((uint64_t)1 << x->log_len[a]) - 1));
                rest >>= x->log_len[a];
                REQUIRE(i[a] < g->extent[a]);
            }
            for (unsigned a = 0; a < g->n_axes; a++) at = at * g->extent[a] + i[a];
            if (g->causal) REQUIRE(i[1] <= i[0]);
            REQUIRE(seen[at] == 0);
            seen[at] = 1;
            cells++;
        }
    }
    CHECK_EQ_U64(cells, assay_grid_cells(g));
    assay_mem_free(seen);
}

TEST(natural_boxes_cover_once)
{
    static const uint32_t sizes[] = {1, 2, 3, 5, 7, 8, 12, 33};
    assay_errinfo err = {0};
    for (size_t x = 0; x < sizeof sizes / sizeof *sizes; x++)
        for (size_t y = 0; y < sizeof sizes / sizeof *sizes; y++) {
            const uint32_t e[] = {sizes[x], sizes[y], 3};
            assay_grid g = assay_grid_of(3, e, false);
            REQUIRE_OK(assay_grid_cut(&g, &err));
            check_cover(&g);
            assay_grid_clear(&g);
            const uint32_t t[] = {sizes[x], sizes[x], sizes[y], 2};
            g = assay_grid_of(4, t, true);
            REQUIRE_OK(assay_grid_cut(&g, &err));
            check_cover(&g);
            assay_grid_clear(&g);
        }
}

static void check_largest(uint32_t rows, uint32_t other, bool causal)
{
    const uint32_t e[] = {rows, causal ? rows : 6, other, 3};
    assay_errinfo err = {0};
    assay_grid g = assay_grid_of(4, e, causal);
    unsigned largest = 0;
    REQUIRE_OK(assay_grid_cut(&g, &err));
    for (uint32_t b = 0; b < g.n_box; b++)
        if (g.box[b].log_n > largest) largest = g.box[b].log_n;
    CHECK_EQ_U64(assay_grid_largest(&g), largest);
    assay_grid_clear(&g);
}

TEST(the_largest_box_follows_from_the_extents)
{
    for (uint32_t rows = 0; rows < 70; rows++)
        for (uint32_t other = 0; other < 10; other++) {
            check_largest(rows, other, false);
            check_largest(rows, other, true);
        }
}

TEST(an_empty_axis_has_no_boxes)
{
    assay_errinfo err = {0};
    const uint32_t e[] = {0, 5, 3};
    assay_grid g = assay_grid_of(3, e, false);
    REQUIRE_OK(assay_grid_cut(&g, &err));
    CHECK_EQ_U64(g.n_box, 0);
    CHECK_EQ_U64(assay_grid_cells(&g), 0);
    assay_grid_clear(&g);
}

/* Places random grids in rows and marks every address. */
static void placement(unsigned c, unsigned slots, size_t n_grids, uint32_t largest)
{
    assay_grid g[12];
    assay_errinfo err = {0};
    uint32_t rows = 0;
    uint64_t cells = 0, row = ((uint64_t)1 << c) - ((uint64_t)1 << slots);
    for (size_t k = 0; k < n_grids; k++) {
        uint32_t e[ASSAY_GRID_AXES];
        for (int a = 0; a < 4; a++) e[a] = 1 + (uint32_t)(assay_test_random() % largest);
        e[1] = k % 3 == 2 ? e[0] : e[1];
        g[k] = assay_grid_of(k % 3 == 2 ? 4 : 3, e, k % 3 == 2);
        cells += assay_grid_cells(&g[k]);
    }
    REQUIRE_OK(assay_place_rows(g, n_grids, c, slots, 0, &rows, &err));
    CHECK_EQ_U64(rows, (cells + row - 1) / row);
    uint8_t *seen = assay_mem_alloc((size_t)rows << c, 1);
    for (size_t k = 0; k < n_grids; k++) {
        check_cover(&g[k]);
        for (uint32_t b = 0; b < g[k].n_box; b++) {
            const assay_box *x = &g[k].box[b];
            for (uint64_t i = 0; i < (uint64_t)1 << x->log_n; i++) {
                uint64_t at = x->base + i;
                REQUIRE(at >> c < rows);
                REQUIRE((at & (((uint64_t)1 << c) - 1)) < row);
                REQUIRE(seen[at] == 0);
                seen[at] = 1;
            }
            CHECK(b >= g[k].natural_at[x->natural] && b < g[k].natural_at[x->natural + 1]);
        }
        assay_grid_clear(&g[k]);
    }
    assay_mem_free(seen);
}

TEST(rows_are_filled_without_overlap)
{
    for (int k = 0; k < 40; k++) placement(9, 4, 1 + (size_t)k % 12, 13);
    placement(6, 2, 12, 7);
    placement(14, 8, 12, 40);
}

TEST(too_many_cells_for_the_rows_given)
{
    assay_errinfo err = {0};
    uint32_t rows;
    const uint32_t e[] = {3, 40, 5};
    assay_grid g = assay_grid_of(3, e, false);
    CHECK_STATUS(assay_place_rows(&g, 1, 9, 4, 1, &rows, &err), ASSAY_ERANGE);
    assay_grid_clear(&g);
}

TEST(leaves_are_consecutive_and_aligned)
{
    assay_errinfo err = {0};
    const uint32_t e[] = {3, 7, 5}, f[] = {6, 6, 3, 1};
    assay_grid g[2] = {assay_grid_of(3, e, false), assay_grid_of(4, f, true)};
    assay_box *boxes[256];
    size_t n = 0;
    uint64_t leaves = 0, sum = 0;
    for (int k = 0; k < 2; k++) {
        REQUIRE_OK(assay_grid_cut(&g[k], &err));
        for (uint32_t b = 0; b < g[k].n_box; b++) boxes[n++] = &g[k].box[b];
        sum += assay_grid_cells(&g[k]);
    }
    REQUIRE_OK(assay_place_leaves(boxes, n, &leaves, &err));
    CHECK_EQ_U64(leaves, sum);
    uint8_t seen[256] = {0};
    for (size_t i = 0; i < n; i++) {
        CHECK_EQ_U64(boxes[i]->base & (((uint64_t)1 << boxes[i]->log_n) - 1), 0);
        for (uint64_t k = 0; k < (uint64_t)1 << boxes[i]->log_n; k++) seen[boxes[i]->base + k]++;
    }
    for (uint64_t i = 0; i < leaves; i++) CHECK_EQ_U64(seen[i], 1);
    for (int k = 0; k < 2; k++) assay_grid_clear(&g[k]);
}

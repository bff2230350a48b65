/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from a sweep's measurements: the line, the advice, the files. */
#include "cli/sweep.h"
#include "harness.h"
#include <math.h>
#include <string.h>

static const uint64_t gib = (uint64_t)1 << 30;

/* 69 GiB + 20 GiB a worker, as cuzk's authors measured; with 2 GPU workers a GiB more. */
static assay_sweep known(void)
{
    static const unsigned workers[] = {1, 2, 5, 7};
    static const double per_hour[] = {12, 24, 53, 68};
    assay_sweep s = {.n = 0};
    for (unsigned gpu = 1; gpu <= 2; gpu++)
        for (size_t i = 0; i < 4; i++)
            s.at[s.n++] = (assay_sweep_point){.partition_workers = workers[i],
                                              .gpu_workers = gpu,
                                              .peak = (68 + gpu + 20 * workers[i]) * gib,
                                              .per_hour = gpu == 1 ? per_hour[i] : 1.004 * per_hour[i],
                                              .seconds_per_proof = 3600 / per_hour[i],
                                              .completed = 5};
    return s;
}

TEST(a_line_is_found_again)
{
    const assay_sweep s = known();
    const assay_sweep_fit one = assay_sweep_fit_of(&s, 1), two = assay_sweep_fit_of(&s, 2),
                          all = assay_sweep_fit_of(&s, 0);
    CHECK(one.n == 4 && two.n == 4 && all.n == 8);
    CHECK(fabs(one.baseline / (double)gib - 69) < 1e-6 && fabs(one.slope / (double)gib - 20) < 1e-6);
    CHECK(fabs(two.baseline / (double)gib - 70) < 1e-6);
    CHECK(one.residual < 100 && one.worst < 100);
    CHECK(fabs(all.baseline / (double)gib - 69.5) < 1e-6 && fabs(all.residual / (double)gib - 0.5) < 1e-6);
}

TEST(what_the_line_leaves)
{
    assay_sweep s = {.n = 3};
    for (unsigned i = 0; i < 3; i++) s.at[i] = (assay_sweep_point){.partition_workers = i + 1, .gpu_workers = 1};
    s.at[1].peak = 6 * gib; /* 0 6 0: the line is 2, and leaves -2 4 -2 */
    const assay_sweep_fit f = assay_sweep_fit_of(&s, 1);
    CHECK(fabs(f.slope) < 1 && fabs(f.baseline / (double)gib - 2) < 1e-9);
    CHECK(fabs(f.worst / (double)gib - 4) < 1e-9 && fabs(f.residual / (double)gib - sqrt(8)) < 1e-9);
}

TEST(one_number_of_workers_has_no_line)
{
    assay_sweep s = {.n = 2};
    s.at[0] = (assay_sweep_point){.partition_workers = 3, .gpu_workers = 1, .peak = 10};
    s.at[1] = (assay_sweep_point){.partition_workers = 3, .gpu_workers = 1, .peak = 20};
    const assay_sweep_fit f = assay_sweep_fit_of(&s, 0);
    CHECK(f.slope == 0 && f.baseline == 15 && f.n == 2);
    CHECK(assay_sweep_fit_of(&s, 4).n == 0);
}

TEST(advice_by_memory)
{
    assay_sweep s = known();
    CHECK(assay_sweep_advise(&s, 64 * gib) == NULL);
    const assay_sweep_point *p = assay_sweep_advise(&s, 128 * gib); /* 0.9 of it is 115: 109 fits, 129 does not */
    REQUIRE(p != NULL);
    CHECK(p->partition_workers == 2 && p->gpu_workers == 1); /* the second GPU worker is worth 0.4 %, not its GiB */
    p = assay_sweep_advise(&s, 768 * gib);
    REQUIRE(p != NULL);
    CHECK(p->partition_workers == 7 && p->gpu_workers == 1);
    for (size_t i = 0; i < s.n; i++)
        if (s.at[i].partition_workers == 7) s.at[i].completed = 0; /* none of these ended well */
    p = assay_sweep_advise(&s, 768 * gib);
    REQUIRE(p != NULL);
    CHECK(p->partition_workers == 5);
}

static bool holds(const assay_writer *w, const char *text)
{
    const size_t n = strlen(text);
    for (size_t i = 0; i + n <= w->n; i++)
        if (memcmp(w->p + i, text, n) == 0) return true;
    return false;
}

TEST(table_and_files)
{
    const assay_sweep s = known();
    assay_writer w;
    assay_writer_init(&w, 1 << 20);
    assay_sweep_table(&s, &w);
    REQUIRE(!w.bad);
    CHECK(holds(&w, "| 7 | 2 | 215040.0 | none |"));
    CHECK(holds(&w, "- 1 GPU worker: peak = 70656.0 MiB + 20480.0 MiB x partition workers; residual 0.0 MiB"));
    CHECK(holds(&w, "| 64 | none that was measured fits |"));
    CHECK(holds(&w, "| 128 | 2 | 1 |"));
    assay_writer_clear(&w);
    assay_writer_init(&w, 1 << 20);
    assay_sweep_csv(&s, &w);
    REQUIRE(!w.bad);
    CHECK(holds(&w, "\n5,1,181462368256,67.924528,53.000,5,0\n"));
    assay_writer_clear(&w);
    assay_writer_init(&w, 1 << 20);
    assay_sweep_svg(&s, "a <title> & more", &w);
    REQUIRE(!w.bad);
    CHECK(holds(&w, "a &lt;title&gt; &amp; more") && !holds(&w, "<title>") && holds(&w, "</svg>\n"));
    CHECK(holds(&w, "peak memory, GiB") && !holds(&w, "nan") && !holds(&w, "inf"));
    assay_writer_clear(&w);
}

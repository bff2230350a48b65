/* SPDX-License-Identifier: Apache-2.0 */
/* Every requirement and every look-up family of the statement is named as broken by some cheat of this folder: a
 * relation without a negative test is a bug (docs/model.md, width table).
 *
 * ctest: labels soundness
 * ctest: uses support
 * ctest: uses unit/model */
#include "base/mem.h"
#include "harness.h"
#include "support/cheats.h"
#include <dirent.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = 1 << 20, NAMES = 256 };
static char *text; /* all other tests of this folder */
static const char *names[NAMES];
static size_t n_names;

static bool read_tests(void)
{
    char folder[512], path[1024];
    size_t n = 0;
    snprintf(folder, sizeof folder, "%s/tests/soundness", assay_test_source_dir());
    DIR *d = opendir(folder);
    text = assay_mem_alloc(ROOM, 1);
    if (!CHECK(d != NULL) || !CHECK(text != NULL)) return false;
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        if (strncmp(e->d_name, "test_", 5) != 0 || strcmp(e->d_name, "test_coverage.c") == 0) continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        FILE *f = fopen(path, "rb");
        if (!CHECK(f != NULL)) continue;
        n += fread(text + n, 1, ROOM - 1 - n, f);
        fclose(f);
    }
    closedir(d);
    text[n] = 0;
    return CHECK(n > 10000 && n < ROOM - 1);
}

static kel no_value(void *ctx, assay_claim node)
{
    (void)ctx;
    (void)node;
    return k_zero();
}
static void remember(const char *name)
{
    for (size_t i = 0; i < n_names; i++)
        if (strcmp(names[i], name) == 0) return;
    if (CHECK(n_names < NAMES)) names[n_names++] = name;
}
static void collect(void *ctx, assay_cp *cp, const assay_witness *w, const assay_kvec *p)
{
    const char *name;
    kel v;
    (void)ctx;
    (void)w;
    (void)p;
    for (size_t i = 0; assay_iop_requirement_value(cp->iop, i, no_value, NULL, &name, &v); i++) remember(name);
    for (uint32_t f = 0; f < cp->shape->n_family; f++) remember(cp->shape->family[f].name);
}

/* "name", or the factor of a relation as test_factors.c writes it, or a name that only occurs together with others. */
static bool covered(const char *name)
{
    /* The flags sum to one, so two of them are wrong; a rebased residual beyond its range makes a residual beyond its
     * own; the other side of norm a6 is 0 in small models. A head's sum of squares is below 2^41, so that a second
     * digit or last carry out of range leaves a mantissa that is in no row. */
    static const char *const together[] = {"norm digit flag 0",      "norm flag 2",       "norm a6",
                                           "rebased residual",       "head norm flag 2",  "head norm a6",
                                           "head norm digit flag 0", "head norm digit 2", "head norm carry 2"};
    char quoted[128], relation[64] = "";
    const char *factor = strrchr(name, ' ');
    snprintf(quoted, sizeof quoted, "\"%s\"", name);
    if (strstr(text, quoted)) return true;
    for (size_t i = 0; i < sizeof together / sizeof *together; i++)
        if (strcmp(name, together[i]) == 0 && strstr(text, name)) return true;
    if (!factor || (factor[1] != 'a' && factor[1] != 'b')) return false;
    snprintf(relation, sizeof relation, "%.*s", (int)(factor - name), name);
    snprintf(quoted, sizeof quoted, "\"%s\", %s)", relation, factor + 1);
    if (strstr(text, quoted)) return true;
    snprintf(quoted, sizeof quoted, ", \"%s\")\n", relation);
    for (const char *p = text; (p = strstr(p, quoted)) != NULL; p++) {
        const char *line = p;
        while (line > text && line[-1] != '\n') line--;
        if (strncmp(line, "FACTORS(", 8) == 0) return factor[2] == '0';
    }
    return false;
}

static void collect_from(stage *st)
{
    static const cheat honest = {.breaks = ""};
    cheater c;
    assay_request rq;
    assay_writer proof;
    REQUIRE(st->ready);
    cheat_begin(&c, st, &honest);
    REQUIRE(cheat_request(&c, &rq));
    assay_cheat hooks = cheat_hooks(&c);
    hooks.claims = collect;
    CHECK(cheat_prove(&c, &rq, &hooks, &proof));
    assay_writer_clear(&proof);
    assay_request_clear(&rq);
    cheat_end(&c);
}

TEST(every_relation_has_a_cheat)
{
    REQUIRE(read_tests());
    collect_from(stage_main());
    collect_from(stage_first());
    collect_from(stage_heads());
    collect_from(stage_split());
    collect_from(stage_gap(2000, 4000));
    for (size_t i = 0; i < n_names; i++)
        if (!CHECK(covered(names[i]))) printf("  no cheat breaks: %s\n", names[i]);
    printf("%zu requirements and families\n", n_names);
    CHECK(n_names > 120);
    CHECK(!covered("no such relation") && !covered("q a7"));
    assay_mem_free(text);
}

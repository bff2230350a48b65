/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/budget.h"
#include "base/memory_limit.h"
#include <stdio.h>
#include <string.h>

enum { LEAST_MIB = 64 };

#define MEBIBYTE ((uint64_t)1 << 20)

/* ---- finding it */

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

enum { SIZE_BYTES = 32 };

/* "5.3 GiB", rounded down. */
static const char *size_text(char out[SIZE_BYTES], uint64_t n_bytes)
{
    const uint64_t tenths = (n_bytes >> 20) * 10 >> 10;
    if (n_bytes < MEBIBYTE << 10)
        (void)snprintf(out, SIZE_BYTES, "%llu MiB", (unsigned long long)(n_bytes >> 20));
    else
        (void)snprintf(out, SIZE_BYTES, "%llu.%u GiB", (unsigned long long)(tenths / 10), (unsigned)(tenths % 10));
    return out;
}

static void copy(assay_memory_found *out, const assay_memory_limits *l)
{
    *out = (assay_memory_found){.installed = l->installed,
                                .available = l->available,
                                .group_max = l->group_max,
                                .group_current = l->group_used};
    _Static_assert(sizeof out->group == sizeof l->group, "group");
    memcpy(out->group, l->group, sizeof out->group);
}

static void take_given(assay_memory_found *out, uint64_t given, uint64_t there, bool by_group)
{
    char a[SIZE_BYTES], b[SIZE_BYTES];
    out->total = given;
    if (there < given)
        (void)snprintf(out->why, sizeof out->why, "%s as given, but only %s %s", size_text(a, given),
                       size_text(b, there), by_group ? "are left in the control group" : "are available");
    else
        (void)snprintf(out->why, sizeof out->why, "%s as given", size_text(a, given));
}

static void take_found(assay_memory_found *out, uint64_t there, bool by_group, uint64_t margin)
{
    char a[SIZE_BYTES], b[SIZE_BYTES], c[SIZE_BYTES], d[SIZE_BYTES];
    out->total = less(there, margin);
    size_text(a, out->total);
    size_text(b, margin);
    if (by_group)
        (void)snprintf(out->why, sizeof out->why, "%s: control group %.64s allows %s and has taken %s, less %s margin",
                       a, out->group, size_text(c, out->group_max), size_text(d, out->group_current), b);
    else
        (void)snprintf(out->why, sizeof out->why, "%s: %s of memory are available, less %s margin", a,
                       size_text(c, there), b);
    (void)assay_line_flatten(out->why); /* a group's name may hold anything */
}

assay_status assay_memory_find(assay_memory_found *out, const char *root, uint64_t given, uint64_t margin,
                               assay_errinfo *err)
{
    assay_memory_limits l;
    assay_memory_limits_read(&l, root);
    copy(out, &l);
    const uint64_t group = l.group[0] ? less(l.group_max, l.group_used) : UINT64_MAX;
    const uint64_t there = least_of(l.available, group);
    const bool by_group = group < l.available;
    if (given != ASSAY_BUDGET_AUTO) {
        take_given(out, given, there, by_group);
        return ASSAY_OK;
    }
    if (there == UINT64_MAX)
        return ASSAY_FAIL(err, ASSAY_EIO, "memory.total",
                          "neither /proc/meminfo nor a control group says what memory there is: give a size");
    take_found(out, there, by_group, margin);
    if (out->total >= LEAST_MIB * MEBIBYTE) return ASSAY_OK;
    return ASSAY_FAIL2(err, ASSAY_ERANGE, "memory.margin",
                       "leaves less than 64 MiB of the memory that is there (MiB there, margin)", there >> 20,
                       margin >> 20);
}

/* ---- the ledger */

uint64_t assay_budget_free(const assay_budget *b)
{
    return less(b->total, b->used);
}

void assay_budget_force(assay_budget *b, assay_reservation *r, uint64_t bytes)
{
    b->used = b->used - r->bytes + bytes;
    r->bytes = bytes;
    if (b->used > b->peak) b->peak = b->used;
}

bool assay_budget_set(assay_budget *b, assay_reservation *r, uint64_t bytes)
{
    if (bytes > r->bytes && bytes - r->bytes > assay_budget_free(b)) return false;
    assay_budget_force(b, r, bytes);
    return true;
}

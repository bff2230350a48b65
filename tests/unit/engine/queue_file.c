/* SPDX-License-Identifier: Apache-2.0 */
/* Queues in a fresh SQLite file. */
#include "unit/engine/queue_file.h"
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static _Atomic uint64_t now;

static uint64_t read_clock(void *ctx)
{
    (void)ctx;
    return atomic_load(&now);
}

static void set_time(queue_place *p, uint64_t ms)
{
    p->now = ms;
    atomic_store(&now, ms);
}

static bool fresh(queue_place *p)
{
    static unsigned number;
    (void)snprintf(p->where, sizeof p->where, "%s/queue-%u", assay_test_tmpdir(), number++);
    return true;
}

static int64_t number_of(queue_place *p, const char *statement)
{
    sqlite3 *h = NULL;
    sqlite3_stmt *s = NULL;
    int64_t v = -1;
    if (sqlite3_open_v2(p->where, &h, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
        sqlite3_busy_timeout(h, 10000) == SQLITE_OK && sqlite3_prepare_v2(h, statement, -1, &s, NULL) == SQLITE_OK &&
        sqlite3_step(s) == SQLITE_ROW)
        v = sqlite3_column_int64(s, 0);
    while (s && sqlite3_step(s) == SQLITE_ROW) continue;
    (void)sqlite3_finalize(s);
    (void)sqlite3_close(h);
    return v;
}

void queue_file_place(queue_place *p)
{
    memset(p, 0, sizeof *p);
    p->fresh = fresh;
    p->set_time = set_time;
    p->number = number_of;
    p->clock.now = p->clock.lease_now = read_clock;
    CHECK(fresh(p));
    set_time(p, QUEUE_START);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite: one file of mode 0600, write-ahead log, each commit synced. One daemon has it at a time, by a lock file; in
 * that daemon one connection writes and another reads, so that nobody who looks waits for the disk. */
#define _XOPEN_SOURCE 700
#include "base/mem.h"
#include "engine/queue_db.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUSY_TIMEOUT = 10000 /* ms that a person's shell may hold it */, MAX_BYTES = 999000000 /* SQLite's is 10^9 */ };

typedef struct sqlite_db {
    assay_db base;
    const assay_db_source *source;
    sqlite3 *h;
    sqlite3_stmt *statements[ASSAY_SQLS];
    sqlite3_stmt *current; /* begun */
    bool has_row;          /* the current one's next row is there */
    bool taken;            /* it has been handed out */
} sqlite_db;

static sqlite_db *own(assay_db *db)
{
    return (sqlite_db *)(void *)db;
}

static assay_status fail_of(const sqlite_db *d, int rc, assay_errinfo *err)
{
    const char *name = d->source->name;
    const int why = d->h ? sqlite3_system_errno(d->h) : 0;
    switch (rc & 0xff) {
    case SQLITE_NOMEM:
        return ASSAY_FAIL(err, ASSAY_ENOMEM, name, "out of memory");
    case SQLITE_FULL:
        return ASSAY_FAIL(err, ASSAY_EIO, name, "no room: the disk is full");
    case SQLITE_CORRUPT:
        return ASSAY_FAIL(err, ASSAY_EFORMAT, name, "this database is damaged");
    case SQLITE_NOTADB:
        return ASSAY_FAIL(err, ASSAY_EFORMAT, name, "not a SQLite database, or damaged");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return ASSAY_FAIL(err, ASSAY_EIO, name, "another program has had the database locked for too long");
    case SQLITE_READONLY:
        return ASSAY_FAIL(err, ASSAY_EIO, name, "this database cannot be written");
    case SQLITE_IOERR:
        if (why) return ASSAY_FAIL_OS(err, ASSAY_EIO, name, sqlite3_errstr(rc), why);
        return ASSAY_FAIL(err, ASSAY_EIO, name, sqlite3_errstr(rc));
    case SQLITE_CANTOPEN:
        return ASSAY_FAIL(err, ASSAY_EIO, name, "cannot be opened as a database");
    case SQLITE_ERROR: /* the tables are not those that this program makes */
        return ASSAY_FAIL(err, ASSAY_EFORMAT, name, "this database's tables are not a queue's, or damaged");
    default:
        return ASSAY_FAIL(err, ASSAY_EIO, name, sqlite3_errstr(rc));
    }
}

/* ---- the file */

/* SQLite would make it too, but readable by all. */
static assay_status make_file(const char *path, assay_errinfo *err)
{
    struct stat st;
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
    if (fd < 0) return ASSAY_FAIL_OS(err, ASSAY_EIO, path, "the queue (queue.path, --queue) cannot be opened", errno);
    const bool regular = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    (void)close(fd);
    return regular ? ASSAY_OK : ASSAY_FAIL(err, ASSAY_EIO, path, "not a regular file");
}

/* The lock's name: beside the file itself, whatever name the queue was called by. *exists is false when there is no
 * such file; only then may it be touched before the lock is had: closing a file of a database in use gives up SQLite's
 * locks. */
static assay_status name_lock(char lock[PATH_MAX + 8], char path[PATH_MAX], const char *where, bool *exists,
                              assay_errinfo *err)
{
    *exists = realpath(where, path) != NULL;
    if (!*exists && errno != ENOENT) return ASSAY_FAIL_OS(err, ASSAY_EIO, where, "cannot be resolved", errno);
    if (!*exists) return ASSAY_OK;
    (void)snprintf(lock, PATH_MAX + 8, "%s.lock", path);
    return ASSAY_OK;
}

static assay_status source_open(assay_db_source *source, const char *where, assay_errinfo *err)
{
    char path[PATH_MAX], lock[PATH_MAX + 8];
    assay_errinfo why = {0};
    bool exists = false;
    (void)snprintf(source->name, sizeof source->name, "%s", where);
    assay_status s = name_lock(lock, path, where, &exists, err);
    if (s == ASSAY_OK && !exists) s = make_file(where, err);
    if (s == ASSAY_OK && !exists) s = name_lock(lock, path, where, &exists, err);
    if (s == ASSAY_OK && !exists) s = ASSAY_FAIL(err, ASSAY_EIO, where, "cannot be resolved");
    if (s != ASSAY_OK) return s;
    source->where = assay_mem_alloc(strlen(path) + 1, 1);
    source->lock_path = assay_mem_alloc(strlen(lock) + 1, 1);
    if (!source->where || !source->lock_path) return ASSAY_FAIL(err, ASSAY_ENOMEM, where, "out of memory");
    memcpy(source->where, path, strlen(path) + 1);
    memcpy(source->lock_path, lock, strlen(lock) + 1);
    s = assay_lock_take(&source->lock, lock, false, &why);
    if (s == ASSAY_EBUSY) return ASSAY_FAIL(err, s, where, "this queue is in use by another daemon that runs");
    if (s != ASSAY_OK && err && !err->reason) *err = why;
    return s == ASSAY_OK ? make_file(where, err) : s; /* also that it is one */
}

static void source_leave(assay_db_source *source)
{
    assay_lock_release(&source->lock);
    assay_mem_free(source->where);
    assay_mem_free(source->lock_path);
    source->where = source->lock_path = NULL;
}

/* ---- connections */

static uint64_t clock_of(sqlite3_context *c, bool lease)
{
    const assay_db_source *source = sqlite3_user_data(c);
    return lease ? source->clock.lease_now(source->clock.ctx) : source->clock.now(source->clock.ctx);
}

static void sql_now(sqlite3_context *c, int n, sqlite3_value **v)
{
    (void)n;
    (void)v;
    sqlite3_result_int64(c, (sqlite3_int64)clock_of(c, false));
}

static void sql_lease_now(sqlite3_context *c, int n, sqlite3_value **v)
{
    (void)n;
    (void)v;
    sqlite3_result_int64(c, (sqlite3_int64)clock_of(c, true));
}

/* SQLite hands this pointer back as it got it. */
static void *user_data(const assay_db_source *source)
{
    union {
        const assay_db_source *in;
        void *out;
    } u = {source};
    return u.out;
}

static void sqlite_close(assay_db *db)
{
    if (!db) return;
    sqlite_db *d = own(db);
    for (size_t i = 0; i < ASSAY_SQLS; i++) (void)sqlite3_finalize(d->statements[i]);
    (void)sqlite3_close_v2(d->h);
    assay_mem_free(d);
}

static assay_status sqlite_text(assay_db *db, const char *statement, int64_t *v, assay_errinfo *err)
{
    sqlite_db *d = own(db);
    sqlite3_stmt *s = NULL;
    int rc = sqlite3_prepare_v2(d->h, statement, -1, &s, NULL);
    if (rc == SQLITE_OK) rc = sqlite3_step(s);
    if (rc == SQLITE_ROW && v) *v = sqlite3_column_int64(s, 0);
    const bool good = rc == SQLITE_ROW || rc == SQLITE_DONE;
    const assay_status status = good ? ASSAY_OK : fail_of(d, rc, err);
    (void)sqlite3_finalize(s);
    return status;
}

static assay_status configure(sqlite_db *d, assay_errinfo *err)
{
    static const char *const pragmas[] = {
        "PRAGMA synchronous = FULL",   /* every commit is on disk before it is said to be */
        "PRAGMA secure_delete = ON",   /* inputs are secret; the log has them until it comes round */
        "PRAGMA trusted_schema = OFF", /* the file may have been made by others */
        "PRAGMA cell_size_check = ON", "PRAGMA temp_store = MEMORY",
        "PRAGMA cache_size = -8192",   "PRAGMA journal_size_limit = 67108864"};
    assay_status s = ASSAY_OK;
    (void)sqlite3_busy_timeout(d->h, BUSY_TIMEOUT);
    int rc =
        sqlite3_create_function_v2(d->h, "assay_now", 0, SQLITE_UTF8, user_data(d->source), sql_now, NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_create_function_v2(d->h, "assay_lease_now", 0, SQLITE_UTF8, user_data(d->source), sql_lease_now,
                                        NULL, NULL, NULL);
    if (rc != SQLITE_OK) return fail_of(d, rc, err);
    for (size_t i = 0; s == ASSAY_OK && i < sizeof pragmas / sizeof *pragmas; i++)
        s = sqlite_text(&d->base, pragmas[i], NULL, err);
    return s;
}

static assay_status sqlite_connect(assay_db **out, const assay_db_source *source, assay_errinfo *err)
{
    *out = NULL;
    sqlite_db *d = assay_mem_alloc(1, sizeof *d);
    if (!d) return ASSAY_FAIL(err, ASSAY_ENOMEM, source->name, "out of memory");
    d->base.driver = &assay_db_sqlite;
    d->source = source;
    const int rc = sqlite3_open_v2(source->where, &d->h, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (d->h) (void)sqlite3_extended_result_codes(d->h, 1);
    assay_status s = rc == SQLITE_OK ? configure(d, err) : fail_of(d, rc, err);
    if (s != ASSAY_OK) {
        sqlite_close(&d->base);
        return s;
    }
    *out = &d->base;
    return ASSAY_OK;
}

static assay_status sqlite_settle(assay_db *db, assay_errinfo *err)
{
    sqlite_db *d = own(db);
    sqlite3_stmt *s = NULL;
    int rc = sqlite3_prepare_v2(d->h, "PRAGMA journal_mode = WAL", -1, &s, NULL);
    if (rc == SQLITE_OK) rc = sqlite3_step(s);
    const bool wal = rc == SQLITE_ROW && sqlite3_stricmp((const char *)sqlite3_column_text(s, 0), "wal") == 0;
    assay_status status = ASSAY_OK;
    if (rc != SQLITE_ROW)
        status = fail_of(d, rc, err);
    else if (!wal)
        status = ASSAY_FAIL(err, ASSAY_EIO, d->source->name, "this file system cannot hold a write-ahead log");
    (void)sqlite3_finalize(s);
    return status;
}

static assay_status sqlite_ready(assay_db *db, assay_errinfo *err)
{
    (void)db;
    (void)err;
    return ASSAY_OK;
}

static bool sqlite_again(assay_db *db)
{
    (void)db;
    return false;
}

/* ---- statements */

static void sqlite_done(assay_db *db)
{
    sqlite_db *d = own(db);
    if (!d->current) return;
    (void)sqlite3_reset(d->current); /* its failure was reported by step */
    (void)sqlite3_clear_bindings(d->current);
    d->current = NULL;
    d->has_row = d->taken = false;
}

static int bind(sqlite3_stmt *s, size_t number, const assay_db_value *v)
{
    char name[24];
    (void)snprintf(name, sizeof name, "$%zu", number);
    const int at = sqlite3_bind_parameter_index(s, name);
    if (at == 0) return SQLITE_RANGE;
    if (v->kind == ASSAY_DB_INT) return sqlite3_bind_int64(s, at, v->i);
    if (v->kind == ASSAY_DB_TEXT) return sqlite3_bind_text64(s, at, v->p, v->n, SQLITE_STATIC, SQLITE_UTF8);
    return sqlite3_bind_blob64(s, at, v->p, v->n, SQLITE_STATIC);
}

/* The next row, if any. */
static assay_status step(sqlite_db *d, assay_errinfo *err)
{
    const int rc = sqlite3_step(d->current);
    d->has_row = rc == SQLITE_ROW;
    d->taken = false;
    if (rc == SQLITE_ROW || rc == SQLITE_DONE) return ASSAY_OK;
    const assay_status s = fail_of(d, rc, err);
    sqlite_done(&d->base);
    return s;
}

static assay_status sqlite_run(assay_db *db, assay_sql sql, const assay_db_value *v, size_t n, assay_errinfo *err)
{
    sqlite_db *d = own(db);
    assay_sql_lock lock;
    sqlite_done(db);
    int rc = SQLITE_OK;
    if (!d->statements[sql])
        rc = sqlite3_prepare_v3(d->h, assay_sql_text(sql, &lock), -1, SQLITE_PREPARE_PERSISTENT, &d->statements[sql],
                                NULL);
    if (rc == SQLITE_OK) d->current = d->statements[sql];
    for (size_t i = 0; rc == SQLITE_OK && i < n; i++) rc = bind(d->current, i + 1, &v[i]);
    if (rc == SQLITE_OK) return step(d, err);
    const assay_status s = fail_of(d, rc, err);
    sqlite_done(db);
    return s;
}

static assay_status sqlite_next(assay_db *db, bool *row, assay_errinfo *err)
{
    sqlite_db *d = own(db);
    *row = false;
    if (!d->current) return ASSAY_OK;
    if (d->has_row && d->taken) {
        const assay_status s = step(d, err);
        if (s != ASSAY_OK) return s;
    }
    *row = d->has_row;
    d->taken = true;
    if (!d->has_row) sqlite_done(db);
    return ASSAY_OK;
}

static int64_t sqlite_i64(assay_db *db, unsigned column)
{
    return sqlite3_column_int64(own(db)->current, (int)column);
}

static const uint8_t *sqlite_bytes(assay_db *db, unsigned column, size_t *n)
{
    sqlite3_stmt *s = own(db)->current;
    const uint8_t *p = sqlite3_column_blob(s, (int)column);
    *n = p ? (size_t)sqlite3_column_bytes(s, (int)column) : 0;
    return p;
}

/* The lock is looked at before each write: whoever removed it may have started another daemon. */
static assay_status sqlite_begin(assay_db *db, assay_errinfo *err)
{
    const assay_db_source *source = own(db)->source;
    if (!assay_lock_held(&source->lock, source->lock_path))
        return ASSAY_FAIL(err, ASSAY_EIO, source->name,
                          "its lock file was removed: end all daemons on this queue, then start one");
    return sqlite_text(db, "BEGIN IMMEDIATE", NULL, err);
}

static assay_status sqlite_commit(assay_db *db, bool changed, assay_errinfo *err)
{
    (void)changed;
    return sqlite_text(db, "COMMIT", NULL, err);
}

static void sqlite_rollback(assay_db *db)
{
    sqlite_done(db);
    if (!sqlite3_get_autocommit(own(db)->h)) (void)sqlite_text(db, "ROLLBACK", NULL, NULL);
}

const assay_db_driver assay_db_sqlite = {
    .shared = false,
    .least = 2,
    .objects = "SELECT count(*) FROM sqlite_master",
    .versions = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'assay_version'",
    .schema = assay_sqlite_schema,
    .max_bytes = MAX_BYTES,
    .source = source_open,
    .leave = source_leave,
    .connect = sqlite_connect,
    .close = sqlite_close,
    .settle = sqlite_settle,
    .ready = sqlite_ready,
    .again = sqlite_again,
    .begin = sqlite_begin,
    .commit = sqlite_commit,
    .rollback = sqlite_rollback,
    .text = sqlite_text,
    .run = sqlite_run,
    .next = sqlite_next,
    .i64 = sqlite_i64,
    .bytes = sqlite_bytes,
    .done = sqlite_done,
};

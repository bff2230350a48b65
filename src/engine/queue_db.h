/* SPDX-License-Identifier: Apache-2.0 */
/* What the queue needs of a database: connections, prepared statements, transactions. SQLite and PostgreSQL fill the
 * table of functions; everything about jobs is written once above it. */
#ifndef ASSAY_ENGINE_QUEUE_DB_H
#define ASSAY_ENGINE_QUEUE_DB_H

#include "base/file.h"
#include "engine/queue.h"
#include "engine/queue_sql.h"

/* A parameter of a statement. Borrowed. */
typedef struct assay_db_value {
    enum { ASSAY_DB_INT, ASSAY_DB_TEXT, ASSAY_DB_BYTES } kind;
    int64_t i;
    const void *p; /* not NULL for texts and bytes */
    size_t n;
} assay_db_value;

static inline assay_db_value assay_db_int(int64_t i)
{
    const assay_db_value v = {ASSAY_DB_INT, i, NULL, 0};
    return v;
}
static inline assay_db_value assay_db_bytes(const void *p, size_t n)
{
    const assay_db_value v = {ASSAY_DB_BYTES, 0, n ? p : "", n};
    return v;
}
assay_db_value assay_db_text(const char *text);

/* Two clocks in Unix milliseconds: the time of day, and one that is never set, for leases. PostgreSQL has its own. */
typedef struct assay_db_clock {
    uint64_t (*now)(void *ctx);
    uint64_t (*lease_now)(void *ctx);
    void *ctx;
} assay_db_clock;

/* Where the database is: what its connections share. */
typedef struct assay_db_source {
    char name[200];  /* for messages: a path, or a URL without user and password */
    char *where;     /* a path that is absolute, or the URL. Secret: it may hold a password */
    char *lock_path; /* of SQLite */
    assay_lock lock;
    assay_db_clock clock;
} assay_db_source;

typedef struct assay_db_watch assay_db_watch;
typedef struct assay_db_driver assay_db_driver;
typedef struct assay_db {
    const assay_db_driver *driver;
} assay_db;

/* One connection is used by one thread at a time. Failures name the source and never show parameters. Errors
 * everywhere: ASSAY_EIO, ASSAY_ENOMEM, ASSAY_EFORMAT (the database is damaged). */
struct assay_db_driver {
    bool shared;               /* other processes may use the database too */
    unsigned least;            /* connections: the first one writes; of a shared database any does */
    const char *guard;         /* statement: keeps others from making the schema at the same time; may be NULL */
    const char *objects;       /* statement: how many things there are where ours would be; 0: nothing */
    const char *versions;      /* statement: how many tables of versions there are */
    const char *const *schema; /* statements that make everything; NULL ends them */
    size_t max_bytes;          /* of one value */

    /* Fills all of *source but the clock; also takes what keeps others out. ASSAY_EBUSY. */
    assay_status (*source)(assay_db_source *source, const char *where, assay_errinfo *err);
    void (*leave)(assay_db_source *source);

    assay_status (*connect)(assay_db **out, const assay_db_source *source, assay_errinfo *err);
    void (*close)(assay_db *db); /* NULL is fine */
    /* After the schema is known to be ours: what changes the database's way of working. */
    assay_status (*settle)(assay_db *db, assay_errinfo *err);
    /* Before each use: connects anew if the connection was lost. */
    assay_status (*ready)(assay_db *db, assay_errinfo *err);
    /* After a failure: whether the same transaction may do better now (connection lost, deadlock). */
    bool (*again)(assay_db *db);

    assay_status (*begin)(assay_db *db, assay_errinfo *err);
    assay_status (*commit)(assay_db *db, bool changed, assay_errinfo *err); /* changed: tell others */
    void (*rollback)(assay_db *db);                                         /* if a transaction is open */
    /* One statement without parameters, and the first number that it gives (*v may not be asked for: NULL). */
    assay_status (*text)(assay_db *db, const char *statement, int64_t *v, assay_errinfo *err);

    /* Runs a statement with parameters $1, ..., $n; its rows are taken with next until *row is false, or given up with
     * done. Bytes of a row are borrowed until the next call. */
    assay_status (*run)(assay_db *db, assay_sql sql, const assay_db_value *v, size_t n, assay_errinfo *err);
    assay_status (*next)(assay_db *db, bool *row, assay_errinfo *err);
    int64_t (*i64)(assay_db *db, unsigned column);
    const uint8_t *(*bytes)(assay_db *db, unsigned column, size_t *n);
    void (*done)(assay_db *db);

    /* News of other processes; NULL where there are none. The watch is the source's own connection. */
    assay_status (*watch)(assay_db_watch **out, const assay_db_source *source, assay_errinfo *err);
    int (*watch_fd)(const assay_db_watch *w);
    void (*watch_quiet)(assay_db_watch *w); /* takes what has come; never blocks */
    void (*watch_mend)(assay_db_watch *w);  /* connects anew if the connection was lost */
    void (*watch_close)(assay_db_watch *w);
};

extern const assay_db_driver assay_db_sqlite, assay_db_postgres;

#endif

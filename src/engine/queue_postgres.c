/* SPDX-License-Identifier: Apache-2.0 */
/* PostgreSQL by libpq: statements and transactions. All that goes either way is binary. Times and leases are the
 * server's clock's, so that a machine whose clock is wrong can take no job away from another. */
#include "engine/queue_postgres.h"
#include "base/mem.h"
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARAMETERS = 8, STATEMENT = 1000, INT8 = 20, TEXT = 25, BYTEA = 17 /* of pg_type */ };

typedef struct postgres_db {
    assay_db base;
    const assay_db_source *source;
    PGconn *c;
    bool prepared[ASSAY_SQLS];
    PGresult *r; /* of the current statement; rows before `at` have been handed out */
    int at;
    bool again; /* what the last failure says */
} postgres_db;

static postgres_db *own(assay_db *db)
{
    return (postgres_db *)(void *)db;
}

static assay_status fail_of(postgres_db *d, const PGresult *r, assay_errinfo *err)
{
    bool lost = false;
    const assay_status s = assay_postgres_fail(d->source, d->c, r, &lost, &d->again, err);
    if (lost) {
        PQfinish(d->c);
        d->c = NULL;
    }
    return s;
}

/* ---- connections */

static void postgres_done(assay_db *db)
{
    postgres_db *d = own(db);
    if (!d->r) return;
    /* Inputs are secret. What passed through libpq's own buffers is beyond reach. */
    for (int row = 0; row < PQntuples(d->r); row++)
        for (int column = 0; column < PQnfields(d->r); column++)
            if (PQftype(d->r, column) == BYTEA)
                assay_mem_wipe(PQgetvalue(d->r, row, column), (size_t)PQgetlength(d->r, row, column));
    PQclear(d->r);
    d->r = NULL;
}

static void postgres_close(assay_db *db)
{
    if (!db) return;
    postgres_done(db);
    PQfinish(own(db)->c);
    assay_mem_free(db);
}

static assay_status postgres_connect(assay_db **out, const assay_db_source *source, assay_errinfo *err)
{
    *out = NULL;
    postgres_db *d = assay_mem_alloc(1, sizeof *d);
    if (!d) return ASSAY_FAIL(err, ASSAY_ENOMEM, source->name, "out of memory");
    d->base.driver = &assay_db_postgres;
    d->source = source;
    const assay_status s = assay_postgres_connect(&d->c, source, err);
    if (s != ASSAY_OK) {
        assay_mem_free(d);
        return s;
    }
    *out = &d->base;
    return ASSAY_OK;
}

static assay_status postgres_settle(assay_db *db, assay_errinfo *err)
{
    (void)db;
    (void)err;
    return ASSAY_OK;
}

static assay_status postgres_ready(assay_db *db, assay_errinfo *err)
{
    postgres_db *d = own(db);
    d->again = false;
    if (d->c) return ASSAY_OK;
    memset(d->prepared, 0, sizeof d->prepared);
    return assay_postgres_connect(&d->c, d->source, err);
}

static bool postgres_again(assay_db *db)
{
    return own(db)->again;
}

/* ---- statements */

static assay_status postgres_text(assay_db *db, const char *statement, int64_t *v, assay_errinfo *err)
{
    postgres_db *d = own(db);
    postgres_done(db);
    PGresult *r = PQexec(d->c, statement);
    const ExecStatusType got = PQresultStatus(r);
    assay_status s = ASSAY_OK;
    if (got != PGRES_COMMAND_OK && got != PGRES_TUPLES_OK)
        s = fail_of(d, r, err);
    else if (v)
        *v = PQntuples(r) > 0 ? strtoll(PQgetvalue(r, 0, 0), NULL, 10) : 0;
    PQclear(r);
    return s;
}

/* The parameters as libpq wants them; numbers are made in `room`. */
typedef struct parameters {
    Oid types[PARAMETERS];
    const char *values[PARAMETERS];
    int lengths[PARAMETERS], formats[PARAMETERS];
    uint8_t room[PARAMETERS][8];
} parameters;

static void fill_parameters(parameters *p, const assay_db_value *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        p->formats[i] = 1;
        if (v[i].kind == ASSAY_DB_INT) {
            for (int b = 0; b < 8; b++) p->room[i][b] = (uint8_t)((uint64_t)v[i].i >> (56 - 8 * b));
            p->types[i] = INT8;
            p->values[i] = (const char *)p->room[i];
            p->lengths[i] = 8;
        } else {
            p->types[i] = v[i].kind == ASSAY_DB_TEXT ? TEXT : BYTEA;
            p->values[i] = v[i].p;
            p->lengths[i] = (int)v[i].n;
        }
    }
}

static assay_status prepare(postgres_db *d, assay_sql sql, const char *name, const parameters *p, size_t n,
                            assay_errinfo *err)
{
    static const char *const locks[] = {"", " FOR UPDATE", " FOR UPDATE SKIP LOCKED"};
    char text[STATEMENT];
    assay_sql_lock lock;
    const char *plain = assay_sql_text(sql, &lock);
    const int length = snprintf(text, sizeof text, "%s%s", plain, locks[lock]);
    if (length < 0 || length >= STATEMENT)
        return ASSAY_FAIL1(err, ASSAY_EINTERNAL, name, "a statement is too long", length);
    PGresult *r = PQprepare(d->c, name, text, (int)n, p->types);
    const assay_status s = PQresultStatus(r) == PGRES_COMMAND_OK ? ASSAY_OK : fail_of(d, r, err);
    d->prepared[sql] = s == ASSAY_OK;
    PQclear(r);
    return s;
}

static assay_status postgres_run(assay_db *db, assay_sql sql, const assay_db_value *v, size_t n, assay_errinfo *err)
{
    postgres_db *d = own(db);
    parameters p;
    char name[16];
    postgres_done(db);
    if (n > PARAMETERS) return ASSAY_FAIL1(err, ASSAY_EINTERNAL, "queue", "too many parameters", n);
    fill_parameters(&p, v, n);
    (void)snprintf(name, sizeof name, "assay_%d", (int)sql);
    const assay_status s = d->prepared[sql] ? ASSAY_OK : prepare(d, sql, name, &p, n, err);
    if (s != ASSAY_OK) return s;
    d->r = PQexecPrepared(d->c, name, (int)n, p.values, p.lengths, p.formats, 1);
    d->at = 0;
    const ExecStatusType got = PQresultStatus(d->r);
    if (got == PGRES_COMMAND_OK || got == PGRES_TUPLES_OK) return ASSAY_OK;
    const assay_status failed = fail_of(d, d->r, err);
    postgres_done(db);
    return failed;
}

static assay_status postgres_next(assay_db *db, bool *row, assay_errinfo *err)
{
    postgres_db *d = own(db);
    (void)err;
    *row = d->r && d->at < PQntuples(d->r);
    if (*row)
        d->at++;
    else
        postgres_done(db);
    return ASSAY_OK;
}

static int64_t postgres_i64(assay_db *db, unsigned column)
{
    const postgres_db *d = own(db);
    const int c = (int)column;
    if (PQgetisnull(d->r, d->at - 1, c) || PQgetlength(d->r, d->at - 1, c) != 8) return 0;
    const uint8_t *p = (const uint8_t *)PQgetvalue(d->r, d->at - 1, c);
    uint64_t v = 0;
    for (int i = 0; i < 8; i++) v = v << 8 | p[i];
    int64_t out;
    memcpy(&out, &v, sizeof out);
    return out;
}

static const uint8_t *postgres_bytes(assay_db *db, unsigned column, size_t *n)
{
    const postgres_db *d = own(db);
    const int c = (int)column;
    *n = PQgetisnull(d->r, d->at - 1, c) ? 0 : (size_t)PQgetlength(d->r, d->at - 1, c);
    return (const uint8_t *)PQgetvalue(d->r, d->at - 1, c);
}

/* ---- transactions */

static assay_status postgres_begin(assay_db *db, assay_errinfo *err)
{
    return postgres_text(db, "BEGIN", NULL, err);
}

static assay_status postgres_commit(assay_db *db, bool changed, assay_errinfo *err)
{
    postgres_db *d = own(db);
    postgres_done(db);
    PGresult *r = PQexec(d->c, changed ? "NOTIFY " ASSAY_POSTGRES_CHANNEL "; COMMIT" : "COMMIT");
    assay_status s = ASSAY_OK;
    if (PQresultStatus(r) != PGRES_COMMAND_OK)
        s = fail_of(d, r, err);
    else if (strcmp(PQcmdStatus(r), "COMMIT") != 0) /* the answer to COMMIT after a failure is ROLLBACK */
        s = ASSAY_FAIL(err, ASSAY_EIO, d->source->name, "the server rolled the transaction back");
    PQclear(r);
    return s;
}

static void postgres_rollback(assay_db *db)
{
    postgres_db *d = own(db);
    postgres_done(db);
    if (!d->c || PQtransactionStatus(d->c) == PQTRANS_IDLE) return;
    PGresult *r = PQexec(d->c, "ROLLBACK");
    if (PQresultStatus(r) != PGRES_COMMAND_OK) { /* then the server does it, by losing the connection */
        PQfinish(d->c);
        d->c = NULL;
    }
    PQclear(r);
}

const assay_db_driver assay_db_postgres = {
    .shared = true,
    .guard = "SELECT pg_advisory_xact_lock(7093281960371)", /* two daemons that begin at once */
    .objects = "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
               "WHERE n.nspname = 'assay'",
    .versions = "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
                "WHERE n.nspname = 'assay' AND c.relname = 'assay_version'",
    .schema = assay_postgres_schema,
    .max_bytes = 1000000000, /* 2^30 is the server's, for a whole message */
    .source = assay_postgres_source,
    .leave = assay_postgres_leave,
    .connect = postgres_connect,
    .close = postgres_close,
    .settle = postgres_settle,
    .ready = postgres_ready,
    .again = postgres_again,
    .begin = postgres_begin,
    .commit = postgres_commit,
    .rollback = postgres_rollback,
    .text = postgres_text,
    .run = postgres_run,
    .next = postgres_next,
    .i64 = postgres_i64,
    .bytes = postgres_bytes,
    .done = postgres_done,
    .watch = assay_postgres_watch,
    .watch_fd = assay_postgres_watch_fd,
    .watch_quiet = assay_postgres_watch_quiet,
    .watch_mend = assay_postgres_watch_mend,
    .watch_close = assay_postgres_watch_close,
};

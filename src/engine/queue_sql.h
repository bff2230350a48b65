/* SPDX-License-Identifier: Apache-2.0 */
/* The queue's statements: one text for both dialects. */
#ifndef ASSAY_ENGINE_QUEUE_SQL_H
#define ASSAY_ENGINE_QUEUE_SQL_H

#include <stdbool.h>
#include <stddef.h>

enum { ASSAY_QUEUE_VERSION = 1 }; /* of the schema */

typedef enum assay_sql {
    ASSAY_SQL_VERSION,
    ASSAY_SQL_SET_VERSION,
    ASSAY_SQL_INSERT_JOB,
    ASSAY_SQL_INSERT_INPUT,
    ASSAY_SQL_INSERT_RESULT,
    ASSAY_SQL_DIGEST,
    ASSAY_SQL_WAITING,
    ASSAY_SQL_TALLY_ADD,
    ASSAY_SQL_TALLY,
    ASSAY_SQL_CLAIM,
    ASSAY_SQL_CLAIMED,
    ASSAY_SQL_INPUT,
    ASSAY_SQL_RESULT,
    ASSAY_SQL_HEARTBEAT,
    ASSAY_SQL_LOCK_HELD,
    ASSAY_SQL_LOCK,
    ASSAY_SQL_HAD,
    ASSAY_SQL_END,
    ASSAY_SQL_TIMES,
    ASSAY_SQL_BACK,
    ASSAY_SQL_ASK_CANCEL,
    ASSAY_SQL_DELETE_INPUT,
    ASSAY_SQL_DELETE_RESULT,
    ASSAY_SQL_DELETE_JOB,
    ASSAY_SQL_RUNNING,
    ASSAY_SQL_LEASES,
    ASSAY_SQL_DEADLINES,
    ASSAY_SQL_OLD,
    ASSAY_SQL_HEADS,
    ASSAY_SQL_RECENT,
    ASSAY_SQL_GET,
    ASSAY_SQL_BEFORE,
    ASSAY_SQLS
} assay_sql;

/* Rows that a statement reads for a transaction that will change them are locked where others could change them too. */
typedef enum assay_sql_lock { ASSAY_SQL_FREE, ASSAY_SQL_FOR_UPDATE, ASSAY_SQL_SKIP_LOCKED } assay_sql_lock;

const char *assay_sql_text(assay_sql sql, assay_sql_lock *lock);

/* The tables, for both dialects: NULL ends each list. Statements of SQLite's are in its only schema, of PostgreSQL's in
 * the schema `assay`. */
extern const char *const assay_sqlite_schema[], *const assay_postgres_schema[];

#endif

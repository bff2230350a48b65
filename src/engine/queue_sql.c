/* SPDX-License-Identifier: Apache-2.0 */
/* The texts. States and kinds are the numbers of engine/job.h: 1 queued, 2 running, 3 and above ended. They stand in
 * the texts because indexes that hold only such rows are used only for queries that say so in as many words.
 *
 * `assay_now()` and `assay_lease_now()` are functions that each database is given: PostgreSQL's own clock, or this
 * process's. */
#include "engine/queue_sql.h"

#define VIEW                                                                                                           \
    "SELECT arrival, id, kind, subject, priority, state, sequence, attempts, submitted, started, ended, deadline, "    \
    "queue_wait, load, synthesis, prove, verify, total, peak_bytes, error FROM jobs "
#define ROW "SELECT arrival, kind, state, attempts, cancel FROM jobs "

static const struct {
    const char *text;
    assay_sql_lock lock;
} statements[ASSAY_SQLS] = {
    [ASSAY_SQL_VERSION] = {"SELECT version FROM assay_version", ASSAY_SQL_FREE},
    [ASSAY_SQL_SET_VERSION] = {"INSERT INTO assay_version (version) VALUES ($1)", ASSAY_SQL_FREE},

    [ASSAY_SQL_INSERT_JOB] = {"INSERT INTO jobs (id, digest, kind, subject, priority, deadline, submitted) "
                              "VALUES ($1, $2, $3, $4, $5, $6, assay_now()) ON CONFLICT (id) DO NOTHING "
                              "RETURNING arrival",
                              ASSAY_SQL_FREE},
    [ASSAY_SQL_INSERT_INPUT] = {"INSERT INTO inputs (job, data) VALUES ($1, $2)", ASSAY_SQL_FREE},
    [ASSAY_SQL_INSERT_RESULT] = {"INSERT INTO results (job, data) VALUES ($1, $2)", ASSAY_SQL_FREE},
    [ASSAY_SQL_DIGEST] = {"SELECT digest FROM jobs WHERE id = $1", ASSAY_SQL_FREE},

    [ASSAY_SQL_WAITING] = {"SELECT CAST(coalesce(sum(waiting), 0) AS bigint) FROM tally", ASSAY_SQL_FREE},
    [ASSAY_SQL_TALLY_ADD] = {"INSERT INTO tally (kind, waiting, running, completed, failed, cancelled) "
                             "VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (kind) DO UPDATE SET "
                             "waiting = tally.waiting + excluded.waiting, running = tally.running + excluded.running, "
                             "completed = tally.completed + excluded.completed, "
                             "failed = tally.failed + excluded.failed, "
                             "cancelled = tally.cancelled + excluded.cancelled",
                             ASSAY_SQL_FREE},
    [ASSAY_SQL_TALLY] = {"SELECT kind, waiting, running, completed, failed, cancelled FROM tally", ASSAY_SQL_FREE},

    [ASSAY_SQL_CLAIM] = {"UPDATE jobs SET state = 2, attempts = attempts + 1, sequence = sequence + 1, cancel = 0, "
                         "token = $2, owner = $3, lease_until = assay_lease_now() + $4, started = assay_now() "
                         "WHERE id = $1 AND state = 1 RETURNING arrival, kind",
                         ASSAY_SQL_FREE},
    [ASSAY_SQL_CLAIMED] = {"SELECT arrival, kind FROM jobs WHERE id = $1 AND token = $2 AND state = 2", ASSAY_SQL_FREE},
    [ASSAY_SQL_INPUT] = {"SELECT data FROM inputs WHERE job = $1", ASSAY_SQL_FREE},
    [ASSAY_SQL_RESULT] = {"SELECT data FROM results WHERE job = $1", ASSAY_SQL_FREE},
    [ASSAY_SQL_HEARTBEAT] = {"UPDATE jobs SET lease_until = assay_lease_now() + $3 "
                             "WHERE id = $1 AND token = $2 AND state = 2 RETURNING cancel",
                             ASSAY_SQL_FREE},

    [ASSAY_SQL_LOCK_HELD] = {ROW "WHERE id = $1 AND token = $2 AND state = 2", ASSAY_SQL_FOR_UPDATE},
    [ASSAY_SQL_LOCK] = {ROW "WHERE id = $1", ASSAY_SQL_FOR_UPDATE},
    [ASSAY_SQL_HAD] = {"SELECT state FROM jobs WHERE id = $1 AND token = $2", ASSAY_SQL_FREE},
    [ASSAY_SQL_END] = {"UPDATE jobs SET state = $2, sequence = sequence + 1, ended = assay_now(), error = $3, "
                       "lease_until = 0, token = CASE WHEN $4 = 1 THEN token END WHERE arrival = $1",
                       ASSAY_SQL_FREE},
    [ASSAY_SQL_TIMES] = {"UPDATE jobs SET queue_wait = $2, load = $3, synthesis = $4, prove = $5, verify = $6, "
                         "total = $7, peak_bytes = $8 WHERE arrival = $1",
                         ASSAY_SQL_FREE},
    [ASSAY_SQL_BACK] = {"UPDATE jobs SET state = 1, sequence = sequence + 1, attempts = $2, lease_until = 0, "
                        "token = CASE WHEN $3 = 1 THEN token END WHERE arrival = $1",
                        ASSAY_SQL_FREE},
    [ASSAY_SQL_ASK_CANCEL] = {"UPDATE jobs SET cancel = 1, sequence = sequence + 1 WHERE arrival = $1", ASSAY_SQL_FREE},
    [ASSAY_SQL_DELETE_INPUT] = {"DELETE FROM inputs WHERE job = $1", ASSAY_SQL_FREE},
    [ASSAY_SQL_DELETE_RESULT] = {"DELETE FROM results WHERE job = $1", ASSAY_SQL_FREE},
    [ASSAY_SQL_DELETE_JOB] = {"DELETE FROM jobs WHERE arrival = $1", ASSAY_SQL_FREE},

    [ASSAY_SQL_RUNNING] = {ROW "WHERE state = 2 ORDER BY lease_until LIMIT $1", ASSAY_SQL_SKIP_LOCKED},
    [ASSAY_SQL_LEASES] = {ROW "WHERE state = 2 AND lease_until <= assay_lease_now() ORDER BY lease_until LIMIT $1",
                          ASSAY_SQL_SKIP_LOCKED},
    [ASSAY_SQL_DEADLINES] = {ROW "WHERE state = 1 AND deadline <= assay_now() ORDER BY deadline LIMIT $1",
                             ASSAY_SQL_SKIP_LOCKED},
    [ASSAY_SQL_OLD] = {ROW "WHERE state >= 3 AND ended <= assay_now() - $2 ORDER BY ended LIMIT $1",
                       ASSAY_SQL_SKIP_LOCKED},

    [ASSAY_SQL_HEADS] = {VIEW "WHERE state = 1 ORDER BY priority DESC, deadline, arrival LIMIT $1", ASSAY_SQL_FREE},
    [ASSAY_SQL_RECENT] = {VIEW "WHERE state >= 3 ORDER BY ended DESC, arrival DESC LIMIT $1", ASSAY_SQL_FREE},
    [ASSAY_SQL_GET] = {VIEW "WHERE id = $1", ASSAY_SQL_FREE},
    [ASSAY_SQL_BEFORE] = {"SELECT (SELECT count(*) FROM jobs WHERE state = 1 AND priority > $1) + "
                          "(SELECT count(*) FROM jobs WHERE state = 1 AND priority = $1 AND deadline < $2) + "
                          "(SELECT count(*) FROM jobs WHERE state = 1 AND priority = $1 AND deadline = $2 "
                          "AND arrival < $3)",
                          ASSAY_SQL_FREE},
};

const char *assay_sql_text(assay_sql sql, assay_sql_lock *lock)
{
    *lock = statements[sql].lock;
    return statements[sql].text;
}

/* ---- tables. deadline: 2^63 - 1 is none. Inputs and results have tables of their own, so that a job can be changed
 * without its bytes being written again. tally: how many jobs of a kind there are in each state, kept in the
 * transaction that changes it, so that nobody counts a million rows. */

#define SCHEMA(arrival, key)                                                                                           \
    "CREATE TABLE assay_version (version bigint NOT NULL)",                                                            \
        "CREATE TABLE jobs (arrival " arrival ", id text NOT NULL UNIQUE, digest bytea NOT NULL, "                     \
        "kind bigint NOT NULL, subject text NOT NULL, priority bigint NOT NULL, deadline bigint NOT NULL, "            \
        "state bigint NOT NULL DEFAULT 1, sequence bigint NOT NULL DEFAULT 1, attempts bigint NOT NULL DEFAULT 0, "    \
        "cancel bigint NOT NULL DEFAULT 0, submitted bigint NOT NULL, started bigint NOT NULL DEFAULT 0, "             \
        "ended bigint NOT NULL DEFAULT 0, token bytea, owner text NOT NULL DEFAULT '', "                               \
        "lease_until bigint NOT NULL DEFAULT 0, error text NOT NULL DEFAULT '', queue_wait bigint NOT NULL DEFAULT 0," \
        " load bigint NOT NULL DEFAULT 0, synthesis bigint NOT NULL DEFAULT 0, prove bigint NOT NULL DEFAULT 0, "      \
        "verify bigint NOT NULL DEFAULT 0, total bigint NOT NULL DEFAULT 0, peak_bytes bigint NOT NULL DEFAULT 0)",    \
        "CREATE TABLE inputs (job " key ", data bytea NOT NULL)",                                                      \
        "CREATE TABLE results (job " key ", data bytea NOT NULL)",                                                     \
        "CREATE TABLE tally (kind bigint NOT NULL PRIMARY KEY, waiting bigint NOT NULL, running bigint NOT NULL, "     \
        "completed bigint NOT NULL, failed bigint NOT NULL, cancelled bigint NOT NULL)",                               \
        "CREATE INDEX jobs_waiting ON jobs (priority DESC, deadline, arrival) WHERE state = 1",                        \
        "CREATE INDEX jobs_deadlines ON jobs (deadline) WHERE state = 1",                                              \
        "CREATE INDEX jobs_running ON jobs (lease_until) WHERE state = 2",                                             \
        "CREATE INDEX jobs_ended ON jobs (ended, arrival) WHERE state >= 3"

const char *const assay_sqlite_schema[] = {SCHEMA("INTEGER PRIMARY KEY AUTOINCREMENT", "INTEGER PRIMARY KEY"), NULL};

const char *const assay_postgres_schema[] = {
    /* Made by hand where the daemon's user may not make schemas. */
    "DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'assay') THEN CREATE SCHEMA assay; END IF; "
    "END $$",
    SCHEMA("bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY", "bigint PRIMARY KEY"),
    "ALTER TABLE inputs ALTER COLUMN data SET STORAGE EXTERNAL", /* witnesses do not compress */
    "CREATE FUNCTION assay_now() RETURNS bigint LANGUAGE sql STABLE AS "
    "'SELECT (extract(epoch FROM statement_timestamp()) * 1000)::bigint'",
    "CREATE FUNCTION assay_lease_now() RETURNS bigint LANGUAGE sql STABLE AS "
    "'SELECT (extract(epoch FROM statement_timestamp()) * 1000)::bigint'",
    NULL};

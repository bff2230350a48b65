/* SPDX-License-Identifier: Apache-2.0 */
/* What the two files on PostgreSQL share. */
#ifndef ASSAY_ENGINE_QUEUE_POSTGRES_H
#define ASSAY_ENGINE_QUEUE_POSTGRES_H

#include "engine/queue_db.h"

struct pg_conn; /* PGconn and PGresult of libpq-fe.h */
struct pg_result;

#define ASSAY_POSTGRES_CHANNEL "assay_jobs" /* NOTIFY says that some job changed */

/* Reads a URL and names it without user and password. ASSAY_EFORMAT. */
ASSAY_MUST_USE assay_status assay_postgres_source(assay_db_source *source, const char *where, assay_errinfo *err);
void assay_postgres_leave(assay_db_source *source);

/* A connection made ready for work: timeouts, schema path, durability. *out is NULL on failure. */
ASSAY_MUST_USE assay_status assay_postgres_connect(struct pg_conn **out, const assay_db_source *source,
                                                   assay_errinfo *err);

/* Fills err from a failed result (NULL: none came); lost: the connection is gone; again: the transaction may do better
 * now. Both may be NULL. */
assay_status assay_postgres_fail(const assay_db_source *source, struct pg_conn *c, const struct pg_result *r,
                                 bool *lost, bool *again, assay_errinfo *err);

/* News: a connection of its own that listens. */
ASSAY_MUST_USE assay_status assay_postgres_watch(assay_db_watch **out, const assay_db_source *source,
                                                 assay_errinfo *err);
int assay_postgres_watch_fd(const assay_db_watch *w);
void assay_postgres_watch_quiet(assay_db_watch *w);
void assay_postgres_watch_mend(assay_db_watch *w);
void assay_postgres_watch_close(assay_db_watch *w);

#endif

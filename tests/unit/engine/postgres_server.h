/* SPDX-License-Identifier: Apache-2.0 */
/* A PostgreSQL server of one's own in a temporary folder, on a unix socket, gone when the program ends. Run by root it
 * is started as the user postgres or nobody. */
#ifndef ASSAY_TESTS_POSTGRES_SERVER_H
#define ASSAY_TESTS_POSTGRES_SERVER_H

#include "unit/engine/queue_cases.h"
#include <libpq-fe.h>

#define POSTGRES_PASSWORD "s3cret/pass word"

/* Makes and starts it at the first call. False: it cannot be had here; *why says why, and whether that is a failure. */
bool postgres_have(const char **why, bool *failed);
/* postgresql://USER:PASSWORD@/DATABASE?host=FOLDER; static. */
const char *postgres_url(const char *user, const char *password, const char *database);
const char *postgres_usual_url(void);
void postgres_kill(void);  /* kill -9 of the postmaster */
void postgres_stop(void);  /* as an operator does */
bool postgres_start(void); /* again, and waits until it answers */
/* Statements by the superuser in a database; the first number, -1 on failure. */
int64_t postgres_sql(const char *database, const char *statements);

/* Queues in the database `assay`, with a clock of the test's. */
void postgres_place(queue_place *p);
/* The same, in real time. False: the test is to be left; it is marked as skipped or failed. */
bool postgres_begin(queue_place *p);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The queue over PostgreSQL: wrong URLs, other programs' databases, schemas made by hand, by several at once.
 * ctest: labels interop
 * ctest: uses unit/engine */
#define _DEFAULT_SOURCE
#include "engine/queue.h"
#include "unit/engine/postgres_server.h"
#include "unit/engine/queue_cases.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void check_open(const char *url, assay_status want, const char *words)
{
    queue_place p = {.shared = true};
    assay_queue *q = NULL;
    assay_errinfo err = {0};
    char text[400];
    (void)snprintf(p.where, sizeof p.where, "%s", url);
    const assay_queue_options o = queue_options(&p);
    CHECK_STATUS(assay_queue_open(&q, &o, &err), want);
    CHECK(q == NULL);
    assay_errinfo_text(&err, text, sizeof text);
    if (!CHECK(strstr(text, words) != NULL)) printf("  %s\n", text);
    CHECK(strstr(text, "s3cret") == NULL && strstr(text, "wr0ng") == NULL);
}

TEST(urls)
{
    queue_place p;
    if (!postgres_begin(&p)) return;
    check_open("postgresql://assay:wr0ng@[::1/x", ASSAY_EFORMAT, "the queue's URL cannot be read");
    check_open("postgresql://assay:wr0ng@/x?nonsense=wr0ng", ASSAY_EFORMAT, "the queue's URL cannot be read");
    check_open("postgresql://assay:wr0ng/x@127.0.0.1/db", ASSAY_EFORMAT, "/ is written %2F");
    check_open("postgresql://assay:12/wr0ng@127.0.0.1/db", ASSAY_EFORMAT, "/ is written %2F");
    check_open("postgresql://assay:wr0ng@127.0.0.1:1/x", ASSAY_EIO, "postgresql://127.0.0.1:1/x");
    check_open(postgres_url("assay", "wr0ng", "assay"), ASSAY_EIO, "password authentication failed");
    check_open(postgres_url("assay", POSTGRES_PASSWORD, "nowhere"), ASSAY_EIO, "does not exist");
}

TEST(databases_that_are_not_ours)
{
    queue_place p;
    if (!postgres_begin(&p)) return;
    CHECK(postgres_sql("assay", "CREATE SCHEMA assay AUTHORIZATION assay; CREATE TABLE assay.recipes (x int)") == 0);
    check_open(p.where, ASSAY_EFORMAT, "holds another program's tables");
    CHECK(p.fresh(&p));
    assay_queue_close(queue_open(&p));
    CHECK(postgres_sql("assay", "UPDATE assay_version SET version = 7") == 0);
    check_open(p.where, ASSAY_EUNSUPPORTED, "made by a newer Assay: schema version, and the newest known here (7, 1)");
    CHECK(postgres_sql("assay", "UPDATE assay_version SET version = 1; REVOKE ALL ON jobs, tally FROM assay;"
                                "ALTER TABLE jobs OWNER TO super") == 0);
    assay_queue *q = queue_open(&p);
    REQUIRE(q != NULL);
    const assay_job_spec a = queue_spec("a");
    const assay_job_spec *one = &a;
    assay_submit_outcome outcome;
    assay_errinfo err = {0};
    CHECK_STATUS(assay_queue_submit(q, &one, 1, &outcome, &err), ASSAY_EIO);
    CHECK(err.reason && strstr(err.reason, "may not do that") && strstr(err.subject, "permission denied"));
    assay_queue_close(q);
    if (postgres_sql("postgres", "SELECT 1 FROM pg_database WHERE datname = 'latin'") != 1)
        CHECK(postgres_sql("postgres", "CREATE DATABASE latin OWNER assay ENCODING 'LATIN1' TEMPLATE template0") == 0);
    check_open(postgres_url("assay", POSTGRES_PASSWORD, "latin"), ASSAY_EUNSUPPORTED, "encoding must be UTF8");
}

/* A user who may not make schemas, in a schema made for it. Inputs are not compressed. */
TEST(a_schema_made_by_hand)
{
    queue_place p;
    if (!postgres_begin(&p)) return;
    CHECK(postgres_sql("assay", "ALTER DATABASE assay OWNER TO super; REVOKE ALL ON DATABASE assay FROM assay") == 0);
    check_open(p.where, ASSAY_EIO, "may not do that");
    CHECK(postgres_sql("assay", "CREATE SCHEMA assay AUTHORIZATION assay") == 0);
    assay_queue *q = queue_open(&p);
    CHECK(q != NULL);
    CHECK_EQ_U64(postgres_sql("assay", "SELECT count(*) FROM pg_attribute WHERE attrelid = 'inputs'::regclass "
                                       "AND attname = 'data' AND attstorage = 'e'"),
                 1);
    assay_queue_close(q);
    CHECK(postgres_sql("assay", "ALTER DATABASE assay OWNER TO assay") == 0);
}

/* Whatever the database's owner prescribes for sessions, a commit is durable and read committed. */
TEST(settings_of_the_database)
{
    queue_place p;
    if (!postgres_begin(&p)) return;
    CHECK(postgres_sql("assay", "ALTER DATABASE assay SET synchronous_commit = off;"
                                "ALTER DATABASE assay SET search_path = public;"
                                "ALTER DATABASE assay SET default_transaction_isolation = serializable") == 0);
    assay_queue *q = queue_open(&p);
    REQUIRE(q != NULL);
    assay_db *db = q->connections[1];
    int64_t v = 0;
    CHECK_OK(db->driver->text(db,
                              "SELECT count(*) FROM pg_settings WHERE (name, setting) IN "
                              "(('synchronous_commit', 'on'), ('default_transaction_isolation', 'read committed'))",
                              &v, NULL));
    CHECK_EQ_U64(v, 2);
    const assay_job_spec a = queue_spec("a");
    CHECK_EQ_U64(queue_submit_one(q, &a), ASSAY_SUBMIT_NEW);
    CHECK_EQ_U64(postgres_sql("assay", "SELECT count(*) FROM assay.jobs"), 1); /* nowhere else */
    assay_queue_close(q);
    CHECK(postgres_sql("assay", "ALTER DATABASE assay RESET ALL") == 0);
}

static void *opener(void *arg)
{
    assay_queue *q = NULL;
    const assay_queue_options *o = arg;
    return assay_queue_open(&q, o, NULL) == ASSAY_OK ? q : NULL;
}

TEST(daemons_that_begin_at_once)
{
    enum { THREADS = 8 };
    queue_place p;
    pthread_t threads[THREADS];
    if (!postgres_begin(&p)) return;
    assay_queue_options o = queue_options(&p);
    for (int i = 0; i < THREADS; i++) REQUIRE(pthread_create(&threads[i], NULL, opener, &o) == 0);
    for (int i = 0; i < THREADS; i++) {
        void *q = NULL;
        CHECK(pthread_join(threads[i], &q) == 0 && q != NULL);
        assay_queue_close(q);
    }
    CHECK_EQ_U64(postgres_sql("assay", "SELECT count(*) FROM assay_version"), 1);
}

/* The lock of whoever makes the schema is waited for. */
TEST(a_schema_in_the_making)
{
    queue_place p;
    pthread_t thread;
    void *q = NULL;
    if (!postgres_begin(&p)) return;
    assay_queue_options o = queue_options(&p);
    PGconn *c = PQconnectdb(postgres_url("super", POSTGRES_PASSWORD, "assay"));
    char text[200];
    (void)snprintf(text, sizeof text, "BEGIN; %s", assay_db_postgres.guard);
    PQclear(PQexec(c, text));
    REQUIRE(pthread_create(&thread, NULL, opener, &o) == 0);
    (void)usleep(700000);
    CHECK_EQ_U64(postgres_sql("assay", "SELECT count(*) FROM pg_namespace WHERE nspname = 'assay'"), 0);
    PQclear(PQexec(c, "COMMIT"));
    PQfinish(c);
    CHECK(pthread_join(thread, &q) == 0 && q != NULL);
    assay_queue_close(q);
}

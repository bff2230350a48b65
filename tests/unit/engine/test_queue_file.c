/* SPDX-License-Identifier: Apache-2.0 */
/* The queue's SQLite file: whose it is, what may be in it, and that it is on disk when it should be. This program puts
 * itself between SQLite and fsync, to count and to refuse. */
#define _GNU_SOURCE
#include "engine/queue.h"
#include "unit/engine/queue_cases.h"
#include "unit/engine/queue_file.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned syncs;
static bool refuse_syncs;

__attribute__((visibility("default"))) int fdatasync(int fd);
__attribute__((visibility("default"))) int fsync(int fd);

static int sync_call(long number, int fd)
{
    syncs++;
    if (refuse_syncs) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(number, fd);
}
int fdatasync(int fd)
{
    return sync_call(SYS_fdatasync, fd);
}
int fsync(int fd)
{
    return sync_call(SYS_fsync, fd);
}

static void place(queue_place *p)
{
    queue_file_place(p);
}

static assay_status try_open(const queue_place *p, assay_queue **q, assay_errinfo *err)
{
    const assay_queue_options o = queue_options(p);
    memset(err, 0, sizeof *err);
    *q = NULL;
    return assay_queue_open(q, &o, err);
}

static bool write_file(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    return f && fwrite(bytes, 1, n, f) == n && fclose(f) == 0;
}

static bool run_sql(const char *path, const char *text)
{
    sqlite3 *h = NULL;
    const bool good = sqlite3_open(path, &h) == SQLITE_OK && sqlite3_exec(h, text, NULL, NULL, NULL) == SQLITE_OK;
    (void)sqlite3_close(h);
    return good;
}

TEST(only_for_the_owner)
{
    queue_place p;
    struct stat st;
    char path[420];
    static const char *const suffixes[] = {"", "-wal", "-shm", ".lock"};
    place(&p);
    (void)umask(0);
    assay_queue *q = queue_open(&p);
    REQUIRE(q != NULL);
    for (int i = 0; i < 4; i++) {
        (void)snprintf(path, sizeof path, "%s%s", p.where, suffixes[i]);
        CHECK(stat(path, &st) == 0 && (st.st_mode & 0777) == 0600);
    }
    CHECK(!assay_queue_shared(q) && assay_queue_event_fd(q) == -1);
    assay_queue_quiet(q);
    assay_queue_close(q);
    assay_queue_close(NULL);
    (void)umask(022);
}

TEST(one_daemon_at_a_time)
{
    queue_place p, other;
    assay_queue *second = NULL;
    assay_errinfo err;
    char text[400];
    place(&p);
    assay_queue *q = queue_open(&p);
    REQUIRE(q != NULL);
    CHECK_STATUS(try_open(&p, &second, &err), ASSAY_EBUSY);
    CHECK(second == NULL);
    CHECK(strstr(assay_errinfo_text(&err, text, sizeof text), "this queue is in use by another daemon") != NULL);
    /* Nor by another name. */
    place(&other);
    REQUIRE(symlink(p.where, other.where) == 0);
    CHECK_STATUS(try_open(&other, &second, &err), ASSAY_EBUSY);
    assay_queue_close(q);
    CHECK_OK(try_open(&other, &second, &err));
    CHECK_STATUS(try_open(&p, &q, &err), ASSAY_EBUSY);
    assay_queue_close(second);
}

/* Without the lock's file another daemon can begin; then this one writes no more. */
TEST(a_lock_that_was_removed)
{
    queue_place p;
    char path[420];
    assay_queue *second = NULL;
    assay_errinfo err = {0};
    assay_submit_outcome outcome;
    place(&p);
    assay_queue *q = queue_open(&p);
    REQUIRE(q != NULL);
    (void)snprintf(path, sizeof path, "%s.lock", p.where);
    REQUIRE(unlink(path) == 0);
    CHECK_OK(try_open(&p, &second, &err));
    const assay_job_spec a = queue_spec("a"), *one = &a;
    CHECK_STATUS(assay_queue_submit(q, &one, 1, &outcome, &err), ASSAY_EIO);
    CHECK(err.reason && strstr(err.reason, "lock file was removed") != NULL);
    CHECK_EQ_U64(queue_submit_one(second, &a), ASSAY_SUBMIT_NEW);
    assay_queue_close(q);
    CHECK_EQ_U64(queue_view(second, "a").state, ASSAY_JOB_QUEUED);
    assay_queue_close(second);
}

TEST(a_commit_is_synced_before_it_is_answered)
{
    queue_place p;
    uint8_t token[ASSAY_QUEUE_TOKEN];
    place(&p);
    assay_queue *q = queue_open(&p);
    REQUIRE(q != NULL);
    for (int i = 0; i < 5; i++) {
        char id[12];
        (void)snprintf(id, sizeof id, "%d", i);
        const assay_job_spec s = queue_spec(id);
        syncs = 0;
        CHECK_EQ_U64(queue_submit_one(q, &s), ASSAY_SUBMIT_NEW);
        CHECK(syncs >= 1);
        syncs = 0;
        CHECK(queue_claim(q, id, token));
        CHECK(syncs >= 1);
        syncs = 0;
        CHECK(queue_finish(q, id, token, ASSAY_JOB_COMPLETED));
        CHECK(syncs >= 1);
        syncs = 0;
        CHECK_EQ_U64(queue_view(q, id).state, ASSAY_JOB_COMPLETED); /* looking costs none */
        (void)queue_counts(q);
        CHECK_EQ_U64(syncs, 0);
    }
    assay_queue_close(q);
}

/* A batch that cannot be written is not in, wholly; the next one is, when there is room again. */
static void check_refused(queue_place *p, assay_queue *q, const char *words)
{
    static uint8_t bytes[1 << 20];
    const assay_blob blob = {bytes, sizeof bytes};
    assay_job_spec small = queue_spec("small"), large = queue_spec("large");
    const assay_job_spec *const two[] = {&small, &large};
    assay_submit_outcome outcomes[2] = {ASSAY_SUBMIT_NEW, ASSAY_SUBMIT_NEW};
    assay_errinfo err = {0};
    char text[400];
    large.inputs = &blob;
    large.n_inputs = 1;
    CHECK_STATUS(assay_queue_submit(q, two, 2, outcomes, &err), ASSAY_EIO);
    CHECK(outcomes[0] == ASSAY_SUBMIT_FAILED && outcomes[1] == ASSAY_SUBMIT_FAILED);
    assay_errinfo_text(&err, text, sizeof text);
    if (!CHECK(strstr(text, words) != NULL && strstr(text, p->where) == text)) printf("  %s\n", text);
    CHECK_EQ_U64(queue_view(q, "small").state, 0);
    CHECK_EQ_U64(queue_counts(q).waiting[ASSAY_JOB_GROTH16], 0);
}

static void check_goes_on(queue_place *p, assay_queue *q)
{
    const assay_job_spec small = queue_spec("small");
    uint8_t token[ASSAY_QUEUE_TOKEN];
    CHECK_EQ_U64(queue_submit_one(q, &small), ASSAY_SUBMIT_NEW);
    CHECK(queue_claim(q, "small", token));
    assay_queue_close(q);
    q = queue_open(p);
    REQUIRE(q != NULL);
    CHECK_EQ_U64(queue_view(q, "small").state, ASSAY_JOB_QUEUED);
    queue_check_tally(p, q);
    assay_queue_close(q);
}

TEST(a_file_that_may_not_grow)
{
    struct rlimit was, now;
    queue_place p;
    place(&p);
    assay_queue *q = queue_open(&p);
    REQUIRE(q != NULL && getrlimit(RLIMIT_FSIZE, &was) == 0);
    (void)signal(SIGXFSZ, SIG_IGN);
    now = was;
    now.rlim_cur = 300000;
    REQUIRE(setrlimit(RLIMIT_FSIZE, &now) == 0);
    check_refused(&p, q, "I/O error");
    REQUIRE(setrlimit(RLIMIT_FSIZE, &was) == 0);
    check_goes_on(&p, q);
}

TEST(a_full_disk)
{
    queue_place p;
    place(&p);
    assay_queue *q = queue_open(&p);
    REQUIRE(q != NULL);
    assay_db *writer = q->connections[0]; /* a limit of pages is to SQLite what a full disk is */
    CHECK_OK(writer->driver->text(writer, "PRAGMA max_page_count = 60", NULL, NULL));
    check_refused(&p, q, "no room: the disk is full");
    CHECK_OK(writer->driver->text(writer, "PRAGMA max_page_count = 1000000", NULL, NULL));
    check_goes_on(&p, q);
}

TEST(a_disk_that_does_not_sync)
{
    queue_place p;
    place(&p);
    assay_queue *q = queue_open(&p);
    REQUIRE(q != NULL);
    refuse_syncs = true;
    check_refused(&p, q, "I/O error");
    refuse_syncs = false;
    check_goes_on(&p, q);
}

/* ---- files that are no queue: refused and left as they are */

static void check_left_alone(const queue_place *p, assay_status want, const char *words)
{
    static uint8_t before[1 << 16], after[1 << 16];
    assay_queue *q = NULL;
    assay_errinfo err;
    char text[400];
    FILE *f = fopen(p->where, "rb");
    REQUIRE(f != NULL);
    const size_t n = fread(before, 1, sizeof before, f);
    (void)fclose(f);
    CHECK_STATUS(try_open(p, &q, &err), want);
    CHECK(q == NULL);
    assay_errinfo_text(&err, text, sizeof text);
    if (!CHECK(strstr(text, words) != NULL && strstr(text, p->where) == text)) printf("  %s\n", text);
    f = fopen(p->where, "rb");
    REQUIRE(f != NULL);
    CHECK_EQ_U64(fread(after, 1, sizeof after, f), n);
    (void)fclose(f);
    CHECK_EQ_MEM(before, after, n);
    /* And nobody is kept out of it. */
    CHECK_STATUS(try_open(p, &q, &err), want);
}

TEST(not_a_database)
{
    static const char text[] = "This is a letter to somebody, and not short: a header of SQLite's has 100 bytes, and "
                               "what is shorter than that is taken for nothing. So it goes on for some more lines.\n";
    queue_place p;
    place(&p);
    REQUIRE(write_file(p.where, text, sizeof text - 1));
    check_left_alone(&p, ASSAY_EFORMAT, "not a SQLite database");
}

TEST(another_programs_database)
{
    queue_place p;
    place(&p);
    REQUIRE(run_sql(p.where, "CREATE TABLE jobs (id text, recipe text); INSERT INTO jobs VALUES ('a', 'b')"));
    check_left_alone(&p, ASSAY_EFORMAT, "holds another program's tables");
}

TEST(versions)
{
    queue_place p;
    place(&p);
    assay_queue_close(queue_open(&p));
    REQUIRE(run_sql(p.where, "UPDATE assay_version SET version = 2; PRAGMA wal_checkpoint(TRUNCATE)"));
    check_left_alone(&p, ASSAY_EUNSUPPORTED, "made by a newer Assay: schema version, and the newest known here (2, 1)");
    REQUIRE(run_sql(p.where, "UPDATE assay_version SET version = 0"));
    check_left_alone(&p, ASSAY_EFORMAT, "has no version");
    REQUIRE(run_sql(p.where, "DELETE FROM assay_version"));
    check_left_alone(&p, ASSAY_EFORMAT, "has no version");
    REQUIRE(run_sql(p.where, "INSERT INTO assay_version VALUES (1); DROP TABLE jobs"));
    check_left_alone(&p, ASSAY_EFORMAT, "tables are not a queue's");
}

/* Any page overwritten: every call either works or says that the database is damaged. */
TEST(a_damaged_database)
{
    queue_place p;
    bool said = false;
    place(&p);
    assay_queue *q = queue_open(&p);
    REQUIRE(q != NULL);
    for (int i = 0; i < 40; i++) {
        char id[12];
        (void)snprintf(id, sizeof id, "%d", i);
        const assay_job_spec s = queue_spec(id);
        CHECK_EQ_U64(queue_submit_one(q, &s), ASSAY_SUBMIT_NEW);
    }
    assay_queue_close(q);
    static uint8_t whole[1 << 20];
    FILE *f = fopen(p.where, "rb");
    REQUIRE(f != NULL);
    const size_t n = fread(whole, 1, sizeof whole, f), pages = n / 4096;
    (void)fclose(f);
    REQUIRE(pages > 8 && n < sizeof whole);
    for (size_t page = 0; page < pages; page++) {
        static uint8_t bad[1 << 20];
        static assay_job_view views[50];
        assay_errinfo err;
        bool found;
        size_t n_views;
        memcpy(bad, whole, n);
        for (size_t i = 0; i < 200; i++) bad[4096 * page + (page == 0 ? 100 : 0) + i] = (uint8_t)assay_test_random();
        CHECK(p.fresh(&p));
        REQUIRE(write_file(p.where, bad, n));
        assay_status s = try_open(&p, &q, &err);
        if (s == ASSAY_OK) s = assay_queue_heads(q, views, 50, &n_views, &err);
        for (int i = 0; s == ASSAY_OK && i < 40; i++) {
            char id[12];
            assay_buffer inputs;
            uint8_t token[ASSAY_QUEUE_TOKEN];
            (void)snprintf(id, sizeof id, "%d", i);
            s = assay_queue_get(q, id, &found, views, NULL, &err);
            if (s == ASSAY_OK) s = assay_queue_claim(q, id, &found, token, &inputs, &err);
            if (s == ASSAY_OK) assay_buffer_free(&inputs);
        }
        if (s != ASSAY_OK) {
            said = true;
            CHECK_STATUS(s, ASSAY_EFORMAT);
            CHECK(err.reason != NULL);
        }
        assay_queue_close(q);
    }
    CHECK(said);
}

TEST(places_that_are_none)
{
    queue_place p;
    assay_queue *q;
    assay_errinfo err;
    place(&p);
    REQUIRE(mkdir(p.where, 0700) == 0);
    CHECK_STATUS(try_open(&p, &q, &err), ASSAY_EIO);
    place(&p);
    REQUIRE(mkfifo(p.where, 0600) == 0);
    CHECK_STATUS(try_open(&p, &q, &err), ASSAY_EIO); /* and does not hang */
    CHECK_EQ_STR(err.reason, "not a regular file");
    (void)snprintf(p.where, sizeof p.where, "%s/no/such/folder", assay_test_tmpdir());
    CHECK_STATUS(try_open(&p, &q, &err), ASSAY_EIO);
    CHECK(err.reason && strstr(err.subject, "/no/such/folder") != NULL);
}

/* Inputs are secret: their bytes are overwritten in the file when the job ends, not only given up. */
TEST(inputs_are_overwritten)
{
    static const char marker[] = "the witness that nobody may find";
    static uint8_t bytes[50000], whole[1 << 20];
    const assay_blob blob = {bytes, sizeof bytes};
    uint8_t token[ASSAY_QUEUE_TOKEN];
    queue_place p;
    for (size_t i = 0; i + sizeof marker <= sizeof bytes; i += sizeof marker) memcpy(bytes + i, marker, sizeof marker);
    place(&p);
    assay_queue *q = queue_open(&p);
    REQUIRE(q != NULL);
    assay_job_spec s = queue_spec("a");
    s.inputs = &blob;
    s.n_inputs = 1;
    CHECK_EQ_U64(queue_submit_one(q, &s), ASSAY_SUBMIT_NEW);
    for (int i = 0; i < 2; i++) {
        CHECK(i == 0 || (queue_claim(q, "a", token) && queue_finish(q, "a", token, ASSAY_JOB_COMPLETED)));
        REQUIRE(run_sql(p.where, "PRAGMA wal_checkpoint(TRUNCATE)")); /* the log comes round by itself, some time */
        FILE *f = fopen(p.where, "rb");
        REQUIRE(f != NULL);
        const size_t n = fread(whole, 1, sizeof whole, f);
        (void)fclose(f);
        CHECK((memmem(whole, n, marker, sizeof marker - 1) != NULL) == (i == 0));
    }
    assay_queue_close(q);
}

/* ---- every query is served by an index, however many jobs have ended */

static void no_clock(sqlite3_context *c, int n, sqlite3_value **v)
{
    (void)n;
    (void)v;
    sqlite3_result_int64(c, 0);
}

TEST(query_plans)
{
    queue_place p;
    sqlite3 *h = NULL;
    unsigned searched = 0;
    place(&p);
    assay_queue_close(queue_open(&p));
    REQUIRE(sqlite3_open(p.where, &h) == SQLITE_OK);
    (void)sqlite3_create_function_v2(h, "assay_now", 0, SQLITE_UTF8, NULL, no_clock, NULL, NULL, NULL);
    (void)sqlite3_create_function_v2(h, "assay_lease_now", 0, SQLITE_UTF8, NULL, no_clock, NULL, NULL, NULL);
    for (int i = 0; i < ASSAY_SQLS; i++) {
        char text[1200];
        sqlite3_stmt *s = NULL;
        assay_sql_lock lock;
        (void)snprintf(text, sizeof text, "EXPLAIN QUERY PLAN %s", assay_sql_text((assay_sql)i, &lock));
        if (!CHECK(sqlite3_prepare_v2(h, text, -1, &s, NULL) == SQLITE_OK))
            printf("  %s: %s\n", text, sqlite3_errmsg(h));
        while (sqlite3_step(s) == SQLITE_ROW) {
            const char *plan = (const char *)sqlite3_column_text(s, 3);
            const bool scan = strstr(plan, "SCAN") && (strstr(plan, "jobs") || strstr(plan, "inputs"));
            const bool ordered = strstr(plan, "USING INDEX jobs_waiting") || strstr(plan, "USING INDEX jobs_ended") ||
                                 strstr(plan, "USING INDEX jobs_running");
            if (!CHECK((!scan || ordered) && !strstr(plan, "TEMP B-TREE"))) printf("  %s: %s\n", text, plan);
            searched += strstr(plan, "SEARCH") != NULL;
        }
        (void)sqlite3_finalize(s);
    }
    CHECK(searched > 15);
    (void)sqlite3_close(h);
}

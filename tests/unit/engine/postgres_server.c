/* SPDX-License-Identifier: Apache-2.0 */
/* A PostgreSQL server of one's own. */
#define _DEFAULT_SOURCE
#include "unit/engine/postgres_server.h"
#include <fcntl.h>
#include <glob.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64], data[80], log_file[80], binaries[300];
static pid_t owner, postmaster;
static struct passwd user;

/* The child's half of a fork: the unprivileged user, output to the log, then the program. */
static void become(char *const *argv)
{
    const int fd = open(log_file, O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (fd < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0) _exit(126);
    if (geteuid() == 0 && (setgroups(0, NULL) != 0 || setgid(user.pw_gid) != 0 || setuid(user.pw_uid) != 0)) _exit(126);
    (void)prctl(PR_SET_PDEATHSIG, SIGQUIT); /* after setuid, which undoes it */
    if (chdir("/") != 0) _exit(126);
    (void)setenv("LC_ALL", "C", 1);
    (void)execv(argv[0], argv);
    _exit(127);
}

static pid_t launch(char *const *argv)
{
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child == 0) become(argv);
    return child;
}

static bool run(char *const *argv)
{
    int status = 1;
    const pid_t child = launch(argv);
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static void show_log(void)
{
    char line[300];
    FILE *f = fopen(log_file, "r");
    while (f && fgets(line, sizeof line, f)) printf("  %s", line);
    if (f) (void)fclose(f);
}

static bool find_binaries(void)
{
    glob_t g;
    bool found = false;
    if (glob("/usr/lib/postgresql/*/bin/postgres", 0, NULL, &g) == 0 && g.gl_pathc > 0) {
        const char *path = g.gl_pathv[g.gl_pathc - 1];
        found = snprintf(binaries, sizeof binaries, "%.*s", (int)(strlen(path) - strlen("/postgres")), path) > 0;
    }
    globfree(&g);
    return found;
}

static void remove_all(void)
{
    if (getpid() != owner) return; /* a child that ends by exit */
    postgres_stop();
    char *const argv[] = {"/bin/rm", "-rf", folder, NULL};
    (void)snprintf(log_file, sizeof log_file, "/dev/null");
    (void)run(argv);
    (void)rmdir(folder);
}

static bool make_folder(void)
{
    (void)snprintf(folder, sizeof folder, "/tmp/assay-postgres-XXXXXX");
    if (!mkdtemp(folder)) return false;
    if (geteuid() == 0) {
        const struct passwd *u = getpwnam("postgres");
        if (!u) u = getpwnam("nobody");
        if (!u || chown(folder, u->pw_uid, u->pw_gid) != 0) return false;
        user = *u;
    }
    (void)snprintf(data, sizeof data, "%s/data", folder);
    (void)snprintf(log_file, sizeof log_file, "%s/log", folder);
    owner = getpid();
    return atexit(remove_all) == 0;
}

static bool make_cluster(void)
{
    char initdb[320], password[100], from[120];
    (void)snprintf(initdb, sizeof initdb, "%s/initdb", binaries);
    (void)snprintf(password, sizeof password, "%s/password", folder);
    (void)snprintf(from, sizeof from, "--pwfile=%s", password);
    FILE *f = fopen(password, "w");
    if (!f || fputs(POSTGRES_PASSWORD "\n", f) < 0 || fclose(f) != 0 || chmod(password, 0644) != 0) return false;
    char *const argv[] = {initdb,          "-D", data,        "-U", "super", "-E", "UTF8", "--locale=C", "-A",
                          "scram-sha-256", from, "--no-sync", NULL};
    return run(argv);
}

bool postgres_start(void)
{
    char program[320];
    (void)snprintf(program, sizeof program, "%s/postgres", binaries);
    /* Not synced: what survives is what was written, and no machine loses its power here. */
    char *const argv[] = {
        program, "-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=50",
        NULL};
    for (int i = 0; i < 600; i++) { /* the children of one that was killed may be there for a moment */
        if (postmaster <= 0) postmaster = launch(argv);
        if (PQping(postgres_url("super", POSTGRES_PASSWORD, "postgres")) == PQPING_OK) return true;
        int status;
        if (postmaster > 0 && waitpid(postmaster, &status, WNOHANG) == postmaster) postmaster = 0;
        (void)usleep(50000);
    }
    show_log();
    return false;
}

static void end_with(int signal)
{
    int status;
    if (postmaster <= 0) return;
    (void)kill(postmaster, signal);
    (void)waitpid(postmaster, &status, 0);
    postmaster = 0;
}

void postgres_kill(void)
{
    end_with(SIGKILL);
}

void postgres_stop(void)
{
    end_with(SIGINT);
}

static const char *percent(char *out, size_t n, const char *text)
{
    size_t at = 0;
    for (const char *c = text; *c && at + 4 < n; c++)
        at += (size_t)snprintf(out + at, n - at, (*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') ? "%c" : "%%%02X",
                               (unsigned)*c);
    return out;
}

const char *postgres_url(const char *name, const char *password, const char *database)
{
    static char url[400];
    char coded[100] = "";
    (void)snprintf(url, sizeof url, "postgresql://%s:%s@/%s?host=%s", name, percent(coded, sizeof coded, password),
                   database, folder);
    return url;
}

const char *postgres_usual_url(void)
{
    return postgres_url("assay", POSTGRES_PASSWORD, "assay");
}

bool postgres_have(const char **why, bool *failed)
{
    static int state; /* 1: there; 2: not installed; 3: failed */
    if (state == 0) {
        state = !find_binaries() ? 2 : make_folder() && make_cluster() && postgres_start() ? 1 : 3;
        if (state == 3) show_log();
        if (state == 1 &&
            (postgres_sql("postgres", "CREATE ROLE assay LOGIN PASSWORD '" POSTGRES_PASSWORD "'; SELECT 1") != 1 ||
             postgres_sql("postgres", "CREATE DATABASE assay OWNER assay") != 0))
            state = 3;
    }
    *failed = state == 3;
    *why = state == 2 ? "no PostgreSQL server is installed (scripts/deps.sh --interop)" : "the server does not start";
    return state == 1;
}

int64_t postgres_sql(const char *database, const char *statements)
{
    PGconn *c = PQconnectdb(postgres_url("super", POSTGRES_PASSWORD, database));
    PGresult *set = PQexec(c, "SET search_path = assay; SET client_min_messages = error");
    PGresult *r = PQexec(c, statements);
    const ExecStatusType got = PQresultStatus(r);
    int64_t v = got == PGRES_COMMAND_OK ? 0 : -1;
    if (got == PGRES_TUPLES_OK && PQntuples(r) > 0) v = strtoll(PQgetvalue(r, 0, 0), NULL, 10);
    if (got != PGRES_COMMAND_OK && got != PGRES_TUPLES_OK) printf("  %s: %s", statements, PQerrorMessage(c));
    PQclear(set);
    PQclear(r);
    PQfinish(c);
    return v;
}

/* ---- a place for the cases */

static bool fresh(queue_place *p)
{
    (void)snprintf(p->where, sizeof p->where, "%s", postgres_usual_url());
    return postgres_sql("assay", "DROP SCHEMA IF EXISTS assay CASCADE") == 0;
}

static void set_time(queue_place *p, uint64_t now)
{
    char text[100];
    p->now = now;
    (void)snprintf(text, sizeof text, "UPDATE test_clock SET ms = %llu", (unsigned long long)now);
    CHECK(postgres_sql("assay", text) == 0);
}

static bool opened(queue_place *p)
{
    if (postgres_sql("assay", "CREATE TABLE IF NOT EXISTS test_clock (ms bigint); GRANT ALL ON test_clock TO assay;"
                              "INSERT INTO test_clock SELECT 0 WHERE NOT EXISTS (SELECT FROM test_clock);"
                              "CREATE OR REPLACE FUNCTION assay_now() RETURNS bigint LANGUAGE sql STABLE AS "
                              "'SELECT ms FROM assay.test_clock';"
                              "CREATE OR REPLACE FUNCTION assay_lease_now() RETURNS bigint LANGUAGE sql STABLE AS "
                              "'SELECT ms FROM assay.test_clock'") != 0)
        return false;
    set_time(p, p->now);
    return true;
}

static int64_t number_of(queue_place *p, const char *statement)
{
    (void)p;
    return postgres_sql("assay", statement);
}

/* This machine's clock is far off and nobody notices. */
static uint64_t wrong_clock(void *ctx)
{
    (void)ctx;
    return 5;
}

void postgres_place(queue_place *p)
{
    memset(p, 0, sizeof *p);
    p->shared = true;
    p->fresh = fresh;
    p->opened = opened;
    p->set_time = set_time;
    p->number = number_of;
    p->clock.now = p->clock.lease_now = wrong_clock;
    p->now = QUEUE_START;
    CHECK(fresh(p));
}

bool postgres_begin(queue_place *p)
{
    const char *why;
    bool failed = false;
    if (!postgres_have(&why, &failed)) {
        CHECK(!failed);
        assay_test_skip(why);
        return false;
    }
    postgres_place(p);
    p->opened = NULL;
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* PostgreSQL: connecting, what its failures mean, and news of other daemons. A URL's password appears in no message. */
#include "base/clock.h"
#include "base/mem.h"
#include "engine/queue_postgres.h"
#include <errno.h>
#include <libpq-fe.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { LEAST_VERSION = 120000, MESSAGE = 240, CONNECT_TIMEOUT = 5000 /* ms */ };

/* ---- the URL */

static const char *option_of(const PQconninfoOption *options, const char *keyword)
{
    for (const PQconninfoOption *o = options; o->keyword; o++)
        if (strcmp(o->keyword, keyword) == 0) return o->val && *o->val ? o->val : NULL;
    return NULL;
}

assay_status assay_postgres_source(assay_db_source *source, const char *where, assay_errinfo *err)
{
    char *message = NULL;
    (void)snprintf(source->name, sizeof source->name, "%s", "postgresql://");
    PQconninfoOption *options = PQconninfoParse(where, &message);
    PQfreemem(message); /* it quotes the URL, with the password */
    if (!options) return ASSAY_FAIL(err, ASSAY_EFORMAT, source->name, "the queue's URL cannot be read");
    const char *host = option_of(options, "host"), *port = option_of(options, "port");
    const char *dbname = option_of(options, "dbname");
    if (!host) host = option_of(options, "hostaddr");
    /* A password with a slash in it would be taken for a port and a database's name, and shown. */
    const bool odd = (port && port[strspn(port, "0123456789,")]) || (dbname && strchr(dbname, '@'));
    if (!odd)
        (void)snprintf(source->name, sizeof source->name, "postgresql://%s%s%s/%s", host ? host : "", port ? ":" : "",
                       port ? port : "", dbname ? dbname : "");
    for (PQconninfoOption *o = options; o->keyword; o++)
        if (o->val) assay_mem_wipe(o->val, strlen(o->val));
    PQconninfoFree(options);
    if (odd)
        return ASSAY_FAIL(err, ASSAY_EFORMAT, source->name,
                          "the queue's URL cannot be read: in a password, / is written %2F and @ is written %40");
    source->where = assay_mem_alloc(strlen(where) + 1, 1);
    if (!source->where) return ASSAY_FAIL(err, ASSAY_ENOMEM, source->name, "out of memory");
    memcpy(source->where, where, strlen(where) + 1);
    return ASSAY_OK;
}

void assay_postgres_leave(assay_db_source *source)
{
    if (source->where) assay_mem_free_secret(source->where, strlen(source->where) + 1);
    source->where = NULL;
}

/* ---- failures */

/* The first line of a message, in which a password would be stars. */
static void copy_message(char out[MESSAGE], const char *name, const char *message, const char *password)
{
    const int at = snprintf(out, MESSAGE, "%s: ", name);
    const size_t from = at < 0 ? 0 : at < MESSAGE ? (size_t)at : MESSAGE - 1;
    (void)snprintf(out + from, MESSAGE - from, "%s", message);
    out[from + strcspn(out + from, "\n")] = '\0';
    if (!password || !*password) return;
    for (char *p = strstr(out + from, password); p; p = strstr(p, password)) memset(p, '*', strlen(password));
}

static bool is_class(const char *state, const char *class)
{
    return strncmp(state, class, strlen(class)) == 0;
}

assay_status assay_postgres_fail(const assay_db_source *source, PGconn *c, const PGresult *r, bool *lost, bool *again,
                                 assay_errinfo *err)
{
    char text[MESSAGE];
    const char *state = r ? PQresultErrorField(r, PG_DIAG_SQLSTATE) : NULL;
    const char *said = r ? PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY) : NULL;
    if (!state) state = "";
    const bool gone = PQstatus(c) != CONNECTION_OK || is_class(state, "57P0") || is_class(state, "08");
    const bool clash = is_class(state, "40") || is_class(state, "55P03"); /* deadlock; lock timeout */
    if (lost) *lost = gone;
    if (again) *again = gone || clash;
    copy_message(text, source->name, said ? said : PQerrorMessage(c), PQpass(c));
    if (gone) return ASSAY_FAIL(err, ASSAY_EIO, text, "the connection to the server was lost");
    if (!r) return ASSAY_FAIL(err, ASSAY_ENOMEM, source->name, "out of memory");
    if (is_class(state, "53100")) return ASSAY_FAIL(err, ASSAY_EIO, text, "the server's disk is full");
    if (is_class(state, "25006")) return ASSAY_FAIL(err, ASSAY_EIO, text, "this server only answers, it takes nothing");
    if (is_class(state, "42501")) return ASSAY_FAIL(err, ASSAY_EIO, text, "the daemon's user may not do that");
    if (is_class(state, "XX")) return ASSAY_FAIL(err, ASSAY_EFORMAT, text, "this database is damaged");
    if (is_class(state, "42"))
        return ASSAY_FAIL(err, ASSAY_EFORMAT, text, "this database's tables are not a queue's, or damaged");
    return ASSAY_FAIL(err, ASSAY_EIO, text, "the server refuses");
}

/* ---- connections */

static void ignore_notice(void *ctx, const PGresult *r)
{
    (void)ctx;
    (void)r;
}

/* For every session. Nothing of ours is found by another schema's name; what the database's owner set for all sessions
 * does not make a commit less than durable; a daemon that was stopped in a transaction, or whose machine is gone, does
 * not hold its rows for ever. */
static const char session[] =
    "SET search_path = assay, pg_temp; SET default_transaction_isolation = 'read committed'; SET jit = off; "
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'; "
    "SET idle_in_transaction_session_timeout = '10s'; SET lock_timeout = '10s'; SET statement_timeout = '10min'; "
    "SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3";

static assay_status prepare_session(PGconn *c, const assay_db_source *source, assay_errinfo *err)
{
    const char *encoding = PQparameterStatus(c, "server_encoding");
    if (PQserverVersion(c) < LEAST_VERSION)
        return ASSAY_FAIL1(err, ASSAY_EUNSUPPORTED, source->name, "PostgreSQL 12 or later is needed: its version",
                           PQserverVersion(c));
    if (!encoding || strcmp(encoding, "UTF8") != 0)
        return ASSAY_FAIL(err, ASSAY_EUNSUPPORTED, source->name, "the database's encoding must be UTF8");
    PGresult *r = PQexec(c, session);
    const ExecStatusType got = PQresultStatus(r);
    assay_status s = ASSAY_OK;
    if (got != PGRES_COMMAND_OK && got != PGRES_TUPLES_OK) s = assay_postgres_fail(source, c, r, NULL, NULL, err);
    PQclear(r);
    return s;
}

/* Until it is connected or has failed. libpq's blocking call would print what the server says meanwhile. */
static void wait_connected(PGconn *c)
{
    const uint64_t end = assay_clock_ms() + CONNECT_TIMEOUT;
    for (PostgresPollingStatusType now = PGRES_POLLING_WRITING;
         now == PGRES_POLLING_READING || now == PGRES_POLLING_WRITING; now = PQconnectPoll(c)) {
        struct pollfd f = {.fd = PQsocket(c), .events = now == PGRES_POLLING_READING ? POLLIN : POLLOUT};
        uint64_t at = assay_clock_ms();
        while (at < end && poll(&f, 1, (int)(end - at)) < 0 && errno == EINTR) at = assay_clock_ms();
        if (assay_clock_ms() >= end) return;
    }
}

assay_status assay_postgres_connect(PGconn **out, const assay_db_source *source, assay_errinfo *err)
{
    /* What the URL says comes after these and prevails, then what it may not change. */
    static const char *const keys[] = {"keepalives_idle",           "keepalives_interval",
                                       "keepalives_count",          "tcp_user_timeout",
                                       "fallback_application_name", "dbname",
                                       "client_encoding",           NULL};
    const char *const values[] = {"30", "10", "3", "60000", "assayd", source->where, "UTF8", NULL};
    char text[MESSAGE];
    *out = NULL;
    PGconn *c = PQconnectStartParams(keys, values, 1);
    if (!c) return ASSAY_FAIL(err, ASSAY_ENOMEM, source->name, "out of memory");
    assay_status s = ASSAY_OK;
    (void)PQsetNoticeReceiver(c, ignore_notice, NULL);
    if (PQstatus(c) != CONNECTION_BAD) wait_connected(c);
    if (PQstatus(c) != CONNECTION_OK) {
        copy_message(text, source->name, PQstatus(c) == CONNECTION_BAD ? PQerrorMessage(c) : "no answer", PQpass(c));
        s = ASSAY_FAIL(err, ASSAY_EIO, text, "no connection to the server");
    } else {
        s = prepare_session(c, source, err);
    }
    if (s != ASSAY_OK) {
        PQfinish(c);
        return s;
    }
    *out = c;
    return ASSAY_OK;
}

/* ---- news. The caller polls one descriptor for good, though connections come and go: an epoll set of the connection's
 * socket and of an eventfd, which says after a gap that something may have been missed. */

struct assay_db_watch {
    const assay_db_source *source;
    PGconn *c; /* NULL: lost */
    int set, gap;
};

static bool add_to(int set, int fd)
{
    struct epoll_event e = {.events = EPOLLIN};
    return epoll_ctl(set, EPOLL_CTL_ADD, fd, &e) == 0;
}

static void drop(assay_db_watch *w)
{
    if (w->c && PQsocket(w->c) >= 0) (void)epoll_ctl(w->set, EPOLL_CTL_DEL, PQsocket(w->c), NULL);
    PQfinish(w->c);
    w->c = NULL;
}

static assay_status listen_anew(assay_db_watch *w, assay_errinfo *err)
{
    assay_status s = assay_postgres_connect(&w->c, w->source, err);
    if (s != ASSAY_OK) return s;
    PGresult *r = PQexec(w->c, "LISTEN " ASSAY_POSTGRES_CHANNEL);
    if (PQresultStatus(r) != PGRES_COMMAND_OK)
        s = assay_postgres_fail(w->source, w->c, r, NULL, NULL, err);
    else if (!add_to(w->set, PQsocket(w->c)))
        s = ASSAY_FAIL_OS(err, ASSAY_EIO, w->source->name, "cannot be waited for", errno);
    PQclear(r);
    if (s != ASSAY_OK) drop(w);
    return s;
}

assay_status assay_postgres_watch(assay_db_watch **out, const assay_db_source *source, assay_errinfo *err)
{
    *out = NULL;
    assay_db_watch *w = assay_mem_alloc(1, sizeof *w);
    if (!w) return ASSAY_FAIL(err, ASSAY_ENOMEM, source->name, "out of memory");
    w->source = source;
    w->set = epoll_create1(EPOLL_CLOEXEC);
    w->gap = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    assay_status s = ASSAY_OK;
    if (w->set < 0 || w->gap < 0 || !add_to(w->set, w->gap))
        s = ASSAY_FAIL_OS(err, ASSAY_EIO, source->name, "cannot be waited for", errno);
    if (s == ASSAY_OK) s = listen_anew(w, err);
    if (s != ASSAY_OK) {
        assay_postgres_watch_close(w);
        return s;
    }
    *out = w;
    return ASSAY_OK;
}

int assay_postgres_watch_fd(const assay_db_watch *w)
{
    return w->set;
}

void assay_postgres_watch_quiet(assay_db_watch *w)
{
    uint64_t count;
    const ssize_t got = read(w->gap, &count, sizeof count);
    (void)got;
    if (!w->c) return;
    const bool good = PQconsumeInput(w->c) == 1 && PQstatus(w->c) == CONNECTION_OK;
    for (PGnotify *n = PQnotifies(w->c); n; n = PQnotifies(w->c)) PQfreemem(n);
    if (!good) drop(w);
}

void assay_postgres_watch_mend(assay_db_watch *w)
{
    const uint64_t one = 1;
    if (w->c || listen_anew(w, NULL) != ASSAY_OK) return;
    const ssize_t put = write(w->gap, &one, sizeof one);
    (void)put;
}

void assay_postgres_watch_close(assay_db_watch *w)
{
    if (!w) return;
    if (w->c) drop(w);
    if (w->gap >= 0) (void)close(w->gap);
    if (w->set >= 0) (void)close(w->set);
    assay_mem_free(w);
}

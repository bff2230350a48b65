/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that people ask for: to be loaded, to be evicted. A request waits on the dispatcher's list until it can be
 * answered. */
#define _GNU_SOURCE
#include "base/clock.h"
#include "base/mem.h"
#include "engine/engine_impl.h"
#include <stdio.h>
#include <string.h>

/* Answers and frees; r stands in the list no more. */
static void answer(assay_engine *e, assay_request *r, assay_key_answer *a, const char *error)
{
    assay_text_copy(a->error, sizeof a->error, error);
    if (r->initial) {
        e->initial_left--;
        if (a->status != ASSAY_OK) {
            e->initial_failed++;
            assay_engine_log(e, ASSAY_ENGINE_ERROR, "preload_failed", "name", r->name, "error", a->error, NULL);
        }
    }
    if (r->fn) r->fn(r->ctx, a);
    assay_mem_free(r);
}

static void refuse(assay_engine *e, assay_request *r, assay_status status, const char *error)
{
    assay_key_answer a = {.status = status};
    answer(e, r, &a, error);
}

/* A circuit of that name, or else a model. */
static assay_status find_subject(const assay_engine *e, const char *name, assay_subject_entry *out, assay_errinfo *err)
{
    assay_status s = assay_catalogue_find(e->catalogue, ASSAY_JOB_GROTH16, name, out, err);
    if (s != ASSAY_EIO) return s;
    assay_errinfo second = {0};
    s = assay_catalogue_find(e->catalogue, ASSAY_JOB_REPLY, name, out, &second);
    if (s == ASSAY_OK || s == ASSAY_EIO) assay_errinfo_clear(err);
    if (s == ASSAY_EIO) return ASSAY_FAIL(err, ASSAY_EIO, name, "no such circuit or model");
    if (s != ASSAY_OK && err) *err = second;
    return s;
}

static assay_board_key *find_key(const assay_engine *e, const char *name)
{
    assay_board_key *k = assay_board_key_find(e->board, ASSAY_JOB_GROTH16, name);
    return k ? k : assay_board_key_find(e->board, ASSAY_JOB_REPLY, name);
}

/* True: answered and freed. */
static bool try_evict(assay_engine *e, assay_request *r)
{
    assay_errinfo err = {0};
    assay_board_key *k = find_key(e, r->name);
    if (!k) {
        assay_key_answer a = {.status = ASSAY_OK};
        char text[ASSAY_JOB_ERROR] = "";
        assay_subject_entry *entry = assay_mem_alloc(1, sizeof *entry);
        a.status = entry ? find_subject(e, r->name, entry, &err) : ASSAY_ENOMEM;
        if (a.status != ASSAY_OK) (void)assay_errinfo_text(&err, text, sizeof text);
        assay_mem_free(entry);
        answer(e, r, &a, text);
        return true;
    }
    if (k->state == ASSAY_KEY_LEAVING) return false; /* its eviction answers */
    if (k->references) {
        refuse(e, r, ASSAY_EBUSY, "in use by jobs");
        return true;
    }
    if (k->state == ASSAY_KEY_LOADING) { /* given up: its process may be stuck, on a disk that does not answer */
        if (assay_keeper_evict(e->keeper, k->entry.kind, k->entry.name, &err) == ASSAY_OK) k->state = ASSAY_KEY_LEAVING;
        return false;
    }
    assay_engine_evict_key(e, k);
    return false;
}

static bool preload_answer(assay_engine *e, assay_request *r, const assay_board_key *k)
{
    assay_key_answer a = {.status = ASSAY_OK, .was_loaded = !r->waited, .bytes = k->held.bytes};
    if (r->waited) a.ms = assay_clock_ms() - r->began;
    answer(e, r, &a, "");
    return true;
}

static bool try_preload(assay_engine *e, assay_request *r, uint64_t now)
{
    assay_errinfo err = {0};
    assay_job_plan plan = {0};
    assay_board_key *found = NULL;
    bool wait = false;
    char text[ASSAY_JOB_ERROR];
    if (now < e->moves_after) return false;
    const assay_board_key *k = find_key(e, r->name);
    if (k && k->state == ASSAY_KEY_LOADING) { /* may take minutes: nothing is looked up at each round */
        r->waited = true;
        return false;
    }
    assay_subject_entry *entry = assay_mem_alloc(1, sizeof *entry);
    if (!entry) {
        refuse(e, r, ASSAY_ENOMEM, "out of memory");
        return true;
    }
    assay_status s = find_subject(e, r->name, entry, &err);
    if (s == ASSAY_OK)
        s = assay_job_plan_make(&plan, e->catalogue, entry->kind, entry, NULL, 0,
                                (unsigned)e->settings.threads_a_prover, UINT64_MAX, &err);
    assay_move m = {0};
    if (s == ASSAY_OK)
        m = assay_board_preload(e->board, entry, plan.key, plan.load, e->options.evict_idle, assay_unix_ms(), &found,
                                &wait);
    assay_mem_free(entry);
    if (s != ASSAY_OK) {
        refuse(e, r, s, assay_errinfo_text(&err, text, sizeof text));
        return true;
    }
    if (found) return preload_answer(e, r, found);
    if (m.kind == ASSAY_MOVE_EVICT) assay_engine_evict_key(e, m.key);
    if (m.kind == ASSAY_MOVE_LOAD && assay_keeper_load(e->keeper, &m.key->entry, &err) != ASSAY_OK) {
        assay_board_key_gone(e->board, m.key);
        e->moves_after = now + 50;
    }
    if (m.kind != ASSAY_MOVE_NONE || wait) {
        r->waited = r->waited || m.kind == ASSAY_MOVE_LOAD;
        return false;
    }
    (void)snprintf(text, sizeof text, "no room for the key: it takes %llu MiB, and %llu MiB are free",
                   (unsigned long long)((plan.key + plan.load) >> 20),
                   (unsigned long long)(assay_budget_free(&e->board->budget) >> 20));
    refuse(e, r, ASSAY_ENOMEM, text);
    return true;
}

void assay_engine_key_requests(assay_engine *e, uint64_t now)
{
    for (assay_request **at = &e->key_requests, *r; (r = *at) != NULL;) {
        assay_request *next = r->next;
        const bool answered = r->kind == ASSAY_REQUEST_EVICT ? try_evict(e, r) : try_preload(e, r, now);
        if (answered)
            *at = next;
        else
            at = &r->next;
    }
}

void assay_engine_key_request(assay_engine *e, assay_request *r)
{
    assay_request **at = &e->key_requests;
    while (*at) at = &(*at)->next;
    r->next = NULL;
    *at = r;
}

/* Takes those out of the list that are of a kind and wait for this name. */
static assay_request *take_waiting(assay_engine *e, assay_request_kind kind, const char *name)
{
    for (assay_request **at = &e->key_requests, *r; (r = *at) != NULL; at = &r->next)
        if (r->kind == kind && strcmp(r->name, name) == 0) {
            *at = r->next;
            return r;
        }
    return NULL;
}

void assay_engine_key_loaded(assay_engine *e, const assay_keeper_event *ev)
{
    assay_request *r;
    while ((r = take_waiting(e, ASSAY_REQUEST_PRELOAD, ev->name)) != NULL) {
        assay_key_answer a = {.status = ev->status, .ms = ev->load_ms, .bytes = ev->bytes};
        answer(e, r, &a, ev->error);
    }
}

void assay_engine_key_evicted(assay_engine *e, const char *name, uint64_t bytes)
{
    assay_request *r;
    while ((r = take_waiting(e, ASSAY_REQUEST_EVICT, name)) != NULL) {
        assay_key_answer a = {.status = ASSAY_OK, .was_loaded = true, .bytes = bytes};
        answer(e, r, &a, "");
    }
}

void assay_engine_key_refuse_all(assay_engine *e)
{
    while (e->key_requests) {
        assay_request *r = e->key_requests;
        e->key_requests = r->next;
        refuse(e, r, ASSAY_EBUSY, "the daemon is ending");
    }
}

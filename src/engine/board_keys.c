/* SPDX-License-Identifier: Apache-2.0 */
/* The board's keys: who is there, who leaves for whom. */
#include "engine/board.h"
#include <string.h>

bool assay_stamp_equal(const assay_file_stamp *a, const assay_file_stamp *b)
{
    return a->device == b->device && a->inode == b->inode && a->n_bytes == b->n_bytes &&
           a->modified_ns == b->modified_ns && a->changed_ns == b->changed_ns;
}

assay_board_key *assay_board_key_find(assay_board *b, assay_job_kind kind, const char *name)
{
    for (size_t i = 0; i < ASSAY_BOARD_KEYS; i++) {
        assay_board_key *k = &b->keys[i];
        if (k->state != ASSAY_KEY_ABSENT && k->entry.kind == kind && strcmp(k->entry.name, name) == 0) return k;
    }
    return NULL;
}

/* Which may leave: nobody uses it, for `idle` ms already. */
static bool may_leave(const assay_board_key *k, const assay_board_key *keep, uint64_t idle, uint64_t now)
{
    return k != keep && k->state == ASSAY_KEY_RESIDENT && k->references == 0 &&
           (idle == 0 || (now >= k->last_used && now - k->last_used >= idle));
}

assay_room assay_board_room(assay_board *b, uint64_t need, const assay_board_key *keep, uint64_t idle, uint64_t now,
                            assay_board_key **evict)
{
    const uint64_t free_now = assay_budget_free(&b->budget);
    *evict = NULL;
    if (need <= free_now) return ASSAY_ROOM_MADE;
    uint64_t leaving = 0, could = 0;
    bool moving = assay_board_count(b).active > 0;
    for (size_t i = 0; i < ASSAY_BOARD_KEYS; i++) {
        assay_board_key *k = &b->keys[i];
        if (k->state == ASSAY_KEY_LEAVING) leaving += k->held.bytes;
        moving = moving || k->state == ASSAY_KEY_LEAVING || k->state == ASSAY_KEY_LOADING;
        if (!may_leave(k, keep, idle, now)) continue;
        could += k->held.bytes;
        if (!*evict || k->last_used < (*evict)->last_used) *evict = k;
    }
    /* A key leaves only if that helps now: else it would be loaded again for nothing. */
    const bool enough = leaving >= need - free_now;
    if (*evict && !enough && leaving + could >= need - free_now) {
        (*evict)->state = ASSAY_KEY_LEAVING;
        return ASSAY_ROOM_EVICT;
    }
    if (!moving) return ASSAY_ROOM_NEVER;
    *evict = NULL;
    return ASSAY_ROOM_LATER;
}

void assay_board_key_loaded(assay_board *b, assay_board_key *k, uint64_t bytes, uint64_t now)
{
    k->state = ASSAY_KEY_RESIDENT;
    k->last_used = now;
    assay_budget_force(&b->budget, &k->held, bytes);
}

void assay_board_key_gone(assay_board *b, assay_board_key *k)
{
    for (size_t i = 0; i < b->n_jobs; i++)
        for (uint32_t n = 0; n < b->jobs[i]->n_tasks; n++) {
            assay_board_task *t = &b->jobs[i]->tasks[n];
            if (t->key != k) continue;
            if (t->phase == ASSAY_TASK_LOADING) assay_board_task_back(b, t);
            t->key = NULL;
        }
    (void)assay_budget_set(&b->budget, &k->held, 0);
    *k = (assay_board_key){0};
}

assay_move assay_board_preload(assay_board *b, const assay_subject_entry *entry, uint64_t bytes, uint64_t load,
                               uint64_t idle, uint64_t now, assay_board_key **found, bool *wait)
{
    assay_move m = {0};
    assay_board_key *k = assay_board_key_find(b, entry->kind, entry->name), *place = NULL;
    *found = NULL;
    *wait = false;
    if (k) {
        const bool same = assay_stamp_equal(&k->entry.stamp, &entry->stamp);
        if (same && k->state != ASSAY_KEY_LEAVING) {
            *found = k;
        } else if (k->state == ASSAY_KEY_RESIDENT && k->references == 0) {
            k->state = ASSAY_KEY_LEAVING; /* the file is another now */
            m = (assay_move){.kind = ASSAY_MOVE_EVICT, .key = k};
        } else {
            *wait = true;
        }
        return m;
    }
    for (size_t i = 0; i < ASSAY_BOARD_KEYS && !place; i++)
        if (b->keys[i].state == ASSAY_KEY_ABSENT) place = &b->keys[i];
    const assay_room room = assay_board_room(b, bytes + load, NULL, idle, now, &k);
    if (room == ASSAY_ROOM_EVICT) return (assay_move){.kind = ASSAY_MOVE_EVICT, .key = k};
    if (room == ASSAY_ROOM_LATER) /* keys that leave are worth waiting for; workers are not */
        for (size_t i = 0; i < ASSAY_BOARD_KEYS; i++) *wait = *wait || b->keys[i].state == ASSAY_KEY_LEAVING;
    if (room != ASSAY_ROOM_MADE || !place) return m;
    *place = (assay_board_key){.entry = *entry, .state = ASSAY_KEY_LOADING, .last_used = now};
    (void)assay_budget_set(&b->budget, &place->held, bytes + load);
    return (assay_move){.kind = ASSAY_MOVE_LOAD, .key = place};
}

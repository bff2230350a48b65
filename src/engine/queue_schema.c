/* SPDX-License-Identifier: Apache-2.0 */
/* Whose database it is: ours of this version, nobody's yet, or one to be left alone. */
#include "base/mem.h"
#include "engine/queue_impl.h"

static assay_status make(assay_queue *q, assay_db *db, assay_errinfo *err)
{
    assay_queue_tx t = {.q = q, .db = db};
    assay_status s = ASSAY_OK;
    for (const char *const *p = q->driver->schema; s == ASSAY_OK && *p; p++) s = q->driver->text(db, *p, NULL, err);
    if (s != ASSAY_OK) return s;
    return assay_queue_exec(&t, ASSAY_SQL_SET_VERSION, QUEUE_VALUES(assay_db_int(ASSAY_QUEUE_VERSION)), err);
}

static assay_status check(assay_queue *q, assay_db *db, assay_errinfo *err)
{
    assay_queue_tx t = {.q = q, .db = db};
    const char *name = q->source.name;
    bool row = false;
    assay_status s = assay_queue_one(&t, ASSAY_SQL_VERSION, NULL, 0, &row, err);
    const int64_t version = s == ASSAY_OK && row ? assay_queue_i64(&t, 0) : 0;
    q->driver->done(db);
    if (s != ASSAY_OK) return s;
    if (version < 1) return ASSAY_FAIL(err, ASSAY_EFORMAT, name, "this queue's schema has no version: it is damaged");
    if (version > ASSAY_QUEUE_VERSION)
        return ASSAY_FAIL2(err, ASSAY_EUNSUPPORTED, name,
                           "made by a newer Assay: schema version, and the newest known here", version,
                           ASSAY_QUEUE_VERSION);
    return ASSAY_OK;
}

assay_status assay_queue_schema(assay_queue *q, assay_db *db, assay_errinfo *err)
{
    const assay_db_driver *d = q->driver;
    int64_t objects = 0, versions = 0;
    assay_status s = d->begin(db, err);
    if (s != ASSAY_OK) return s;
    if (d->guard) s = d->text(db, d->guard, NULL, err);
    if (s == ASSAY_OK) s = d->text(db, d->objects, &objects, err);
    if (s == ASSAY_OK) s = d->text(db, d->versions, &versions, err);
    if (s == ASSAY_OK && versions == 0 && objects != 0)
        s = ASSAY_FAIL(err, ASSAY_EFORMAT, q->source.name, "holds another program's tables, not a queue of Assay's");
    if (s == ASSAY_OK) s = versions ? check(q, db, err) : make(q, db, err);
    if (s == ASSAY_OK) s = d->commit(db, false, err);
    if (s != ASSAY_OK) d->rollback(db);
    return s;
}

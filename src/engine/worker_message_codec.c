/* SPDX-License-Identifier: Apache-2.0 */
/* Messages as bytes: every field of every kind, little-endian, then the text, then the entry. */
#include "engine/worker_message.h"
#include <string.h>

enum { DONE_UNITS = 1000000 }; /* of a share from 0 to 1 */

const char *assay_worker_stage_name(assay_worker_stage stage)
{
    static const char *const names[ASSAY_STAGES] = {"load", "synthesis", "ready", "prove", "verify"};
    return (unsigned)stage < ASSAY_STAGES ? names[stage] : "";
}

bool assay_message_has_entry(assay_message_kind kind)
{
    return kind == ASSAY_MESSAGE_LOAD || kind == ASSAY_MESSAGE_ORDER;
}

static void write_text(assay_writer *w, const char *text)
{
    const size_t n = strlen(text);
    assay_write_u16(w, (uint16_t)n);
    assay_write_bytes(w, text, n);
}

/* Into `room` bytes with the terminating zero. */
static void read_text(assay_reader *r, char *out, size_t room)
{
    const size_t n = assay_read_u16(r);
    const uint8_t *p = n < room ? assay_read_bytes(r, n) : NULL;
    if (!p || memchr(p, 0, n)) {
        r->bad = true;
        out[0] = 0;
        return;
    }
    memcpy(out, p, n);
    out[n] = 0;
}

static void write_entry(assay_writer *w, const assay_subject_entry *e)
{
    const assay_file_stamp *t = &e->stamp;
    const uint64_t stamp[] = {t->device, t->inode, t->n_bytes, t->modified_ns, t->changed_ns};
    assay_write_u8(w, (uint8_t)e->kind);
    write_text(w, e->name);
    write_text(w, e->path);
    write_text(w, e->r1cs);
    write_text(w, e->sym);
    for (size_t i = 0; i < sizeof stamp / sizeof *stamp; i++) assay_write_u64(w, stamp[i]);
}

static void read_entry(assay_reader *r, assay_subject_entry *e)
{
    assay_file_stamp *t = &e->stamp;
    uint64_t *const stamp[] = {&t->device, &t->inode, &t->n_bytes, &t->modified_ns, &t->changed_ns};
    const uint8_t kind = assay_read_u8(r);
    e->kind = (assay_job_kind)kind;
    if (kind >= ASSAY_JOB_KINDS) r->bad = true;
    read_text(r, e->name, sizeof e->name);
    read_text(r, e->path, sizeof e->path);
    read_text(r, e->r1cs, sizeof e->r1cs);
    read_text(r, e->sym, sizeof e->sym);
    for (size_t i = 0; i < sizeof stamp / sizeof *stamp; i++) *stamp[i] = assay_read_u64(r);
}

static uint32_t done_units(double done)
{
    if (!(done > 0)) return 0; /* not a number, too */
    return done < 1 ? (uint32_t)(done * DONE_UNITS) : DONE_UNITS;
}

void assay_message_encode(assay_writer *w, const assay_worker_message *m, const assay_subject_entry *entry)
{
    assay_write_u8(w, (uint8_t)m->kind);
    assay_write_u8(w, (uint8_t)m->stage);
    assay_write_u8(w, (uint8_t)m->status);
    assay_write_u8(w, (uint8_t)((unsigned)m->hold | (unsigned)m->wait << 1));
    assay_write_u32(w, m->threads);
    assay_write_u32(w, m->pid);
    assay_write_u32(w, m->signal);
    assay_write_u32(w, done_units(m->done));
    assay_write_u64(w, m->task);
    assay_write_u64(w, m->bytes);
    for (size_t i = 0; i < sizeof m->ms / sizeof *m->ms; i++) assay_write_u64(w, m->ms[i]);
    assay_write_u32(w, m->n_inputs);
    for (size_t i = 0; i < ASSAY_MESSAGE_INPUTS; i++) assay_write_u64(w, m->input[i]);
    write_text(w, m->text);
    if (entry) write_entry(w, entry);
}

/* The fields before the text. */
static void read_fields(assay_reader *r, assay_worker_message *m)
{
    m->kind = (assay_message_kind)assay_read_u8(r);
    m->stage = (assay_worker_stage)assay_read_u8(r);
    m->status = (assay_status)assay_read_u8(r);
    const unsigned flags = assay_read_u8(r);
    m->hold = flags & 1;
    m->wait = flags >> 1 & 1;
    m->threads = assay_read_u32(r);
    m->pid = assay_read_u32(r);
    m->signal = assay_read_u32(r);
    m->done = (double)assay_read_u32(r) / DONE_UNITS;
    m->task = assay_read_u64(r);
    m->bytes = assay_read_u64(r);
    for (size_t i = 0; i < sizeof m->ms / sizeof *m->ms; i++) m->ms[i] = assay_read_u64(r);
    m->n_inputs = assay_read_u32(r);
    for (size_t i = 0; i < ASSAY_MESSAGE_INPUTS; i++) m->input[i] = assay_read_u64(r);
    read_text(r, m->text, sizeof m->text);
    if (flags > 3) r->bad = true;
}

assay_status assay_message_decode(assay_worker_message *m, assay_subject_entry *entry, const void *p, size_t n,
                                  assay_errinfo *err)
{
    assay_reader r = assay_reader_of(p, n);
    memset(m, 0, sizeof *m);
    if (entry) memset(entry, 0, sizeof *entry);
    read_fields(&r, m);
    if (!r.bad && assay_message_has_entry(m->kind)) {
        if (!entry) return ASSAY_FAIL(err, ASSAY_EFORMAT, "message", "is of a kind that is not expected here");
        read_entry(&r, entry);
    }
    if (r.bad || assay_reader_left(&r)) return ASSAY_FAIL(err, ASSAY_EFORMAT, "message", "has another length");
    if (m->kind < ASSAY_MESSAGE_LOAD || m->kind > ASSAY_MESSAGE_GRANT || (unsigned)m->stage >= ASSAY_STAGES ||
        m->status > ASSAY_EUNSATISFIED || m->done > 1 || m->n_inputs > ASSAY_MESSAGE_INPUTS || m->signal > 64)
        return ASSAY_FAIL(err, ASSAY_ERANGE, "message", "has a field out of range");
    assay_line_flatten(m->text);
    return ASSAY_OK;
}

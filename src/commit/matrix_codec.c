/* SPDX-License-Identifier: Apache-2.0 */
/* The kept digests of a matrix as bytes: u8 version, u8 c, u8 log_rate, u8 low, le64 nrows, then the digests of level
 * low. The levels above are hashed again when loading, so a changed digest cannot go unnoticed. */
#include "base/mem.h"
#include "commit/matrix_tree.h"
#include <string.h>

enum { VERSION = 1 };

assay_status assay_matrix_save(const assay_matrix *m, assay_writer *w, assay_errinfo *err)
{
    assay_write_u8(w, VERSION);
    assay_write_u8(w, (uint8_t)m->code->c);
    assay_write_u8(w, (uint8_t)m->code->log_rate);
    assay_write_u8(w, (uint8_t)m->low);
    assay_write_u64(w, m->nrows);
    assay_write_bytes(w, m->kept, (size_t)32 << (m->log_size - m->low));
    return w->bad ? ASSAY_FAIL(err, ASSAY_ENOMEM, NULL, "out of memory for the digests of a tree") : ASSAY_OK;
}

assay_status assay_matrix_load(assay_matrix **out, const assay_code *code, const uint32_t *const *rows, size_t nrows,
                               uint8_t tree, const uint8_t *salt_key, const uint8_t root[32], assay_reader *r,
                               assay_errinfo *err)
{
    *out = NULL;
    uint8_t version = assay_read_u8(r), c = assay_read_u8(r), log_rate = assay_read_u8(r), low = assay_read_u8(r);
    uint64_t saved_rows = assay_read_u64(r);
    if (r->bad || version != VERSION) return ASSAY_FAIL(err, ASSAY_EFORMAT, NULL, "not the digests of a tree");
    if (c != code->c || log_rate != code->log_rate || saved_rows != nrows)
        return ASSAY_FAIL2(err, ASSAY_EFORMAT, NULL, "digests of a tree of another shape (c, rows)", c, saved_rows);
    assay_matrix *m = NULL;
    assay_status s = assay_matrix_make(&m, code, rows, nrows, tree, salt_key, err);
    if (s != ASSAY_OK) return s;
    size_t nbytes = (size_t)32 << (m->log_size - m->low);
    const uint8_t *digests = assay_read_bytes(r, nbytes);
    if (!digests || low != m->low) {
        s = ASSAY_FAIL(err, ASSAY_EFORMAT, NULL, "the digests of a tree are cut short");
        goto out;
    }
    assay_backend be;
    assay_backend_cpu_init(&be, NULL);
    memcpy(m->kept, digests, nbytes);
    assay_matrix_hash_up(m, &be);
    if (memcmp(matrix_node(m, m->log_size, 0), root, 32) != 0) {
        s = ASSAY_FAIL(err, ASSAY_EFORMAT, NULL, "the digests of a tree do not lead to its root");
        goto out;
    }
    *out = m;
    m = NULL;
out:
    assay_matrix_free(m);
    return s;
}

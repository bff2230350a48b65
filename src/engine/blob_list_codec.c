/* SPDX-License-Identifier: Apache-2.0 */
/* Several byte strings as one, little-endian:
 *
 *     "ABL1"   u32 n   n times u64 length   the bytes of all, one after another
 *
 * There is one way to write a list: nothing may follow the last byte. */
#include "engine/blob_list_codec.h"
#include "base/bytes.h"
#include "base/mem.h"
#include "hash/sha256.h"
#include <string.h>

enum { HEAD = 8, LENGTH = 8 };

static const char what[] = "list of byte strings";
static const uint8_t magic[4] = {'A', 'B', 'L', '1'};

assay_status assay_blobs_pack(assay_buffer *out, const assay_blob *blobs, size_t n, assay_errinfo *err)
{
    out->p = NULL;
    out->n = 0;
    if (n > UINT32_MAX) return ASSAY_FAIL(err, ASSAY_EINVAL, what, "too many");
    size_t total = HEAD + LENGTH * n;
    for (size_t i = 0; i < n; i++)
        if (!assay_add_size(total, blobs[i].n, &total)) return ASSAY_FAIL(err, ASSAY_ENOMEM, what, "out of memory");
    uint8_t *p = assay_mem_alloc_raw(total, 1);
    if (!p) return ASSAY_FAIL(err, ASSAY_ENOMEM, what, "out of memory");
    memcpy(p, magic, sizeof magic);
    assay_store_u32(p + sizeof magic, (uint32_t)n);
    uint8_t *to = p + HEAD + LENGTH * n;
    for (size_t i = 0; i < n; i++) {
        assay_store_u64(p + HEAD + LENGTH * i, blobs[i].n);
        if (blobs[i].n) memcpy(to, blobs[i].p, blobs[i].n);
        to += blobs[i].n;
    }
    out->p = p;
    out->n = total;
    return ASSAY_OK;
}

assay_status assay_blobs_unpack(assay_blob *out, size_t max, size_t *n, const uint8_t *p, size_t n_bytes,
                                assay_errinfo *err)
{
    assay_reader r = assay_reader_of(p, n_bytes);
    *n = 0;
    const uint8_t *head = assay_read_bytes(&r, sizeof magic);
    const uint32_t count = assay_read_u32(&r);
    if (r.bad || memcmp(head, magic, sizeof magic) != 0)
        return ASSAY_FAIL(err, ASSAY_EFORMAT, what, "does not begin as one");
    if (count > assay_reader_left(&r) / LENGTH) return ASSAY_FAIL(err, ASSAY_EFORMAT, what, "ends within its lengths");
    if (count > max) return ASSAY_FAIL2(err, ASSAY_ERANGE, what, "more than there may be", count, max);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t length = assay_read_u64(&r);
        out[i].n = length > SIZE_MAX ? SIZE_MAX : (size_t)length;
    }
    for (uint32_t i = 0; i < count; i++) {
        out[i].p = assay_read_bytes(&r, out[i].n);
        if (r.bad) return ASSAY_FAIL1(err, ASSAY_EFORMAT, what, "ends within number", i);
    }
    if (assay_reader_left(&r) != 0)
        return ASSAY_FAIL1(err, ASSAY_EFORMAT, what, "bytes after the last", assay_reader_left(&r));
    *n = count;
    return ASSAY_OK;
}

static void absorb_u64(assay_sha256 *h, uint64_t v)
{
    uint8_t bytes[8];
    assay_store_u64(bytes, v);
    assay_sha256_update(h, bytes, sizeof bytes);
}

static void absorb(assay_sha256 *h, const void *p, size_t n)
{
    absorb_u64(h, n);
    if (n) assay_sha256_update(h, p, n);
}

void assay_job_digest(uint8_t out[32], const assay_job_spec *spec)
{
    static const char domain[] = "assay job, version 1";
    assay_sha256 h;
    assay_sha256_init(&h);
    assay_sha256_update(&h, domain, sizeof domain);
    absorb_u64(&h, (uint64_t)spec->kind);
    absorb(&h, spec->subject, strlen(spec->subject));
    absorb_u64(&h, spec->n_inputs);
    for (size_t i = 0; i < spec->n_inputs; i++) absorb(&h, spec->inputs[i].p, spec->inputs[i].n);
    assay_sha256_final(&h, out);
}

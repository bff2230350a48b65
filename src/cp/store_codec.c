/* SPDX-License-Identifier: Apache-2.0 */
/* Secret files as bytes. */
#include "cp/store_codec.h"
#include "commit/tail.h"
#include "cp/file_head_codec.h"
#include <string.h>

static const char magic_key[] = "ASSAYISK", magic_counter[] = "ASSAYCTR", magic_tree[] = "ASSAYTRE";

void assay_secret_key_encode(uint8_t out[ASSAY_KEY_FILE], const assay_secret_key *k)
{
    memcpy(out, magic_key, 8);
    assay_store_u32(out + 8, ASSAY_FILE_VERSION);
    memcpy(out + 12, k->id, 32);
    memcpy(out + 44, k->weights_digest, 32);
    memcpy(out + 76, k->seed, 32);
    assay_store_u64(out + 108, k->lifetime);
}

assay_status assay_secret_key_decode(assay_secret_key *k, const uint8_t *p, size_t n, assay_errinfo *err)
{
    assay_reader r = assay_reader_of(p, n);
    assay_status s = assay_file_head_read(&r, magic_key, "key.bin", err);
    if (s != ASSAY_OK) return s;
    if (n != ASSAY_KEY_FILE)
        return ASSAY_FAIL2(err, ASSAY_EFORMAT, "key.bin", "has the wrong length", n, ASSAY_KEY_FILE);
    memcpy(k->id, p + 12, 32);
    memcpy(k->weights_digest, p + 44, 32);
    memcpy(k->seed, p + 76, 32);
    k->lifetime = assay_load_u64(p + 108);
    return ASSAY_OK;
}

void assay_counter_encode(uint8_t out[ASSAY_COUNTER_FILE], uint64_t spent)
{
    memcpy(out, magic_counter, 8);
    assay_store_u32(out + 8, ASSAY_FILE_VERSION);
    assay_store_u64(out + 12, spent);
}

assay_status assay_counter_decode(uint64_t *spent, const uint8_t *p, size_t n, assay_errinfo *err)
{
    assay_reader r = assay_reader_of(p, n);
    assay_status s = assay_file_head_read(&r, magic_counter, "counter", err);
    if (s != ASSAY_OK) return s;
    if (n != ASSAY_COUNTER_FILE)
        return ASSAY_FAIL2(err, ASSAY_EFORMAT, "counter", "has the wrong length", n, ASSAY_COUNTER_FILE);
    *spent = assay_read_u64(&r);
    return ASSAY_OK;
}

void assay_tree_head_encode(assay_writer *w)
{
    assay_write_bytes(w, magic_tree, 8);
    assay_write_u32(w, ASSAY_FILE_VERSION);
}

assay_status assay_tree_head_decode(assay_reader *r, assay_errinfo *err)
{
    return assay_file_head_read(r, magic_tree, "tree.bin", err);
}

uint64_t assay_proofs_covered(const assay_commit_params *p)
{
    return (((uint64_t)1 << p->a) - 1) / assay_query_count(p->security, ASSAY_MAIN_LOG_RATE);
}

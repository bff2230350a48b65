/* SPDX-License-Identifier: Apache-2.0 */
/* The counter of proofs. A crash after a block was written off and before it was used loses the rest of the block. */
#include "cp/counter.h"
#include "base/dir.h"
#include "base/mem.h"
#include "cp/store_codec.h"
#include <string.h>

void assay_counter_init(assay_counter *c, uint64_t spent, uint64_t allowed)
{
    memset(c, 0, sizeof *c);
    c->lock.fd = -1;
    c->used = c->spent = spent;
    c->allowed = allowed;
    c->block = 1;
}

assay_status assay_counter_open(assay_counter *c, const char *isk_folder, uint64_t allowed, uint32_t block, bool wait,
                                assay_errinfo *err)
{
    uint8_t *file = NULL;
    size_t n = 0;
    uint64_t spent = 0;
    assay_counter_init(c, 0, allowed);
    assay_status s = assay_path_join(c->lock_path, sizeof c->lock_path, isk_folder, "lock", err);
    if (s == ASSAY_OK) s = assay_path_join(c->path, sizeof c->path, isk_folder, "counter", err);
    if (s == ASSAY_OK) s = assay_lock_take(&c->lock, c->lock_path, wait, err);
    if (s == ASSAY_OK) assay_dir_sweep(isk_folder, "counter");
    if (s == ASSAY_OK) s = assay_file_read(c->path, ASSAY_COUNTER_FILE, &file, &n, err);
    if (s == ASSAY_OK) s = assay_counter_decode(&spent, file, n, err);
    assay_mem_free_secret(file, n);
    c->used = c->spent = spent;
    c->block = block ? block : 1;
    if (s != ASSAY_OK) assay_counter_close(c);
    return s;
}

void assay_counter_close(assay_counter *c)
{
    assay_lock_release(&c->lock);
}

void assay_counter_delegate(assay_counter *c, assay_counter_fn *ask, void *ctx)
{
    assay_lock_release(&c->lock);
    c->ask = ask;
    c->ask_ctx = ctx;
}

static assay_status write_off(assay_counter *c, uint64_t n, assay_errinfo *err)
{
    uint8_t file[ASSAY_COUNTER_FILE];
    if (c->ask) return ASSAY_FAIL(err, ASSAY_EINVAL, "counter", "is another process's");
    uint64_t left = c->allowed > c->spent ? c->allowed - c->spent : 0, to = c->spent + (n < left ? n : left);
    if (c->path[0] && !assay_lock_held(&c->lock, c->lock_path))
        return ASSAY_FAIL(err, ASSAY_EBUSY, c->lock_path, "the lock was removed while it was held");
    assay_counter_encode(file, to);
    assay_status s = c->path[0] ? assay_file_write(c->path, file, sizeof file, 0600, err) : ASSAY_OK;
    if (s == ASSAY_OK) c->spent = to;
    return s;
}

assay_status assay_counter_skip(assay_counter *c, uint64_t n, assay_errinfo *err)
{
    if (n == 0) return ASSAY_OK;
    assay_status s = write_off(c, n, err);
    if (s == ASSAY_OK) c->used = c->spent;
    return s;
}

assay_status assay_counter_left(const assay_counter *c, uint64_t n, assay_errinfo *err)
{
    uint64_t left = c->used < c->allowed ? c->allowed - c->used : 0, reserved = c->spent - c->used;
    if (reserved > left) left = reserved;
    if (left >= n) return ASSAY_OK;
    if (left == 0)
        return ASSAY_FAIL2(err, ASSAY_EEXHAUSTED, "commitment", "its lifetime of proofs is used up (made, allowed)",
                           c->spent, c->allowed);
    return ASSAY_FAIL2(err, ASSAY_EEXHAUSTED, "commitment", "its lifetime has fewer proofs left than are asked for",
                       left, n);
}

assay_status assay_counter_take(assay_counter *c, assay_errinfo *err)
{
    assay_status s = assay_counter_left(c, 1, err);
    if (s == ASSAY_OK && c->ask) return c->ask(c->ask_ctx, err);
    if (s == ASSAY_OK && c->used == c->spent) s = write_off(c, c->block, err);
    if (s == ASSAY_OK) c->used++;
    return s;
}

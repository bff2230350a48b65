/* SPDX-License-Identifier: Apache-2.0 */
/* Calls without any wire: order of requests, messages with their framing, one end, cancellation, memory. */
#include "base/mem.h"
#include "daemon/call.h"
#include "harness.h"
#include <string.h>

static unsigned runs, wakes, cancels;
static uint8_t last_request;

static void run_note(void *ctx, assay_call *c)
{
    size_t n;
    const uint8_t *p = assay_call_request(c, &n);
    (void)ctx;
    runs++;
    last_request = n ? p[0] : 0;
}

static void on_wake(void *ctx, assay_call *c)
{
    (void)ctx;
    (void)c;
    wakes++;
}

static void on_cancel(void *ctx, assay_call *c)
{
    CHECK(assay_call_cancelled(c));
    cancels++;
    (*(unsigned *)ctx)++;
}

static const assay_rpc_method unary = {"/t/Unary", false, run_note, NULL}, stream = {"/t/Stream", true, run_note, NULL};

typedef struct fixture {
    assay_rpc_memory *memory;
    assay_call *c;
} fixture;

static fixture begin(const assay_rpc_method *m, uint64_t most)
{
    fixture f = {assay_rpc_memory_new(most, NULL), NULL};
    runs = wakes = cancels = 0;
    f.c = f.memory ? assay_call_new(m, f.memory, 5000, on_wake, NULL) : NULL;
    CHECK(f.c != NULL);
    return f;
}

static void finish(fixture *f)
{
    assay_call_release(f->c);
    CHECK_EQ_U64(f->memory->used, 0);
    assay_rpc_memory_release(f->memory);
}

static bool put(fixture *f, uint8_t value)
{
    uint8_t *p = assay_mem_alloc(1, 1);
    *p = value;
    CHECK(assay_rpc_memory_take(f->memory, 1));
    return assay_call_put(f->c, p, 1, 1);
}

TEST(a_unary_call)
{
    fixture f = begin(&unary, 1000);
    assay_rpc_code code;
    const char *text;
    uint8_t out[64];
    CHECK(put(&f, 7));
    CHECK(!assay_call_end_requests(f.c));
    assay_call_work(f.c);
    CHECK(runs == 1 && last_request == 7);
    CHECK_EQ_U64(f.memory->used, 1);
    assay_call_drop_request(f.c);
    CHECK_EQ_U64(f.memory->used, 0);
    CHECK_EQ_U64(assay_call_deadline(f.c), 5000);
    CHECK(!assay_call_done(f.c, &code, &text));
    assay_call_reply(f.c, "abc", 3);
    CHECK_EQ_U64(wakes, 2);
    CHECK_EQ_U64(assay_call_pending(f.c), 8);
    CHECK(!assay_call_done(f.c, &code, &text) && !assay_call_is_bare(f.c));
    CHECK_EQ_U64(assay_call_take(f.c, out, 4), 4);
    CHECK_EQ_U64(assay_call_take(f.c, out + 4, 60), 4);
    CHECK_EQ_MEM(out, "\0\0\0\0\3abc", 8);
    CHECK(assay_call_done(f.c, &code, &text) && code == ASSAY_RPC_OK);
    CHECK_STATUS(assay_call_send(f.c, "x", 1, NULL), ASSAY_ECANCELED);
    assay_call_finish(f.c, ASSAY_RPC_INTERNAL, "too late");
    CHECK(assay_call_done(f.c, &code, &text) && code == ASSAY_RPC_OK && !assay_call_cancelled(f.c));
    CHECK(!assay_call_cancel(f.c, ASSAY_RPC_CANCELLED, "too late"));
    finish(&f);
}

TEST(many_requests_in_order_by_one_worker)
{
    fixture f = begin(&stream, 1000);
    assay_rpc_code code;
    const char *text;
    CHECK(put(&f, 1));  /* to a worker */
    CHECK(!put(&f, 2)); /* which will find it */
    CHECK_EQ_U64(assay_call_waiting(f.c), 2);
    assay_call_work(f.c);
    CHECK(runs == 2 && last_request == 2);
    CHECK(put(&f, 3));
    CHECK(!assay_call_end_requests(f.c));
    assay_call_work(f.c);
    CHECK(runs == 3 && assay_call_done(f.c, &code, &text) && code == ASSAY_RPC_OK);
    CHECK(!put(&f, 4)); /* over: dropped */
    finish(&f);
    f = begin(&stream, 1000);
    CHECK(assay_call_end_requests(f.c)); /* nothing was asked: a worker ends it */
    assay_call_work(f.c);
    CHECK(runs == 0 && assay_call_done(f.c, &code, &text));
    finish(&f);
}

TEST(cancelled)
{
    fixture f = begin(&unary, 1000);
    unsigned seen = 0;
    assay_rpc_code code;
    const char *text;
    assay_call_on_cancel(f.c, on_cancel, &seen);
    CHECK_OK(assay_call_send(f.c, "abc", 3, NULL));
    CHECK(put(&f, 1));
    CHECK(assay_call_cancel(f.c, ASSAY_RPC_DEADLINE_EXCEEDED, "late"));
    CHECK(seen == 1 && assay_call_cancelled(f.c));
    CHECK_EQ_U64(f.memory->used, 0); /* neither the request nor the message waits on */
    CHECK(assay_call_done(f.c, &code, &text) && code == ASSAY_RPC_DEADLINE_EXCEEDED);
    CHECK_EQ_STR(text, "late");
    assay_call_work(f.c);
    CHECK_EQ_U64(runs, 0);
    assay_call_on_cancel(f.c, on_cancel, &seen); /* at once */
    CHECK_EQ_U64(seen, 2);
    CHECK_STATUS(assay_call_send(f.c, "x", 1, NULL), ASSAY_ECANCELED);
    finish(&f);
    f = begin(&unary, 1000);
    seen = 0;
    assay_call_on_cancel(f.c, on_cancel, &seen);
    assay_call_on_cancel(f.c, NULL, NULL);
    CHECK(assay_call_cancel(f.c, ASSAY_RPC_CANCELLED, NULL));
    CHECK_EQ_U64(seen, 0);
    finish(&f);
}

TEST(memory_is_bounded_here_and_outside)
{
    assay_rpc_memory *all = assay_rpc_memory_new(100, NULL), *one = assay_rpc_memory_new(80, all),
                     *two = assay_rpc_memory_new(80, all);
    REQUIRE(all && one && two);
    CHECK(assay_rpc_memory_take(one, 80));
    CHECK(!assay_rpc_memory_take(one, 1));
    CHECK(!assay_rpc_memory_take(two, 21));
    CHECK_EQ_U64(two->used, 0);
    CHECK(assay_rpc_memory_take(two, 20));
    assay_rpc_memory_give(one, 80);
    CHECK_EQ_U64(all->used, 20);
    CHECK(!assay_rpc_memory_take(two, UINT64_MAX));
    assay_rpc_memory_give(two, 20);
    assay_rpc_memory_release(one);
    assay_rpc_memory_release(two);
    CHECK_EQ_U64(all->used, 0);
    assay_rpc_memory_release(all);
    fixture f = begin(&unary, 10);
    CHECK_STATUS(assay_call_send(f.c, "123456", 6, NULL), ASSAY_ENOMEM);
    assay_call_reply(f.c, "123456", 6);
    assay_rpc_code code;
    const char *text;
    CHECK(assay_call_done(f.c, &code, &text) && code == ASSAY_RPC_RESOURCE_EXHAUSTED && assay_call_is_bare(f.c));
    finish(&f);
}

TEST(long_texts_are_cut_between_characters)
{
    fixture f = begin(&unary, 10);
    char long_text[3000];
    assay_rpc_code code;
    const char *text;
    for (size_t i = 0; i < sizeof long_text - 1; i += 2) memcpy(long_text + i, "\xc3\xa9", 2);
    long_text[sizeof long_text - 2] = '\0';
    assay_call_finish(f.c, ASSAY_RPC_INTERNAL, long_text);
    CHECK(assay_call_done(f.c, &code, &text));
    CHECK(strlen(text) > 1000 && strlen(text) % 2 == 0);
    finish(&f);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of replies, from a committed model's folder.
 * ctest: uses unit/cp
 * ctest: uses unit/model */
#define _POSIX_C_SOURCE 200809L
#include "base/mem.h"
#include "engine/catalogue_impl.h"
#include "harness.h"
#include "unit/cp/small_commitment.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MEBIBYTE = 1 << 20, SMALL = 16384 /* configuration, names, the object itself */ };

/* A commitment's folder, its entry, and a request for it. */
typedef struct place {
    assay_catalogue *c;
    assay_subject_entry e;
    assay_buffer req, y;
    assay_blob inputs[2];
} place;

static bool begin(place *p)
{
    static unsigned number;
    char folder[256];
    assay_commitment *c = NULL;
    assay_request *r = NULL;
    memset(p, 0, sizeof *p);
    (void)snprintf(folder, sizeof folder, "%s/m%u", assay_test_tmpdir(), number);
    if (!assay_small_commitment(&c, 4) || !assay_small_request(&r, c)) return false;
    bool done = CHECK_OK(assay_commitment_save(c, folder, 0, NULL)) &&
                CHECK_OK(assay_request_files(r, &p->req, &p->y, NULL)) &&
                CHECK_OK(assay_catalogue_new(&p->c, "", assay_test_tmpdir(), NULL));
    (void)snprintf(folder, sizeof folder, "m%u", number++);
    done = done && CHECK_OK(assay_catalogue_find(p->c, ASSAY_JOB_REPLY, folder, &p->e, NULL));
    p->inputs[0] = (assay_blob){p->req.p, p->req.n};
    p->inputs[1] = (assay_blob){p->y.p, p->y.n};
    assay_commitment_free(c);
    assay_request_free(r);
    return done;
}

static void end(place *p)
{
    assay_buffer_free(&p->req);
    assay_buffer_free(&p->y);
    assay_catalogue_free(p->c);
}

static assay_status plan(const place *p, assay_job_plan *out, size_t n_inputs, uint64_t room, assay_errinfo *err)
{
    return assay_job_plan_make(out, p->c, ASSAY_JOB_REPLY, &p->e, p->inputs, n_inputs, 1, room, err);
}

TEST(a_commitment_and_a_proof_take_what_is_planned)
{
    place p;
    assay_job_plan j;
    assay_commitment *c = NULL;
    assay_request *r = NULL;
    assay_buffer proof;
    const assay_open_options o = {.threads = 1, .reserve = 1};
    REQUIRE(begin(&p));
    REQUIRE_OK(plan(&p, &j, 2, UINT64_MAX, NULL));
    CHECK(j.partitions == 1 && j.prove_bytes == 0 && j.ready < MEBIBYTE);
    assay_mem_peak_reset();
    const uint64_t before = assay_mem_peak();
    REQUIRE_OK(assay_commitment_open(&c, p.e.path, &o, NULL));
    CHECK(assay_mem_peak() - before <= j.key - ASSAY_PLAN_KEEPER + j.load);
    assay_mem_peak_reset();
    const uint64_t open = assay_mem_peak();
    CHECK(open - before <= j.key - ASSAY_PLAN_KEEPER + SMALL && open - before >= j.key - ASSAY_PLAN_KEEPER - SMALL);
    REQUIRE_OK(assay_request_parse(&r, p.req.p, p.req.n, p.y.p, p.y.n, NULL));
    REQUIRE_OK(assay_commitment_prove(c, &proof, r, NULL, NULL));
    CHECK(assay_mem_peak() - open <= j.peak);
    assay_buffer_free(&proof);
    assay_request_free(r);
    assay_commitment_free(c);
    end(&p);
}

TEST(where_no_commitment_stays_open_each_worker_opens_it)
{
    place p;
    assay_job_plan j, own;
    assay_errinfo err = {0};
    REQUIRE(begin(&p));
    REQUIRE_OK(plan(&p, &j, 2, UINT64_MAX, NULL));
    const uint64_t all = j.key + j.load + j.peak;
    REQUIRE_OK(plan(&p, &own, 2, all, NULL));
    CHECK(own.key == j.key);
    REQUIRE_OK(plan(&p, &own, 2, all - 1, NULL));
    CHECK(own.key == 0 && own.load == 0 && own.peak < all && own.peak > j.peak);
    CHECK(own.synthesis > own.ready && own.ready > j.ready && own.prove == own.least);
    const uint64_t least = own.peak;
    CHECK_OK(plan(&p, &own, 2, least, NULL));
    CHECK_STATUS(plan(&p, &own, 2, least - 1, &err), ASSAY_ENOMEM);
    CHECK_EQ_STR(err.subject, p.e.name);
    CHECK((uint64_t)err.a == least / MEBIBYTE + 1 && (uint64_t)err.b == (least - 1) / MEBIBYTE);
    CHECK(own.peak == 0 && own.partitions == 0);
    end(&p);
}

TEST(inputs_that_are_no_request)
{
    place p;
    assay_job_plan j;
    uint8_t byte;
    REQUIRE(begin(&p));
    CHECK_OK(plan(&p, &j, 0, UINT64_MAX, NULL)); /* for the key */
    CHECK(j.key > ASSAY_PLAN_KEEPER && j.partitions == 0);
    CHECK_STATUS(plan(&p, &j, 1, UINT64_MAX, NULL), ASSAY_ERANGE);
    p.inputs[0].n--;
    CHECK_STATUS(plan(&p, &j, 2, UINT64_MAX, NULL), ASSAY_EFORMAT);
    p.inputs[0].n++;
    p.inputs[1].n = 0;
    CHECK_STATUS(plan(&p, &j, 2, UINT64_MAX, NULL), ASSAY_EFORMAT);
    p.inputs[1].n = p.y.n;
    byte = p.req.p[p.req.n - 1]; /* the last token */
    p.req.p[p.req.n - 1] = 0x7f;
    CHECK_STATUS(plan(&p, &j, 2, UINT64_MAX, NULL), ASSAY_ERANGE);
    p.req.p[p.req.n - 1] = byte;
    CHECK_OK(plan(&p, &j, 2, UINT64_MAX, NULL));
    end(&p);
}

TEST(a_folder_with_parts_missing)
{
    static const char *const parts[] = {"config/config.bin", "ivk/ivk.bin", "model/weights.bin", "model/tree.bin",
                                        "config/tokenizer.json"};
    place p;
    assay_job_plan j;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char path[512];
        REQUIRE(begin(&p));
        (void)snprintf(path, sizeof path, "%.300s/%s", p.e.path, parts[i]);
        REQUIRE(unlink(path) == 0);
        CHECK_STATUS(plan(&p, &j, 2, UINT64_MAX, NULL), ASSAY_EIO);
        end(&p);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The transcript against a run of the Python one. */
#include "hash/transcript.h"
#include "vectors/vector_file.h"

enum { MAX = 512 };

static void absorb_bytes(assay_transcript *t, vector_file *v, const char *label)
{
    uint8_t data[2048];
    size_t n = vector_bytes(v, data, sizeof data);
    assay_transcript_absorb(t, label, data, n);
}

static void absorb_elements(assay_transcript *t, vector_file *v, const char *label, bool in_k)
{
    uint32_t f[MAX];
    kel k[MAX];
    size_t n = vector_u64(v);
    REQUIRE(n <= MAX);
    for (size_t i = 0; i < n; i++) {
        if (in_k)
            k[i] = vector_k(v);
        else
            f[i] = vector_f(v);
    }
    if (in_k)
        assay_transcript_absorb_k(t, label, k, n);
    else
        assay_transcript_absorb_f(t, label, f, n);
}

static void draw_elements(assay_transcript *t, vector_file *v, const char *label)
{
    kel got[MAX];
    size_t n = vector_u64(v);
    REQUIRE(n <= MAX);
    assay_transcript_challenge_k(t, label, got, n);
    for (size_t i = 0; i < n; i++) CHECK(k_eq(got[i], vector_k(v)));
}

static void draw_positions(assay_transcript *t, vector_file *v, const char *label)
{
    uint64_t got[MAX];
    unsigned log_size = (unsigned)vector_u64(v);
    size_t count = vector_u64(v), want = vector_u64(v), n = 0;
    REQUIRE(count <= MAX);
    assay_transcript_challenge_positions(t, label, log_size, count, got, &n);
    REQUIRE(n == want);
    for (size_t i = 0; i < n; i++) CHECK_EQ_U64(got[i], vector_u64(v));
}

TEST(vectors)
{
    vector_file v;
    assay_transcript t;
    REQUIRE(vector_open(&v, "field_vectors.txt"));
    assay_transcript_init(&t);
    for (const char *name; (name = vector_line(&v, "t_"));) {
        if (strcmp(name, "t_state") != 0) {
            const char *field = vector_field(&v), *label = strcmp(field, "-") == 0 ? "" : field;
            if (strcmp(name, "t_absorb") == 0)
                absorb_bytes(&t, &v, label);
            else if (strcmp(name, "t_absorb_k") == 0)
                absorb_elements(&t, &v, label, true);
            else if (strcmp(name, "t_absorb_f") == 0)
                absorb_elements(&t, &v, label, false);
            else if (strcmp(name, "t_absorb_u64") == 0)
                assay_transcript_absorb_u64(&t, label, vector_u64(&v));
            else if (strcmp(name, "t_k") == 0)
                draw_elements(&t, &v, label);
            else
                draw_positions(&t, &v, label);
        }
        vector_check_digest(&v, t.state);
    }
    vector_close(&v, 61);
}

/* Moving a byte between label, length and data gives another state. */
TEST(messages_are_separated)
{
    assay_transcript t[5];
    for (int i = 0; i < 5; i++) assay_transcript_init(&t[i]);
    assay_transcript_absorb(&t[0], "ab", "c", 1);
    assay_transcript_absorb(&t[1], "a", "bc", 2);
    assay_transcript_absorb(&t[2], "abc", "", 0);
    assay_transcript_absorb(&t[3], "ab", "c\0", 2);
    assay_transcript_absorb(&t[4], "ab", "", 0);
    assay_transcript_absorb(&t[4], "", "c", 1);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < i; j++) CHECK(memcmp(t[i].state, t[j].state, 32) != 0);
}

/* Two draws in a row differ: a challenge is itself absorbed. */
TEST(challenges_move_on)
{
    assay_transcript t;
    kel a, b;
    assay_transcript_init(&t);
    assay_transcript_challenge_k(&t, "x", &a, 1);
    assay_transcript_challenge_k(&t, "x", &b, 1);
    CHECK(!k_eq(a, b));
    CHECK(k_is_canonical(a) && k_is_canonical(b));
}

TEST(positions_are_distinct_and_sorted)
{
    for (unsigned log_size = 0; log_size <= 12; log_size++)
        for (size_t count = 0; count <= 200; count += 33) {
            assay_transcript t;
            uint64_t pos[200];
            size_t n = 0, size = (size_t)1 << log_size;
            assay_transcript_init(&t);
            assay_transcript_absorb_u64(&t, "seed", count * 100 + log_size);
            assay_transcript_challenge_positions(&t, "p", log_size, count, pos, &n);
            CHECK_EQ_U64(n, count < size ? count : size);
            for (size_t i = 0; i < n; i++) CHECK(pos[i] < size && (i == 0 || pos[i - 1] < pos[i]));
        }
}

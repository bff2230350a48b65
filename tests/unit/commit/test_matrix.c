/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix commitments: roots against the definition, openings of many sets of positions, each changed byte rejected. */
#include "base/mem.h"
#include "commit/matrix.h"
#include "commit/queries.h"
#include "harness.h"
#include "hash/merkle_hash.h"
#include <string.h>

typedef struct fixture {
    assay_code *code;
    assay_backend be;
    assay_pool *pool;
    assay_matrix *m;
    unsigned c, log_rate;
    size_t nrows;
    uint32_t *words;
    const uint32_t *rows[40];
    uint8_t key[32], root[32];
    bool salted;
} fixture;

static bool set_up(fixture *f, unsigned c, unsigned log_rate, size_t nrows, bool salted, unsigned threads)
{
    assay_errinfo err = {0};
    memset(f, 0, sizeof *f);
    f->c = c;
    f->log_rate = log_rate;
    f->nrows = nrows;
    f->salted = salted;
    if (!CHECK_OK(assay_pool_new(&f->pool, threads, &err))) return false;
    assay_backend_cpu_init(&f->be, f->pool);
    if (!CHECK_OK(assay_code_new(&f->code, c, log_rate, &err))) return false;
    f->words = (uint32_t *)assay_mem_alloc(nrows << c, 4);
    if (!CHECK(f->words != NULL)) return false;
    for (size_t i = 0; i < nrows << c; i++) f->words[i] = (uint32_t)(assay_test_random() % M31_P);
    for (size_t r = 0; r < nrows; r++) f->rows[r] = f->words + (r << c);
    for (size_t i = 0; i < 32; i++) f->key[i] = (uint8_t)assay_test_random();
    return CHECK_OK(
        assay_matrix_commit(&f->m, f->code, &f->be, f->rows, nrows, 1, salted ? f->key : NULL, f->root, &err));
}

static void tear_down(fixture *f)
{
    assay_matrix_free(f->m);
    assay_mem_free(f->words);
    assay_code_free(f->code);
    assay_pool_free(f->pool);
}

/* Proof bytes of an opening; columns has npos * nrows words. */
static assay_status open_at(const fixture *f, const assay_matrix *m, assay_writer *w, const uint64_t *pos, size_t npos,
                            uint32_t *columns)
{
    assay_channel ch;
    assay_writer_init(w, 1 << 24);
    assay_channel_init(&ch, ASSAY_PROVE, w, NULL);
    return assay_matrix_open(m, &f->be, &ch, pos, npos, columns, NULL);
}

static const char *check_at(const fixture *f, const uint8_t *p, size_t n, const uint64_t *pos, size_t npos,
                            uint32_t *columns)
{
    assay_channel ch;
    assay_reader r = assay_reader_of(p, n);
    assay_channel_init(&ch, ASSAY_VERIFY, NULL, &r);
    assay_matrix_check(&ch, f->root, 1, f->c + f->log_rate, f->salted, pos, npos, columns, f->nrows);
    assay_channel_check(&ch, assay_reader_left(&r) == 0, "bytes left over");
    return ch.reject;
}

static size_t random_positions(uint64_t *pos, size_t want, unsigned log_size)
{
    uint64_t size = (uint64_t)1 << log_size;
    size_t n = 0;
    while (n < want && n < size) {
        uint64_t x = assay_test_random() % size;
        size_t i = n;
        while (i > 0 && pos[i - 1] > x) i--;
        if (i > 0 && pos[i - 1] == x) continue;
        memmove(pos + i + 1, pos + i, (n - i) * sizeof *pos);
        pos[i] = x;
        n++;
    }
    return n;
}

/* The root from the definition: one leaf and one node after the other. */
static void naive_root(const fixture *f, uint8_t root[32])
{
    size_t n = (size_t)1 << (f->c + f->log_rate);
    uint8_t(*level)[32] = (uint8_t(*)[32])assay_mem_alloc(n, 32);
    uint32_t *word = (uint32_t *)assay_mem_alloc(n * f->nrows, 4), column[40];
    REQUIRE(level && word);
    for (size_t r = 0; r < f->nrows; r++)
        for (unsigned g = 0; g < 1u << f->log_rate; g++)
            assay_code_encode_group(f->code, &f->be, g, word + r * n + ((size_t)g << f->c), f->rows[r]);
    for (size_t j = 0; j < n; j++) {
        uint8_t salt[32];
        assay_merkle_salt(salt, f->key, j);
        for (size_t r = 0; r < f->nrows; r++) column[r] = word[r * n + j];
        assay_merkle_leaf(level[j], 1, j, f->salted ? salt : NULL, column, f->nrows);
    }
    for (uint8_t l = 1; n > 1; l++) {
        n /= 2;
        for (size_t i = 0; i < n; i++) assay_merkle_node(level[i], 1, l, i, level[2 * i], level[2 * i + 1]);
    }
    memcpy(root, level[0], 32);
    assay_mem_free(level);
    assay_mem_free(word);
}

TEST(root_is_the_definition)
{
    for (unsigned c = 1; c <= 11; c += c < 6 ? 1 : 5)
        for (unsigned salted = 0; salted < 2; salted++) {
            fixture f;
            uint8_t root[32];
            REQUIRE(set_up(&f, c, 1 + (c + salted) % 4, 1 + 3 * c % 19, salted, 1 + c % 3));
            naive_root(&f, root);
            CHECK_EQ_MEM(root, f.root, 32);
            tear_down(&f);
        }
}

static void check_opening(const fixture *f, const uint64_t *pos, size_t npos)
{
    static uint32_t opened[ASSAY_MAX_QUERIES * 40], read[ASSAY_MAX_QUERIES * 40];
    assay_writer w;
    REQUIRE_OK(open_at(f, f->m, &w, pos, npos, opened));
    const char *reject = check_at(f, w.p, w.n, pos, npos, read);
    CHECK_EQ_STR(reject ? reject : "accepted", "accepted");
    CHECK_EQ_MEM(opened, read, npos * f->nrows * 4);
    for (int trial = 0; trial < 3; trial++) { /* columns are codeword positions of the rows */
        size_t i = assay_test_random() % npos, r = assay_test_random() % f->nrows;
        uint32_t vars[30], value = 0;
        assay_code_vars(f->c, f->log_rate, pos[i], vars);
        for (size_t b = 0; b >> f->c == 0; b++) {
            uint32_t term = f->rows[r][b];
            for (unsigned k = 0; k < f->c; k++)
                if (b >> k & 1) term = m31_mul(term, vars[k]);
            value = m31_add(value, term);
        }
        CHECK_EQ_U64(read[i * f->nrows + r], value);
    }
    assay_writer_clear(&w);
}

TEST(openings)
{
    static const unsigned shapes[][3] = {{1, 1, 1},  {1, 4, 3}, {3, 2, 5}, {4, 2, 2},
                                         {5, 2, 17}, {5, 1, 1}, {9, 3, 6}, {12, 2, 3}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (unsigned salted = 0; salted < 2; salted++) {
            fixture f;
            uint64_t pos[ASSAY_MAX_QUERIES];
            unsigned log_size = shapes[s][0] + shapes[s][1];
            REQUIRE(set_up(&f, shapes[s][0], shapes[s][1], shapes[s][2], salted, 1 + (unsigned)s % 3));
            for (size_t want = 1; want <= ASSAY_MAX_QUERIES; want = want * 3 / 2 + 1)
                check_opening(&f, pos, random_positions(pos, want, log_size));
            check_opening(&f, pos, random_positions(pos, ASSAY_MAX_QUERIES, log_size)); /* all of a small tree */
            for (uint64_t edge = 0; edge < 2; edge++) {
                pos[0] = edge ? ((uint64_t)1 << log_size) - 1 : 0;
                check_opening(&f, pos, 1);
            }
            tear_down(&f);
        }
}

TEST(an_opening_of_all_takes_no_siblings)
{
    fixture f;
    assay_writer w;
    uint64_t pos[128];
    uint32_t columns[128 * 2];
    REQUIRE(set_up(&f, 5, 2, 2, true, 1));
    for (uint64_t i = 0; i < 128; i++) pos[i] = i;
    REQUIRE_OK(open_at(&f, f.m, &w, pos, 128, columns));
    CHECK_EQ_U64(w.n, 128 * (2 * 4 + 32));
    assay_writer_clear(&w);
    REQUIRE_OK(open_at(&f, f.m, &w, pos, 1, columns));
    CHECK_EQ_U64(w.n, 2 * 4 + 32 + 7 * 32);
    assay_writer_clear(&w);
    tear_down(&f);
}

TEST(every_changed_byte_is_rejected)
{
    for (unsigned salted = 0; salted < 2; salted++) {
        fixture f;
        assay_writer w;
        uint64_t pos[9];
        uint32_t columns[9 * 4], zero[9 * 4] = {0};
        REQUIRE(set_up(&f, 6, 2, 4, salted, 1));
        size_t npos = random_positions(pos, 9, 8);
        REQUIRE_OK(open_at(&f, f.m, &w, pos, npos, columns));
        for (size_t i = 0; i < w.n; i++)
            for (unsigned bit = 0; bit < 8; bit += 7) {
                w.p[i] ^= (uint8_t)(1u << bit);
                CHECK(check_at(&f, w.p, w.n, pos, npos, columns) != NULL);
                CHECK_EQ_MEM(columns, zero, sizeof zero);
                w.p[i] ^= (uint8_t)(1u << bit);
            }
        CHECK(check_at(&f, w.p, w.n, pos, npos, columns) == NULL);
        for (size_t n = 0; n < w.n; n += 5) CHECK(check_at(&f, w.p, n, pos, npos, columns) != NULL);
        for (size_t i = 0; i < npos; i++) { /* the same bytes at another position */
            uint64_t other[9];
            memcpy(other, pos, sizeof other);
            other[i] ^= 1;
            CHECK(check_at(&f, w.p, w.n, other, npos, columns) != NULL);
        }
        f.root[31] ^= 1;
        CHECK(check_at(&f, w.p, w.n, pos, npos, columns) != NULL);
        assay_writer_clear(&w);
        tear_down(&f);
    }
}

/* v + p is another writing of v: the hash differs, and even with a tree built over it the word is refused. */
TEST(words_above_p_are_rejected)
{
    uint32_t column[1] = {5 + M31_P};
    uint8_t root[32], bytes[4];
    uint64_t pos[1] = {0};
    assay_channel ch;
    for (int bad = 0; bad < 2; bad++) {
        column[0] = bad ? 5 + M31_P : 5;
        assay_merkle_leaf(root, 1, 0, NULL, column, 1);
        assay_store_u32(bytes, column[0]);
        assay_reader r = assay_reader_of(bytes, 4);
        assay_channel_init(&ch, ASSAY_VERIFY, NULL, &r);
        assay_matrix_check(&ch, root, 1, 0, false, pos, 1, column, 1);
        CHECK((ch.reject != NULL) == (bad == 1));
    }
}

TEST(bad_positions)
{
    fixture f;
    assay_writer w;
    uint64_t twice[2] = {3, 3}, falling[2] = {4, 3}, far[1] = {256};
    uint32_t columns[2];
    REQUIRE(set_up(&f, 6, 2, 1, false, 1));
    CHECK_STATUS(open_at(&f, f.m, &w, twice, 2, columns), ASSAY_EINVAL);
    CHECK_STATUS(open_at(&f, f.m, &w, falling, 2, columns), ASSAY_EINVAL);
    CHECK_STATUS(open_at(&f, f.m, &w, far, 1, columns), ASSAY_EINVAL);
    CHECK_STATUS(open_at(&f, f.m, &w, far, 0, columns), ASSAY_EINVAL);
    uint8_t bytes[1024] = {0};
    CHECK(check_at(&f, bytes, sizeof bytes, falling, 2, columns) != NULL);
    CHECK(check_at(&f, bytes, 0, far, 0, columns) != NULL);
    tear_down(&f);
}

TEST(save_and_load)
{
    for (unsigned salted = 0; salted < 2; salted++) {
        fixture f;
        assay_writer saved, a, b;
        assay_matrix *m = NULL;
        uint64_t pos[20];
        uint32_t columns[20 * 7];
        const uint8_t *key;
        REQUIRE(set_up(&f, 7, 2, 7, salted, 2));
        key = salted ? f.key : NULL;
        assay_writer_init(&saved, 1 << 20);
        REQUIRE_OK(assay_matrix_save(f.m, &saved, NULL));
        assay_reader r = assay_reader_of(saved.p, saved.n);
        REQUIRE_OK(assay_matrix_load(&m, f.code, f.rows, f.nrows, 1, key, f.root, &r, NULL));
        CHECK_EQ_U64(assay_reader_left(&r), 0);
        size_t npos = random_positions(pos, 20, 9);
        REQUIRE_OK(open_at(&f, f.m, &a, pos, npos, columns));
        REQUIRE_OK(open_at(&f, m, &b, pos, npos, columns));
        REQUIRE(a.n == b.n);
        CHECK_EQ_MEM(a.p, b.p, a.n);
        assay_writer_clear(&a);
        assay_writer_clear(&b);
        f.words[3] ^= 1; /* rows that are not those committed */
        CHECK_STATUS(open_at(&f, m, &b, pos, npos, columns), ASSAY_EINVAL);
        CHECK_EQ_U64(b.n, 0);
        assay_matrix_free(m);
        for (size_t i = 0; i < saved.n; i += i < 16 ? 1 : 61) {
            saved.p[i] ^= 1;
            r = assay_reader_of(saved.p, saved.n);
            CHECK_STATUS(assay_matrix_load(&m, f.code, f.rows, f.nrows, 1, key, f.root, &r, NULL), ASSAY_EFORMAT);
            saved.p[i] ^= 1;
            r = assay_reader_of(saved.p, i);
            CHECK_STATUS(assay_matrix_load(&m, f.code, f.rows, f.nrows, 1, key, f.root, &r, NULL), ASSAY_EFORMAT);
            CHECK(m == NULL);
        }
        assay_writer_clear(&saved);
        tear_down(&f);
    }
}

TEST(allocation_failures)
{
    fixture f;
    uint64_t pos[3] = {1, 70, 200};
    uint32_t columns[3 * 3];
    REQUIRE(set_up(&f, 6, 2, 3, true, 1));
    for (uint64_t k = 1; k <= 4; k++) {
        assay_matrix *m = NULL;
        uint8_t root[32];
        (void)assay_mem_fail_after(k);
        CHECK_STATUS(assay_matrix_commit(&m, f.code, &f.be, f.rows, 3, 1, f.key, root, NULL), ASSAY_ENOMEM);
        CHECK(m == NULL);
    }
    for (uint64_t k = 1; k <= 6; k++) {
        assay_writer w;
        (void)assay_mem_fail_after(k);
        CHECK_STATUS(open_at(&f, f.m, &w, pos, 3, columns), ASSAY_ENOMEM);
        assay_writer_clear(&w);
    }
    (void)assay_mem_fail_after(0);
    assay_matrix_free(NULL);
    tear_down(&f);
}

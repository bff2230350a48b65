/* SPDX-License-Identifier: Apache-2.0 */
/* The other files of a commitment's folder; the first byte says which: key.bin, counter, tree.bin (of a small matrix),
 * ID.txt. What decodes encodes to the same bytes. */
#include "base/mem.h"
#include "commit/matrix.h"
#include "cp/id_codec.h"
#include "cp/store_codec.h"
#include "fuzz.h"
#include <string.h>

enum { ROWS = 2, C = 5 };

static void key_file(const uint8_t *data, size_t size)
{
    assay_secret_key k;
    uint8_t out[ASSAY_KEY_FILE];
    if (assay_secret_key_decode(&k, data, size, NULL) != ASSAY_OK) return;
    assay_secret_key_encode(out, &k);
    FUZZ_REQUIRE(size == sizeof out && memcmp(out, data, size) == 0);
}

static void counter_file(const uint8_t *data, size_t size)
{
    uint64_t spent;
    uint8_t out[ASSAY_COUNTER_FILE];
    if (assay_counter_decode(&spent, data, size, NULL) != ASSAY_OK) return;
    assay_counter_encode(out, spent);
    FUZZ_REQUIRE(size == sizeof out && memcmp(out, data, size) == 0);
}

/* The matrix is zero; its tree can be loaded from one file only. */
static void tree_file(const uint8_t *data, size_t size)
{
    static uint32_t row[1 << C];
    static const uint32_t *const rows[ROWS] = {row, row};
    static assay_writer good;
    static assay_code *code;
    static uint8_t root[32];
    assay_matrix *m;
    if (good.n == 0) {
        assay_backend be;
        assay_backend_cpu_init(&be, NULL);
        FUZZ_REQUIRE(assay_code_new(&code, C, 2, NULL) == ASSAY_OK);
        FUZZ_REQUIRE(assay_matrix_commit(&m, code, &be, rows, ROWS, ASSAY_TREE_WEIGHTS, NULL, root, NULL) == ASSAY_OK);
        assay_writer_init(&good, 1 << 20);
        assay_tree_head_encode(&good);
        FUZZ_REQUIRE(assay_matrix_save(m, &good, NULL) == ASSAY_OK);
        assay_matrix_free(m);
    }
    assay_reader r = assay_reader_of(data, size);
    if (assay_tree_head_decode(&r, NULL) != ASSAY_OK) return;
    if (assay_matrix_load(&m, code, rows, ROWS, ASSAY_TREE_WEIGHTS, NULL, root, &r, NULL) != ASSAY_OK) return;
    FUZZ_REQUIRE(size - assay_reader_left(&r) == good.n && memcmp(data, good.p, good.n) == 0);
    assay_matrix_free(m);
}

static void id_file(const uint8_t *data, size_t size)
{
    uint8_t id[ASSAY_ID_BYTES], again[ASSAY_ID_BYTES];
    char text[ASSAY_ID_TEXT + 1];
    if (assay_id_decode(id, (const char *)data, size, NULL) != ASSAY_OK) return;
    assay_id_encode(text, id);
    FUZZ_REQUIRE(assay_id_decode(again, text, ASSAY_ID_TEXT, NULL) == ASSAY_OK && memcmp(id, again, sizeof id) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const file[])(const uint8_t *, size_t) = {key_file, counter_file, tree_file, id_file};
    if (size == 0 || data[0] >= sizeof file / sizeof *file) return 0;
    file[data[0]](data + 1, size - 1);
    return 0;
}

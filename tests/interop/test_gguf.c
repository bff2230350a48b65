/* SPDX-License-Identifier: Apache-2.0 */
/* GGUF files written by ggml's own package: every tensor has the values, bit for bit, that the package reads; and those
 * of SmolLM2-135M-Instruct. Needs a package registry.
 * ctest: labels interop
 * ctest: timeout 600 */
#include "base/mem.h"
#include "hash/sha256.h"
#include "model/checkpoint_slots.h"
#include "unit/harness.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { PATH = 1024, HEX = 64, LLAMA_TENSORS = 9 };

static const assay_tensor_names names = {"blk.",
                                         {"attn_norm.weight", "attn_q.weight", "attn_k.weight", "attn_v.weight",
                                          "attn_output.weight", "ffn_norm.weight", "ffn_gate.weight", "ffn_up.weight",
                                          "ffn_down.weight", "attn_q.bias", "attn_k.bias", "attn_v.bias",
                                          "attn_q_norm.weight", "attn_k_norm.weight"},
                                         {"token_embd.weight", "output_norm.weight", "output.weight"}};

/* Runs gguf_reference.py; false when the test is skipped or failed. */
static bool make_files(const char *what)
{
    char command[4 * PATH];
    const char *build = getenv("ASSAY_BINARY_DIR");
    snprintf(command, sizeof command, "/usr/bin/python3 %s/tests/interop/gguf_reference.py %s %s/interop %s",
             assay_test_source_dir(), what, build ? build : assay_test_tmpdir(), assay_test_tmpdir());
    int status = system(command);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        assay_test_skip("the packages are not to be had");
        return false;
    }
    return CHECK(status == 0);
}

static void hex_digest(char out[HEX + 1], const float *x, size_t n)
{
    uint8_t digest[32];
    assay_sha256_digest(digest, x, n * sizeof *x);
    for (size_t i = 0; i < 32; i++) snprintf(out + 2 * i, 3, "%02x", digest[i]);
}

/* Compares the model OUT/<name>.gguf with the digests of OUT/<name>.txt; returns the number of tensors. */
static unsigned compare(const char *name, assay_checkpoint *ck)
{
    char path[PATH], line[512], got[HEX + 1];
    unsigned n = 0;
    snprintf(path, sizeof path, "%s/%s.gguf", assay_test_tmpdir(), name);
    if (!CHECK_OK(assay_checkpoint_open(ck, path, NULL))) return 0;
    snprintf(path, sizeof path, "%s/%s.txt", assay_test_tmpdir(), name);
    FILE *f = fopen(path, "r");
    if (!CHECK(f != NULL)) return 0;
    while (fgets(line, sizeof line, f)) {
        char *digest = strchr(line, ' ');
        if (!CHECK(digest != NULL)) break;
        *digest++ = 0;
        digest[HEX] = 0;
        assay_slot slot = assay_checkpoint_slot(ck, &names, line);
        if (!CHECK(slot.at && *slot.at)) break;
        hex_digest(got, *slot.at, (size_t)slot.rows * slot.cols);
        if (!CHECK_EQ_STR(got, digest)) printf("    %s: %s\n", name, line);
        n++;
    }
    (void)fclose(f);
    return n;
}

TEST(every_type_has_the_values_of_the_reference)
{
    static const char *const type[] = {"F32", "F16", "BF16", "Q8_0", "Q4_0", "Q4_1", "Q4_K", "Q5_K", "Q6_K"};
    if (!make_files("types")) return;
    for (size_t i = 0; i < sizeof type / sizeof *type; i++) {
        assay_checkpoint ck;
        CHECK_EQ_U64(compare(type[i], &ck), 2 * LLAMA_TENSORS + 3);
        assay_checkpoint_clear(&ck);
    }
}

TEST(smollm2_is_read_as_it_is)
{
    assay_checkpoint ck;
    if (!make_files("smollm2")) return;
    CHECK_EQ_U64(compare("smollm2", &ck), 30 * LLAMA_TENSORS + 2);
    const assay_hf_config *c = &ck.cfg;
    CHECK(c->n_layers == 30 && c->d == 576 && c->n_heads == 9 && c->n_kv == 3 && c->head_dim == 64);
    CHECK(c->ff == 1536 && c->vocab == 49152 && c->tied == 1 && c->max_positions == 8192);
    CHECK(c->rope_theta == 100000.0 && c->bos == -1 && c->eos == 2 && c->n_stop == 1 && c->stop[0] == 2);
    assay_checkpoint_clear(&ck);
}

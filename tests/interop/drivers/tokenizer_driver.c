/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a tokenizer on what test_tokenizers.py sends, which compiles this file.
 *     tokenizer_driver json|folder|gguf|packed PATH [PACK_TO]
 * A request is a letter, a 32-bit length and that many bytes: e text, special tokens recognised; p plain text; d 32-bit
 * ids; c a chat: "1" or "0" for whether there is a system text, its 32-bit length, it, and the user's message. The
 * answer is a 32-bit status, a 32-bit length and the bytes of ids or text; for a failure, of the message. */
#include "base/file.h"
#include "base/mem.h"
#include "model/chat.h"
#include "model/gguf.h"
#include <stdio.h>
#include <string.h>

enum { PATH = 4096, MAX_REQUEST = 1 << 24 };

static assay_status read_folder(assay_tokenizer **t, const char *folder, assay_errinfo *err)
{
    static const char *const names[] = {"tokenizer.json", "tokenizer_config.json", "chat_template.jinja"};
    uint8_t *p[3] = {NULL, NULL, NULL};
    size_t n[3] = {0, 0, 0};
    char path[PATH];
    for (int i = 0; i < 3; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        if (assay_file_read(path, 1 << 28, &p[i], &n[i], NULL) != ASSAY_OK) p[i] = NULL;
    }
    assay_status s = assay_tokenizer_of_folder(t, p[0], n[0], p[1], n[1], p[2], n[2], err);
    for (int i = 0; i < 3; i++) assay_mem_free_secret(p[i], n[i]);
    return s;
}

static assay_status load(assay_tokenizer **t, const char *kind, const char *path, assay_errinfo *err)
{
    uint8_t *p = NULL;
    size_t n = 0;
    if (strcmp(kind, "folder") == 0) return read_folder(t, path, err);
    assay_status s = assay_file_read(path, 1 << 30, &p, &n, err);
    if (s == ASSAY_OK && strcmp(kind, "gguf") == 0) {
        assay_gguf g;
        s = assay_gguf_parse(&g, path, p, n, err);
        if (s == ASSAY_OK) s = assay_tokenizer_of_gguf(t, &g, err);
        assay_gguf_clear(&g);
    } else if (s == ASSAY_OK) {
        s = assay_tokenizer_new(t, p, n, err);
    }
    assay_mem_free_secret(p, n);
    return s;
}

static void answer(assay_status s, const void *p, size_t n, const assay_errinfo *err)
{
    char message[512] = "";
    if (s != ASSAY_OK) {
        assay_errinfo_text(err, message, sizeof message);
        p = message;
        n = strlen(message);
    }
    uint32_t head[2] = {(uint32_t)s, (uint32_t)n};
    fwrite(head, sizeof head, 1, stdout);
    if (n) fwrite(p, 1, n, stdout);
}

static void serve(const assay_tokenizer *t, int letter, const char *p, size_t n)
{
    uint32_t *ids = NULL, n_system = 0;
    size_t n_out = 0;
    char *text = NULL;
    assay_errinfo err = {0};
    assay_status s;
    if (letter == 'd') {
        s = assay_tokenizer_decode(t, (const uint32_t *)(const void *)p, n / 4, &text, &n_out, &err);
        answer(s, text, n_out, &err);
    } else {
        if (letter == 'c') {
            memcpy(&n_system, p + 1, 4);
            s = assay_chat_prompt(t, &ids, &n_out, p[0] == '1' ? p + 5 : NULL, n_system, p + 5 + n_system,
                                  n - 5 - n_system, &err);
        } else {
            s = assay_tokenizer_encode(t, p, n, letter == 'e', &ids, &n_out, &err);
        }
        answer(s, ids, n_out * sizeof *ids, &err);
    }
    assay_mem_free(text);
    assay_mem_free(ids);
}

int main(int argc, char **argv)
{
    assay_tokenizer *t = NULL;
    assay_errinfo err = {0};
    char message[512];
    uint32_t n;
    if (argc < 3) return 2;
    assay_status s = load(&t, argv[1], argv[2], &err);
    if (s == ASSAY_OK && argc > 3) {
        uint8_t *packed = NULL;
        size_t n_packed = 0;
        s = assay_tokenizer_pack(t, &packed, &n_packed, &err);
        if (s == ASSAY_OK) s = assay_file_write(argv[3], packed, n_packed, 0644, &err);
        assay_mem_free(packed);
    }
    if (s != ASSAY_OK) {
        assay_errinfo_text(&err, message, sizeof message);
        fprintf(stderr, "%s\n", message);
        assay_tokenizer_free(t);
        return 1;
    }
    for (int letter; (letter = getchar()) != EOF;) {
        if (fread(&n, 4, 1, stdin) != 1 || n > MAX_REQUEST) return 2;
        char *p = assay_mem_alloc(n + 1, 1);
        if (!p || (n && fread(p, 1, n, stdin) != n)) return 2;
        serve(t, letter, p, n);
        assay_mem_free(p);
    }
    assay_tokenizer_free(t);
    return 0;
}

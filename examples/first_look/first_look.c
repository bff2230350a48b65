/* SPDX-License-Identifier: Apache-2.0 */
/* A first look at the proof library: one small statement, proven with everything hidden.
 *
 *     I know a matrix W, the one that I committed to under this root, and matrices x, y, rem with
 *         x W = 2^6 y + rem,    -128 <= x, y < 128,   0 <= rem < 64,    and  y[0][0] is the number in the statement.
 *
 * That is a layer of a quantised network. statement.c makes its claims; this file does what is alike for every
 * statement: cells and random slots, commitment, merge, fold, opening (docs/protocol.md §8 to §10).
 *
 *     first_look prove SEED ROWS INNER COLUMNS NAME     writes NAME.statement and NAME.proof
 *     first_look verify STATEMENT PROOF                 exit code 0 and "accepted", or 1 and a reason */
#include "first_look.h"
#include "backend/drbg.h"
#include "base/file.h"
#include "base/mem.h"
#include "hash/random.h"
#include "poly/eq.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void look_need(assay_status s, const char *what)
{
    if (s == ASSAY_OK) return;
    (void)printf("failed: %s (%s)\n", what, assay_status_name(s));
    exit(2);
}

void *look_get(size_t n, size_t each)
{
    void *p = assay_mem_alloc(n, each);
    look_need(p ? ASSAY_OK : ASSAY_ENOMEM, "memory");
    return p;
}

static void new_row(assay_kvec *v)
{
    look_need(assay_kvec_new(v, N) ? ASSAY_OK : ASSAY_ENOMEM, "memory");
}

/* Opens both trees at random positions: the folded vector u must agree with the committed rows there. */
static size_t open_columns(void *ctx, assay_channel *ch, assay_tail_claim *out, size_t max)
{
    party *s = (party *)ctx;
    uint64_t pos[ASSAY_MAX_QUERIES];
    kel er[2 * MAX_ROWS];
    size_t width = MASKS + s->shape.n_rows, n = assay_query_count(SETTING, ASSAY_MAIN_LOG_RATE);
    n = assay_channel_positions(ch, "positions", C + ASSAY_MAIN_LOG_RATE, n < max ? n : max, pos);
    uint32_t *w = (uint32_t *)look_get(n, sizeof *w), *column = (uint32_t *)look_get(n * width, sizeof *column);
    if (ch->role == ASSAY_PROVE) {
        look_need(assay_matrix_open(s->tree_w, &s->be, ch, pos, n, w, NULL), "opening");
        look_need(assay_matrix_open(s->tree, &s->be, ch, pos, n, column, NULL), "opening");
    } else {
        assay_matrix_check(ch, s->root_w, ASSAY_TREE_WEIGHTS, C + ASSAY_MAIN_LOG_RATE, true, pos, n, w, 1);
        assay_matrix_check(ch, s->root, ASSAY_TREE_WITNESS, C + ASSAY_MAIN_LOG_RATE, true, pos, n, column, width);
    }
    assay_eq_table(er, s->merge.point + C, s->shape.row_bits);
    for (size_t i = 0; i < n; i++) {
        out[i] = (assay_tail_claim){.kind = ASSAY_FUN_POSITION, .pos = pos[i]};
        out[i].value = assay_merge_position_value(&s->shape, &s->merge, er, k_from_f(w[i]), column + i * width);
    }
    assay_mem_free(w);
    assay_mem_free(column);
    return n;
}

static void drop_claims(party *s)
{
    for (size_t f = 0; f < s->n_forms; f++) {
        assay_mem_free(s->form[f].coef);
        assay_mem_free(s->form[f].of_w);
    }
    s->n_forms = 0;
    assay_iop_free(s->iop);
    s->iop = NULL;
}

/* Where cells stand, and how many there are: the planner runs the statement to count the hidden messages. */
static void lay_out(party *s, uint32_t (**products)[2])
{
    s->y = (size_t)s->rows * s->inner;
    s->rem = s->y + (size_t)s->rows * s->columns;
    s->times = s->rem + (size_t)s->rows * s->columns;
    s->pads = s->times + VALUES + REMAINDERS;
    assay_channel_init(&s->ch, ASSAY_PLAN, NULL, NULL);
    look_need(assay_iop_new(&s->iop, &s->ch, NULL, NULL, NULL, NULL, NULL), "plan");
    look_state(s);
    look_need(s->ch.status, "plan");
    assay_iop_plan_get(s->iop, &s->plan);
    *products = (uint32_t(*)[2])look_get(s->plan.n_products, sizeof **products);
    memcpy(*products, assay_iop_products(s->iop), s->plan.n_products * sizeof **products);
    drop_claims(s);
    s->n_cells = s->pads + K_WORDS * (size_t)iop_plan_cells(&s->plan);
    s->shape = (assay_merge_shape){C, 0, (s->n_cells + ROOM - 1) / ROOM};
    while ((size_t)1 << s->shape.row_bits < 2 + s->shape.n_rows) s->shape.row_bits++;
    look_need(s->shape.n_rows <= MAX_ROWS - 2 ? ASSAY_OK : ASSAY_ERANGE, "rows");
}

/* What hides: pads and their products in cells, random slots at the end of each row, the random rows M and R. All of it
 * is expanded from one key, which is fresh for each proof. */
static void fill_random(party *s, const uint8_t key[32], const uint32_t (*products)[2])
{
    size_t n = iop_plan_cells(&s->plan), n_words = K_WORDS * ((size_t)s->plan.n_hidden + 2);
    uint32_t *words = (uint32_t *)look_get(n_words, sizeof *words);
    assay_drbg_fill_f(&s->be, words, n_words, key, 1);
    assay_iop_fill_cells(s->pad, &s->plan, products, words);
    assay_mem_free_secret(words, n_words * sizeof *words);
    for (size_t e = 0; e < n; e++) memcpy(s->cell + s->pads + K_WORDS * e, s->pad[e].v, sizeof s->pad[e].v);
    for (size_t i = 0; i < s->shape.n_rows; i++) {
        size_t left = s->n_cells - i * ROOM;
        s->row[i] = (uint32_t *)look_get(N, sizeof **s->row);
        memcpy(s->row[i], s->cell + i * ROOM, (left < ROOM ? left : ROOM) * sizeof **s->row);
        assay_drbg_fill_f(&s->be, s->row[i] + ROOM, SLOTS, key, 100 + i);
    }
    for (unsigned j = 0; j < K_WORDS; j++) {
        assay_drbg_fill_f(&s->be, s->m.c[j], N, key, 10 + j);
        assay_drbg_fill_f(&s->be, s->r.c[j], N, key, 20 + j);
    }
}

/* From the first message to the last, for both parties. */
static void run(party *s, const char *statement)
{
    assay_tail_claim claims[2];
    assay_tail_prover *tail = NULL;
    bool proving = s->ch.role == ASSAY_PROVE;
    kel *phi = (kel *)look_get(s->n_cells, sizeof *phi), *phi_w = (kel *)look_get(N, sizeof *phi_w);
    const assay_merge_prover mp = {&assay_merge_prover_ops,         &s->be, &s->p, &s->r, &s->m,
                                   (const uint32_t *const *)s->row, s->phi};
    assay_channel_absorb(&s->ch, "statement", statement, strlen(statement));
    assay_channel_bytes(&s->ch, "root", s->root, sizeof s->root); /* before the first challenge */
    look_need(assay_iop_new(&s->iop, &s->ch, proving ? &assay_iop_prover_ops : NULL, proving ? &s->be : NULL, &s->plan,
                            s->pad, NULL),
              "claims");
    look_state(s);
    assay_iop_batch(s->iop); /* everything required becomes one claim: sum phi * cell = value */
    look_weigh(s, phi, phi_w);
    for (size_t row = 0; proving && row < 2 + s->shape.n_rows; row++) {
        if (row == 1) continue; /* R is in no claim */
        new_row(&s->phi[row]);
        for (size_t i = 0; row == 0 && i < N; i++) kvec_set(&s->phi[0], i, phi_w[i]);
        for (size_t i = (row - 2) * ROOM; row > 1 && i < s->n_cells && i < (row - 1) * ROOM; i++)
            kvec_set(&s->phi[row], i % ROOM, phi[i]);
    }
    assay_merge_run(&s->ch, &s->shape, proving ? &mp : NULL, assay_iop_value(s->iop), &s->merge);
    assay_merge_fold(&s->ch, &s->shape, proving ? &mp : NULL, look_weigh_at(s, phi, phi_w), &s->merge, claims, &s->u);
    if (proving) look_need(assay_tail_prover_new(&tail, &s->be, s->code, &s->u, NULL), "tail");
    assay_tail_run(&s->ch, tail, SETTING, C, claims, 2, open_columns, s);
    assay_tail_prover_free(tail);
    look_need(s->ch.status, "proof");
    assay_mem_free(phi);
    assay_mem_free(phi_w);
}

static void clear(party *s, uint32_t (*products)[2])
{
    drop_claims(s);
    assay_mem_free(products);
    assay_mem_free_secret(s->cell, s->n_cells * sizeof *s->cell);
    assay_mem_free_secret(s->pad, iop_plan_cells(&s->plan) * sizeof *s->pad);
    for (size_t i = 0; i < MAX_ROWS; i++) assay_mem_free_secret(s->row[i], N * sizeof **s->row);
    assay_matrix_free(s->tree_w);
    assay_matrix_free(s->tree);
    assay_code_free(s->code);
    assay_kvec_free(&s->m), assay_kvec_free(&s->r), assay_kvec_free(&s->p), assay_kvec_free(&s->u);
    assay_mem_wipe(s, sizeof *s); /* W is in it */
}

static void print_statement(char out[300], const party *s)
{
    int n =
        snprintf(out, 300, "rows %u inner %u columns %u output %d weights ", s->rows, s->inner, s->columns, s->output);
    for (int i = 0; i < 32; i++) n += snprintf(out + n, (size_t)(300 - n), "%02x", s->root_w[i]);
    (void)snprintf(out + n, (size_t)(300 - n), "\n");
}

static bool sizes_fit(const party *s)
{
    return s->rows >= 1 && s->rows <= MAX_SIDE && s->inner >= 2 && s->inner <= MAX_SIDE && s->columns >= 1 &&
           s->columns <= MAX_SIDE;
}

/* "word NUMBER " at *at, which moves past it. */
static bool read_number(const char **at, const char *word, long *v)
{
    size_t n = strlen(word);
    char *end;
    if (strncmp(*at, word, n) != 0) return false;
    *v = strtol(*at + n, &end, 10);
    if (end == *at + n || *end != ' ') return false;
    *at = end + 1;
    return true;
}

/* Whether the text is a statement, written in the one way that print_statement has. */
static bool read_statement(party *s, const char *text)
{
    char again[300], byte[3] = "";
    const char *at = text;
    long rows, inner, columns, output;
    if (!read_number(&at, "rows ", &rows) || !read_number(&at, "inner ", &inner) ||
        !read_number(&at, "columns ", &columns) || !read_number(&at, "output ", &output) ||
        strncmp(at, "weights ", 8) != 0 || strlen(at) < 8 + 64)
        return false;
    s->rows = (uint32_t)rows;
    s->inner = (uint32_t)inner;
    s->columns = (uint32_t)columns;
    s->output = (int32_t)output;
    for (size_t i = 0; i < 32; i++) {
        memcpy(byte, at + 8 + 2 * i, 2);
        s->root_w[i] = (uint8_t)strtoul(byte, NULL, 16);
    }
    print_statement(again, s);
    return strcmp(again, text) == 0 && sizes_fit(s);
}

static int prove(party *s, uint32_t seed, const char *name)
{
    uint8_t key[3][32]; /* of the coins, of each tree's salts */
    char statement[300], path[1000];
    uint32_t(*products)[2];
    const uint32_t *row_w = s->w, *committed[MASKS + MAX_ROWS];
    assay_writer proof;
    look_need(sizes_fit(s) ? ASSAY_OK : ASSAY_ERANGE, "sizes");
    assay_backend_cpu_init(&s->be, NULL);
    lay_out(s, &products);
    s->cell = (uint32_t *)look_get(s->n_cells, sizeof *s->cell);
    s->pad = (kel *)look_get(iop_plan_cells(&s->plan), sizeof *s->pad);
    new_row(&s->m), new_row(&s->r), new_row(&s->p);
    look_need(assay_random_bytes(key[0], sizeof key, NULL), "randomness");
    look_fill_values(s, seed);
    fill_random(s, key[0], (const uint32_t(*)[2])products);

    /* W is committed on its own, once for many proofs in real life: a salted tree, with random slots in the row. */
    assay_drbg_fill_f(&s->be, s->w + ROOM, SLOTS, key[1], 1);
    for (size_t i = 0; i < N; i++) kvec_set(&s->p, i, k_from_f(s->w[i]));
    look_need(assay_code_new(&s->code, C, ASSAY_MAIN_LOG_RATE, NULL), "code");
    look_need(assay_matrix_commit(&s->tree_w, s->code, &s->be, &row_w, 1, ASSAY_TREE_WEIGHTS, key[1], s->root_w, NULL),
              "commitment to W");
    /* The rest is committed for this proof. */
    for (size_t j = 0; j < K_WORDS; j++) committed[j] = s->m.c[j], committed[K_WORDS + j] = s->r.c[j];
    for (size_t i = 0; i < s->shape.n_rows; i++) committed[MASKS + i] = s->row[i];
    look_need(assay_matrix_commit(&s->tree, s->code, &s->be, committed, MASKS + s->shape.n_rows, ASSAY_TREE_WITNESS,
                                  key[2], s->root, NULL),
              "commitment");
    print_statement(statement, s);
    assay_writer_init(&proof, (size_t)1 << 26);
    assay_channel_init(&s->ch, ASSAY_PROVE, &proof, NULL);
    run(s, statement);
    (void)snprintf(path, sizeof path, "%s.statement", name);
    look_need(assay_file_write(path, statement, strlen(statement), 0644, NULL), path);
    (void)snprintf(path, sizeof path, "%s.proof", name);
    look_need(assay_file_write(path, proof.p, proof.n, 0644, NULL), path);
    (void)printf("%zu cells, %u hidden messages: %zu bytes of proof\n", s->n_cells, s->plan.n_hidden, proof.n);
    assay_writer_clear(&proof);
    assay_mem_wipe(key, sizeof key);
    clear(s, products);
    return 0;
}

static int reject(const char *why)
{
    (void)printf("rejected: %s\n", why);
    return 1;
}

static int verify(party *s, const char *statement_path, const char *proof_path)
{
    uint8_t *text, *proof;
    char statement[300] = "";
    size_t n_text, n_proof;
    uint32_t(*products)[2];
    look_need(assay_file_read(statement_path, 1 << 20, &text, &n_text, NULL), statement_path);
    look_need(assay_file_read(proof_path, 1 << 26, &proof, &n_proof, NULL), proof_path);
    if (n_text >= sizeof statement) return reject("the statement is too long");
    memcpy(statement, text, n_text);
    if (strlen(statement) != n_text || !read_statement(s, statement)) return reject("this is not a statement");
    lay_out(s, &products);
    assay_reader in = assay_reader_of(proof, n_proof);
    assay_channel_init(&s->ch, ASSAY_VERIFY, NULL, &in);
    run(s, statement);
    assay_channel_check(&s->ch, assay_reader_left(&in) == 0, "bytes are left over after the proof");
    const char *why = s->ch.reject; /* static text; NULL: nothing is wrong */
    clear(s, products);
    assay_mem_free(text);
    assay_mem_free(proof);
    if (why) return reject(why);
    (void)printf("accepted\n");
    return 0;
}

int main(int argc, char **argv)
{
    static party s;
    if (argc == 4 && strcmp(argv[1], "verify") == 0) return verify(&s, argv[2], argv[3]);
    if (argc == 7 && strcmp(argv[1], "prove") == 0) {
        s.rows = (uint32_t)strtoul(argv[3], NULL, 10);
        s.inner = (uint32_t)strtoul(argv[4], NULL, 10);
        s.columns = (uint32_t)strtoul(argv[5], NULL, 10);
        return prove(&s, (uint32_t)strtoul(argv[2], NULL, 10), argv[6]);
    }
    (void)printf("usage: first_look prove SEED ROWS INNER COLUMNS NAME | verify STATEMENT PROOF\n");
    return 2;
}

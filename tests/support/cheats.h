/* SPDX-License-Identifier: Apache-2.0 */
/* Cheating provers. A cheat breaks one relation in a run of the integer model and completes the run and the protocol
 * honestly: what follows from the changed value is computed from it, and the request carries the reply that comes out.
 * cheat_check then asks for three things: on the cheater's own cells exactly the expected requirements do not hold, and
 * exactly the expected look-up families have a tuple that no table holds; the proof is rejected; and with that
 * requirement dropped by both parties the same cheat is accepted, so that the test fails when the check is gone. */
#ifndef ASSAY_TESTS_CHEATS_H
#define ASSAY_TESTS_CHEATS_H

#include "support/cp_fixture.h"
#include "unit/model/small_model.h"

enum { STAGE_TOKENS = 40, STAGE_WIDTH = 4096, CHEAT_TEXT = 512 };
/* Tokens of the main stage: one at position 4 of its prompt, one whose residual leaves 16 bits, so that no run has a
 * result. */
enum { STAGE_TOKEN = 7, STAGE_TOKEN_FAR = 9 };

/* A committed model and a prompt. The main stage has 3 layers, 4 query heads on 2 key/value heads, 2 rebase sites, 20
 * prompt tokens and 3 of a reply, and weights that let a wrong value stand alone (cheats.c says which are zero and
 * why). */
typedef struct stage {
    cp_fixture fx;
    assay_tables tables;
    uint32_t prompt[STAGE_TOKENS], n_prompt, n_new;
    uint64_t leaf_limit; /* 0: production's */
    bool fixed_first, ready;
} stage;
stage *stage_main(void);
/* The same with look-ups in several instances. */
stage *stage_split(void);
/* The same with a fixed first token, 1. */
stage *stage_first(void);
/* The main stage, without remainders of distances, under gap policies: gap_max and budget in thousandths of a nat.
 * Valid until the next call. */
stage *stage_gap(uint64_t gap_max, uint64_t budget);
/* Another model of the shape of the main one. */
stage *stage_other(void);
/* Norms of heads: 3 layers, 4 query heads on 2 key/value heads, two dimensions with gains of 0. */
stage *stage_heads(void);
/* The same with a fixed first token, 1. */
stage *stage_first_heads(void);
/* 4,096 channels near the ends of their range: sums of squares above 2^41. */
stage *stage_wide(void);
/* One layer, one head, one token. */
stage *stage_least(void);
/* Any shape, for one test. */
stage *stage_of(assay_small_shape shape, uint32_t n_prompt, uint32_t n_new, const assay_commit_params *params);
void stage_close(stage *st);

struct cheat;
typedef struct cheater {
    stage *st;
    const struct cheat *what;
    const assay_model *model; /* what it runs */
    uint32_t n_tokens;        /* of the present run */
    assay_run_hook hook;
    char broken[CHEAT_TEXT], families[CHEAT_TEXT]; /* what the last proof's own cells break, names joined by " | " */
} cheater;

typedef struct cheat {
    const char
        *breaks; /* requirements, joined by " | ", "" for none; with one name, dropping it must let the proof pass */
    const char *families; /* look-up families with a tuple in no row */
    /* Changes a run when `t` is there at `index` (layer, norm site, rebase site): values by tensor, as in
     * assay_run_hook. */
    void (*made)(const cheater *c, int32_t *const *v);
    void (*weights)(const cheater *c, assay_model *m);       /* the model it runs is not the committed one */
    uint32_t (*claim)(const cheater *c, uint32_t y);         /* another token after the reply */
    bool everywhere;                                         /* and in the place of each of the reply's */
    void (*bounds)(const cheater *c, assay_gap_bounds *gap); /* what is stated, under a gap policy */
    void (*witness)(const cheater *c, assay_witness *w);     /* hooks of assay_cheat */
    void (*counts)(const cheater *c, assay_witness *w);
    void (*cells)(const cheater *c, const assay_frame *f, kel *cells);
    /* Parameters of these. */
    assay_tensor t, late; /* late: the event to wait for instead (0: none) */
    uint32_t index, token, at;
    int32_t by;
} cheat;

/* All of it; failures go to the harness. */
void cheat_check(stage *st, const cheat *what);
/* The opposite, for liberties that a prover has: nothing is broken and the proof is accepted. */
void cheat_accept(stage *st, const cheat *what);
/* One test: a cheat on the main stage. */
#define CHEAT(id, ...)                                                                                                 \
    TEST(id)                                                                                                           \
    {                                                                                                                  \
        static const cheat what = {__VA_ARGS__};                                                                       \
        cheat_check(stage_main(), &what);                                                                              \
    }

/* ---- steps, for tests with a plan of their own */
void cheat_begin(cheater *c, stage *st, const cheat *what);
void cheat_end(cheater *c);
/* The reply of the cheater's own run. */
bool cheat_request(cheater *c, assay_request *rq);
/* The hooks of a cheat; the caller may add others before cheat_prove. */
assay_cheat cheat_hooks(cheater *c);
bool cheat_prove(cheater *c, const assay_request *rq, const assay_cheat *hooks, assay_writer *proof);
/* Verifies; *reason may be NULL. */
bool cheat_accepted(stage *st, const assay_request *rq, const assay_writer *proof, const char *drop,
                    const char **reason);

/* ---- what cheats are made of */
const assay_model_config *cheat_config(const cheater *c);
assay_site cheat_site(const cheater *c, assay_tensor y, uint32_t index);
uint32_t cheat_width(const cheater *c, assay_tensor t); /* values of one token */
/* Value (token, at) of a tensor at the hook's index; of a [H,T] tensor with at = head. */
int32_t *cheat_cell(const cheater *c, int32_t *const *v, assay_tensor t, uint32_t token, uint32_t at);
/* Row i of EX, ZF or DREM of a head. */
int32_t *cheat_row(const cheater *c, int32_t *const *v, assay_tensor t, uint32_t head, uint32_t i);
/* acc requantised in the field. */
void cheat_requant(int64_t acc, assay_site s, int32_t *y, int32_t *rem);
int64_t cheat_symmetric(int64_t x);

/* One row of a norm (cheats_norm.c): of the residual at a site, or, when the cheat's tensor is one of a head's norm, of
 * the head in whose dimensions `at` lies. */
typedef struct cheat_norm {
    const cheater *c;
    int32_t *const *v;
    assay_norm_kind kind;
    uint32_t index, row, n; /* site or layer, row there, values of a row */
    int32_t h[STAGE_WIDTH]; /* what is normed, read off the honest relation by cheat_norm_open */
} cheat_norm;
cheat_norm cheat_norm_open(const cheater *c, int32_t *const *v, uint32_t token);
cheat_norm cheat_norm_row(const cheater *c, int32_t *const *v, uint32_t row);
uint32_t cheat_norm_rows_of(const cheater *c); /* at one index */
/* Tensors are called as the residual's. */
int32_t *cheat_norm_at(const cheat_norm *n, assay_tensor t);
/* From the digits NS0 .. NS2, NC2 as they stand: exponent, window, mantissa, then cheat_norm_scale. */
void cheat_norm_redo(const cheat_norm *n);
/* From a claimed exponent digit a and the window's r: flags, M, RHO; then cheat_norm_scale with that exponent. */
void cheat_norm_window(const cheat_norm *n, int a, int r, int64_t window);
/* From an exponent 15 a + r and NM: parity, sigma, table entry, then cheat_norm_rows. */
void cheat_norm_scale(const cheat_norm *n, int exponent);
/* N and NREM from NRT, NDS, NHF. */
void cheat_norm_rows(const cheat_norm *n);
int cheat_norm_exponent(const cheat_norm *n);                              /* 15 a + r, by flags that are bits */
int32_t *cheat_norm_cell(const cheat_norm *n, assay_tensor t, uint32_t k); /* value k of the row */

/* What is done to the row of a cheat's token (cheats_norm_lies.c, where each says what it is). */
typedef struct cheat_norm_digit {
    assay_tensor t;
    int32_t by;
} cheat_norm_digit;
/* Adds to digits and goes on from S. */
void cheat_norm_change(const cheater *c, int32_t *const *v, const cheat_norm_digit *ch, size_t n);
/* N (token, at) += by, NREM -= by 2^sigma. */
void cheat_norm_carry(const cheater *c, int32_t *const *v);
void cheat_norm_window_off(const cheater *c, int32_t *const *v);
void cheat_norm_other_mantissa(const cheater *c, int32_t *const *v);
void cheat_norm_other_scale(const cheater *c, int32_t *const *v);
void cheat_norm_square_entry(const cheater *c, int32_t *const *v);
void cheat_norm_far(const cheater *c, int32_t *const *v);
void cheat_norm_loose_width(const cheater *c, int32_t *const *v);
void cheat_norm_flag_minus_one(const cheater *c, int32_t *const *v);
void cheat_norm_flag_half(const cheater *c, int32_t *const *v);
void cheat_norm_flags_any(const cheater *c, int32_t *const *v);
void cheat_norm_any_power(const cheater *c, int32_t *const *v);
void cheat_norm_low_mantissa(const cheater *c, int32_t *const *v);
void cheat_norm_not_normal(const cheater *c, int32_t *const *v);
void cheat_norm_scale_off(const cheater *c, int32_t *const *v);
void cheat_norm_sigma_off(const cheater *c, int32_t *const *v);
void cheat_norm_half_off(const cheater *c, int32_t *const *v);
void cheat_norm_parity_off(const cheater *c, int32_t *const *v);

/* Attention rows (cheats_attention.c). Divisor tensors from Z as a whole and a number of bits to clear; then the
 * division. */
void cheat_divisor(const cheater *c, int32_t *const *v, uint32_t head, uint32_t i, int64_t full, int32_t delta);
int32_t cheat_natural_delta(int64_t full);
/* O, OREM, ORHO of a row from EX, V and the divisor as they stand. */
/* The carry of a mixed value, with its offset, in digits. */
void cheat_carry_set(const cheater *c, int32_t *const *v, uint32_t i, uint32_t at, int64_t carry);
void cheat_divide(const cheater *c, int32_t *const *v, uint32_t head, uint32_t i);
/* EX as it stands: its sum, divisor, division. */
void cheat_row_redo(const cheater *c, int32_t *const *v, uint32_t head, uint32_t i);
/* q.k of row i with the keys of key/value head kv. */
void cheat_scores(const cheater *c, int32_t *const *v, uint32_t head, uint32_t kv, uint32_t i, int64_t *scores);
/* EX and DREM of cell j at this distance. */
void cheat_distance(const cheater *c, int32_t *const *v, uint32_t head, uint32_t i, uint32_t j, int64_t distance);
/* A row from scores: maximum, flags, EX; then cheat_row_redo. */
void cheat_row_from_scores(const cheater *c, int32_t *const *v, uint32_t head, uint32_t i, const int64_t *scores);

/* ---- general parts of cheats */
void cheat_add(const cheater *c, int32_t *const *v);   /* t += by */
void cheat_carry(const cheater *c, int32_t *const *v); /* t += by, its remainder -= by 2^s */
/* t += 2^(31 - s + by), its remainder -= 2^by: the relation holds mod p. At the first token whose remainder is large
 * enough, from `token` on. */
void cheat_wrap(const cheater *c, int32_t *const *v);
void cheat_word(const cheater *c, assay_witness *w); /* word (index, token, at) of t += by, in the witness */
uint32_t *cheat_word_at(const cheater *c, assay_witness *w, assay_tensor t, uint32_t index, uint32_t token,
                        uint32_t at);
/* Multiplicities anew, from the distances as they stand. */
void cheat_recount(assay_witness *w);
/* The residual anew from its tensors, what hangs on it pushed into remainders (cheats_residual.c). */
void cheat_residual_repair(const cheater *c, assay_witness *w);

#endif

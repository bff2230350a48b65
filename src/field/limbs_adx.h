/* SPDX-License-Identifier: Apache-2.0 */
/* Modular sums and Montgomery products, and sums of two, of 4 and 6 limbs by MULX, ADCX and ADOX (BMI2, ADX):
 * prime.tmpl.h takes them in files compiled for these instructions. The plain C there defines; equal bit for bit.
 * Constant time.
 *
 * The two carry chains: of products' low halves in CF, of high halves in OF (Intel white paper 327831, "New
 * instructions supporting large integer arithmetic", 2012). Compilers do not find them, and make of 128-bit sums
 * several times as many instructions. */
#ifndef ASSAY_FIELD_LIMBS_ADX_H
#define ASSAY_FIELD_LIMBS_ADX_H

#include <stdint.h>

#define ADX_INLINE static inline __attribute__((always_inline))

/* What the assembly reads through a pointer, for the compiler to know; it may have been written as any other struct. */
#define ADX_LIMBS(N)                                                                                                   \
    typedef struct __attribute__((may_alias)) adx_limbs_##N {                                                          \
        uint64_t l[N];                                                                                                 \
    } adx_limbs_##N;
ADX_LIMBS(4)
ADX_LIMBS(5)
ADX_LIMBS(6)
ADX_LIMBS(7)
ADX_LIMBS(8)
ADX_LIMBS(12)

/* ---- sums. Values in registers; t less p unless that is negative. */

#define ADX_KEEP_4 "movq %[t0], %[s0]\n\tmovq %[t1], %[s1]\n\tmovq %[t2], %[s2]\n\tmovq %[t3], %[s3]\n\t"
#define ADX_KEEP_6 ADX_KEEP_4 "movq %[t4], %[s4]\n\tmovq %[t5], %[s5]\n\t"
/* The words at x into t, by the instructions first (begins a carry) and next. */
#define ADX_ALL_4(first, next)                                                                                         \
    first " (%[x]), %[t0]\n\t" next " 8(%[x]), %[t1]\n\t" next " 16(%[x]), %[t2]\n\t" next " 24(%[x]), %[t3]\n\t"
#define ADX_ALL_6(first, next) ADX_ALL_4(first, next) next " 32(%[x]), %[t4]\n\t" next " 40(%[x]), %[t5]\n\t"
#define ADX_BACK_4             "cmovcq %[s0], %[t0]\n\tcmovcq %[s1], %[t1]\n\tcmovcq %[s2], %[t2]\n\tcmovcq %[s3], %[t3]\n\t"
#define ADX_BACK_6             ADX_BACK_4 "cmovcq %[s4], %[t4]\n\tcmovcq %[s5], %[t5]\n\t"

#define ADX_T_4 [t0] "+&r"(t[0]), [t1] "+&r"(t[1]), [t2] "+&r"(t[2]), [t3] "+&r"(t[3])
#define ADX_T_6 ADX_T_4, [t4] "+&r"(t[4]), [t5] "+&r"(t[5])
#define ADX_S_4 [s0] "=&r"(s[0]), [s1] "=&r"(s[1]), [s2] "=&r"(s[2]), [s3] "=&r"(s[3])
#define ADX_S_6 ADX_S_4, [s4] "=&r"(s[4]), [s5] "=&r"(s[5])

/* NOLINTBEGIN(bugprone-macro-parentheses): N is part of types */
/* N limbs: a below 2p less p or 0; sum as it is; sum and difference mod p. The borrow of a difference, as a mask, adds
 * p or 0. */
#define ADX_SUMS(N)                                                                                                    \
    ADX_INLINE void limbs_mod_once_##N(uint64_t *r, const uint64_t *a, const uint64_t *p)                              \
    {                                                                                                                  \
        uint64_t t[N], s[N];                                                                                           \
        for (int i = 0; i < N; i++) t[i] = a[i];                                                                       \
        __asm__(ADX_KEEP_##N ADX_ALL_##N("subq", "sbbq") ADX_BACK_##N                                                  \
                : ADX_T_##N, ADX_S_##N                                                                                 \
                : [x] "r"(p), "m"(*(const adx_limbs_##N *)p)                                                           \
                : "cc");                                                                                               \
        for (int i = 0; i < N; i++) r[i] = t[i];                                                                       \
    }                                                                                                                  \
    ADX_INLINE void limbs_raw_add_##N(uint64_t *r, const uint64_t *a, const uint64_t *b)                               \
    {                                                                                                                  \
        uint64_t t[N];                                                                                                 \
        for (int i = 0; i < N; i++) t[i] = a[i];                                                                       \
        __asm__(ADX_ALL_##N("addq", "adcq") : ADX_T_##N : [x] "r"(b), "m"(*(const adx_limbs_##N *)b) : "cc");          \
        for (int i = 0; i < N; i++) r[i] = t[i];                                                                       \
    }                                                                                                                  \
    ADX_INLINE void limbs_mod_add_##N(uint64_t *r, const uint64_t *a, const uint64_t *b, const uint64_t *p)            \
    {                                                                                                                  \
        uint64_t t[N];                                                                                                 \
        for (int i = 0; i < N; i++) t[i] = a[i];                                                                       \
        __asm__(ADX_ALL_##N("addq", "adcq") : ADX_T_##N : [x] "r"(b), "m"(*(const adx_limbs_##N *)b) : "cc");          \
        limbs_mod_once_##N(r, t, p);                                                                                   \
    }                                                                                                                  \
    ADX_INLINE void limbs_mod_sub_##N(uint64_t *r, const uint64_t *a, const uint64_t *b, const uint64_t *p)            \
    {                                                                                                                  \
        uint64_t t[N], s[N], mask;                                                                                     \
        for (int i = 0; i < N; i++) t[i] = a[i];                                                                       \
        __asm__(ADX_ALL_##N("subq", "sbbq") "sbbq %[m], %[m]"                                                          \
                : ADX_T_##N, [m] "=&r"(mask)                                                                           \
                : [x] "r"(b), "m"(*(const adx_limbs_##N *)b)                                                           \
                : "cc");                                                                                               \
        for (int i = 0; i < N; i++) s[i] = mask & p[i];                                                                \
        __asm__(ADX_ALL_##N("addq", "adcq") : ADX_T_##N : [x] "r"(s), "m"(*(const adx_limbs_##N *)s) : "cc");          \
        for (int i = 0; i < N; i++) r[i] = t[i];                                                                       \
    }
/* NOLINTEND(bugprone-macro-parentheses) */
ADX_SUMS(4)
ADX_SUMS(6)

/* ---- products */

/* t, u += low and high half of rdx * word. */
#define ADX_MAC(word, t, u) "mulx " word ", %[lo], %[hi]\n\tadcx %[lo], %[" t "]\n\tadox %[hi], %[" u "]\n\t"
/* The same into the first free limb u, which takes both carries. */
#define ADX_TOP(word, t, u)                                                                                            \
    "mulx " word ", %[lo], %[" u "]\n\tadcx %[lo], %[" t "]\n\tmovl $0, %k[lo]\n\t"                                    \
    "adcx %[lo], %[" u "]\n\tadox %[lo], %[" u "]\n\t"
#define ADX_BEGIN "xorl %k[lo], %k[lo]\n\t" /* both carries 0 */
/* rdx = -t / p mod 2^64, and t + rdx p[0], which is 0 but for its carry; its high half goes to u. */
#define ADX_FACTOR(t, u)                                                                                               \
    "movq %[" t "], %%rdx\n\timulq %c[n](%[p]), %%rdx\n\t" ADX_BEGIN "mulx (%[p]), %[lo], %[hi]\n\tadcx %[" t          \
    "], %[lo]\n\tadox %[hi], %[" u "]\n\t"
#define ADX_END(u) "movl $0, %k[lo]\n\tadcx %[lo], %[" u "]\n\t"

/* The first row, where nothing is to be added to. */
#define ADX_FIRST(word, t, u)  "mulx " word ", %[" t "], %[" u "]\n\t"
#define ADX_SECOND(word, t, u) "mulx " word ", %[lo], %[" u "]\n\taddq %[lo], %[" t "]\n\t"
#define ADX_NEXT(word, t, u)   "mulx " word ", %[lo], %[" u "]\n\tadcq %[lo], %[" t "]\n\t"

#define ADX_REDUCE_4(t0, t1, t2, t3, t4)                                                                               \
    ADX_FACTOR(t0, t1) ADX_MAC("8(%[p])", t1, t2) ADX_MAC("16(%[p])", t2, t3) ADX_MAC("24(%[p])", t3, t4) ADX_END(t4)
#define ADX_ROW_4(b, t0, t1, t2, t3, t4)                                                                               \
    "movq %[" b "], %%rdx\n\t" ADX_BEGIN ADX_MAC("%[a0]", t0, t1) ADX_MAC("%[a1]", t1, t2) ADX_MAC("%[a2]", t2, t3)    \
        ADX_TOP("%[a3]", t3, t4) ADX_REDUCE_4(t0, t1, t2, t3, t4)

/* t4, t0, t1, t2, below 2p: less p unless that is negative. */
#define ADX_LAST_4                                                                                                     \
    "movq %[t4], %[t3]\n\tmovq %[t0], %[lo]\n\tmovq %[t1], %[hi]\n\tmovq %[t2], %%rdx\n\t"                             \
    "subq (%[p]), %[t4]\n\tsbbq 8(%[p]), %[t0]\n\tsbbq 16(%[p]), %[t1]\n\tsbbq 24(%[p]), %[t2]\n\t"                    \
    "cmovcq %[t3], %[t4]\n\tcmovcq %[lo], %[t0]\n\tcmovcq %[hi], %[t1]\n\tcmovcq %%rdx, %[t2]\n\t"

/* r = a b / 2^256 mod p, all below p; after p's limbs stands -1 / p mod 2^64. */
ADX_INLINE void limbs_mont_mul_4(uint64_t *r, const uint64_t *a, const uint64_t *b, const uint64_t *p)
{
    uint64_t t0, t1, t2, t3, t4, lo, hi;
    __asm__(
        "movq %[b0], %%rdx\n\t" ADX_FIRST("%[a0]", "t0", "t1") ADX_SECOND("%[a1]", "t1", "t2")
            ADX_NEXT("%[a2]", "t2", "t3")
                ADX_NEXT("%[a3]", "t3", "t4") "adcq $0, %[t4]\n\t" ADX_REDUCE_4("t0", "t1", "t2", "t3", "t4")
                    ADX_ROW_4("b1", "t1", "t2", "t3", "t4", "t0") ADX_ROW_4("b2", "t2", "t3", "t4", "t0", "t1")
                        ADX_ROW_4("b3", "t3", "t4", "t0", "t1", "t2") ADX_LAST_4
        : [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [t4] "=&r"(t4), [lo] "=&r"(lo), [hi] "=&r"(hi)
        : [a0] "rm"(a[0]), [a1] "rm"(a[1]), [a2] "rm"(a[2]), [a3] "rm"(a[3]), [b0] "rm"(b[0]), [b1] "rm"(b[1]),
          [b2] "rm"(b[2]), [b3] "rm"(b[3]), [p] "r"(p), [n] "i"(8 * 4), "m"(*(const adx_limbs_5 *)p)
        : "rdx", "cc");
    r[0] = t4;
    r[1] = t0;
    r[2] = t1;
    r[3] = t2;
}

/* Words of an operand in memory, by their places. */
#define ADX_A(at) #at "(%[a])"
#define ADX_B(at) #at "(%[b])"

/* t += a b for the limb of b at a place and four limbs of a from another on; the highest limb takes what is carried. */
#define ADX_MACS_4(b, a0, a1, a2, t0, t1, t2, t3)                                                                      \
    "movq " ADX_B(b) ", %%rdx\n\t" ADX_BEGIN ADX_MAC(ADX_A(a0), t0, t1) ADX_MAC(ADX_A(a1), t1, t2)                     \
        ADX_MAC(ADX_A(a2), t2, t3)
#define ADX_ADD_4(b, t0, t1, t2, t3, t4)                                                                               \
    ADX_MACS_4(b, 32, 40, 48, t0, t1, t2, t3) ADX_MAC(ADX_A(56), t3, t4) ADX_END(t4)
/* A row of both products; the highest limb has nothing yet. */
#define ADX_PAIR_4(b, d, t0, t1, t2, t3, t4)                                                                           \
    ADX_MACS_4(b, 0, 8, 16, t0, t1, t2, t3)                                                                            \
    ADX_TOP(ADX_A(24), t3, t4) ADX_ADD_4(d, t0, t1, t2, t3, t4) ADX_REDUCE_4(t0, t1, t2, t3, t4)

/* r = (a[0] b[0] + a[1] b[1]) / 2^256 mod p with one reduction, for 4 p below 2^256, the two numbers one after the
 * other. One of the four may be p, the others are below it. */
ADX_INLINE void limbs_mont_sum_4(uint64_t *r, const uint64_t *a, const uint64_t *b, const uint64_t *p)
{
    uint64_t t0, t1, t2, t3, t4, lo, hi;
    __asm__(
        "movq " ADX_B(0) ", %%rdx\n\t" ADX_FIRST(ADX_A(0), "t0", "t1") ADX_SECOND(ADX_A(8), "t1", "t2")
            ADX_NEXT(ADX_A(16), "t2", "t3")
                ADX_NEXT(ADX_A(24), "t3", "t4") "adcq $0, %[t4]\n\t" ADX_ADD_4(32, "t0", "t1", "t2", "t3", "t4")
                    ADX_REDUCE_4("t0", "t1", "t2", "t3", "t4") ADX_PAIR_4(8, 40, "t1", "t2", "t3", "t4", "t0")
                        ADX_PAIR_4(16, 48, "t2", "t3", "t4", "t0", "t1")
                            ADX_PAIR_4(24, 56, "t3", "t4", "t0", "t1", "t2") ADX_LAST_4
        : [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [t4] "=&r"(t4), [lo] "=&r"(lo), [hi] "=&r"(hi)
        : [a] "r"(a), [b] "r"(b), [p] "r"(p), [n] "i"(8 * 4), "m"(*(const adx_limbs_8 *)a),
          "m"(*(const adx_limbs_8 *)b), "m"(*(const adx_limbs_5 *)p)
        : "rdx", "cc");
    r[0] = t4;
    r[1] = t0;
    r[2] = t1;
    r[3] = t2;
}

#define ADX_REDUCE_6(t0, t1, t2, t3, t4, t5, t6)                                                                       \
    ADX_FACTOR(t0, t1)                                                                                                 \
    ADX_MAC("8(%[p])", t1, t2)                                                                                         \
    ADX_MAC("16(%[p])", t2, t3)                                                                                        \
    ADX_MAC("24(%[p])", t3, t4) ADX_MAC("32(%[p])", t4, t5) ADX_MAC("40(%[p])", t5, t6) ADX_END(t6)
#define ADX_ROW_6(b, t0, t1, t2, t3, t4, t5, t6)                                                                       \
    "movq %[" b "], %%rdx\n\t" ADX_BEGIN ADX_MAC("%[a0]", t0, t1) ADX_MAC("%[a1]", t1, t2) ADX_MAC("%[a2]", t2, t3)    \
        ADX_MAC("%[a3]", t3, t4) ADX_MAC("%[a4]", t4, t5) ADX_TOP("%[a5]", t5, t6)                                     \
            ADX_REDUCE_6(t0, t1, t2, t3, t4, t5, t6)

/* The same of 6 limbs, R = 2^384. */
ADX_INLINE void limbs_mont_mul_6(uint64_t *r, const uint64_t *a, const uint64_t *b, const uint64_t *p)
{
    uint64_t t0, t1, t2, t3, t4, t5, t6, lo, hi;
    __asm__("movq %[b0], %%rdx\n\t" ADX_FIRST("%[a0]", "t0", "t1") ADX_SECOND("%[a1]", "t1", "t2")
                ADX_NEXT("%[a2]", "t2", "t3") ADX_NEXT("%[a3]", "t3", "t4") ADX_NEXT("%[a4]", "t4", "t5") ADX_NEXT(
                    "%[a5]", "t5", "t6") "adcq $0, %[t6]\n\t" ADX_REDUCE_6("t0", "t1", "t2", "t3", "t4", "t5", "t6")
                    ADX_ROW_6("b1", "t1", "t2", "t3", "t4", "t5", "t6", "t0")
                        ADX_ROW_6("b2", "t2", "t3", "t4", "t5", "t6", "t0", "t1")
                            ADX_ROW_6("b3", "t3", "t4", "t5", "t6", "t0", "t1", "t2")
                                ADX_ROW_6("b4", "t4", "t5", "t6", "t0", "t1", "t2", "t3")
                                    ADX_ROW_6("b5", "t5", "t6", "t0", "t1", "t2", "t3", "t4")
            : [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [t4] "=&r"(t4), [t5] "=&r"(t5),
              [t6] "=&r"(t6), [lo] "=&r"(lo), [hi] "=&r"(hi)
            : [a0] "m"(a[0]), [a1] "m"(a[1]), [a2] "m"(a[2]), [a3] "m"(a[3]), [a4] "m"(a[4]), [a5] "m"(a[5]),
              [b0] "m"(b[0]), [b1] "m"(b[1]), [b2] "m"(b[2]), [b3] "m"(b[3]), [b4] "m"(b[4]), [b5] "m"(b[5]),
              [p] "r"(p), [n] "i"(8 * 6), "m"(*(const adx_limbs_7 *)p)
            : "rdx", "cc");
    r[0] = t6;
    r[1] = t0;
    r[2] = t1;
    r[3] = t2;
    r[4] = t3;
    r[5] = t4;
    limbs_mod_once_6(r, r, p);
}

#define ADX_MACS_6(b, a0, a1, a2, a3, a4, t0, t1, t2, t3, t4, t5)                                                      \
    "movq " ADX_B(b) ", %%rdx\n\t" ADX_BEGIN ADX_MAC(ADX_A(a0), t0, t1) ADX_MAC(ADX_A(a1), t1, t2)                     \
        ADX_MAC(ADX_A(a2), t2, t3) ADX_MAC(ADX_A(a3), t3, t4) ADX_MAC(ADX_A(a4), t4, t5)
#define ADX_ADD_6(b, t0, t1, t2, t3, t4, t5, t6)                                                                       \
    ADX_MACS_6(b, 48, 56, 64, 72, 80, t0, t1, t2, t3, t4, t5) ADX_MAC(ADX_A(88), t5, t6) ADX_END(t6)
#define ADX_PAIR_6(b, d, t0, t1, t2, t3, t4, t5, t6)                                                                   \
    ADX_MACS_6(b, 0, 8, 16, 24, 32, t0, t1, t2, t3, t4, t5)                                                            \
    ADX_TOP(ADX_A(40), t5, t6)                                                                                         \
    ADX_ADD_6(d, t0, t1, t2, t3, t4, t5, t6) ADX_REDUCE_6(t0, t1, t2, t3, t4, t5, t6)

/* The same of 6 limbs. */
ADX_INLINE void limbs_mont_sum_6(uint64_t *r, const uint64_t *a, const uint64_t *b, const uint64_t *p)
{
    uint64_t t0, t1, t2, t3, t4, t5, t6, lo, hi;
    __asm__("movq " ADX_B(0) ", %%rdx\n\t" ADX_FIRST(ADX_A(0), "t0", "t1") ADX_SECOND(ADX_A(8), "t1", "t2")
                ADX_NEXT(ADX_A(16), "t2", "t3") ADX_NEXT(ADX_A(24), "t3", "t4") ADX_NEXT(ADX_A(32), "t4", "t5")
                    ADX_NEXT(ADX_A(40), "t5", "t6") "adcq $0, %[t6]\n\t" ADX_ADD_6(48, "t0", "t1", "t2", "t3", "t4",
                                                                                   "t5", "t6")
                        ADX_REDUCE_6("t0", "t1", "t2", "t3", "t4", "t5", "t6")
                            ADX_PAIR_6(8, 56, "t1", "t2", "t3", "t4", "t5", "t6", "t0")
                                ADX_PAIR_6(16, 64, "t2", "t3", "t4", "t5", "t6", "t0", "t1")
                                    ADX_PAIR_6(24, 72, "t3", "t4", "t5", "t6", "t0", "t1", "t2")
                                        ADX_PAIR_6(32, 80, "t4", "t5", "t6", "t0", "t1", "t2", "t3")
                                            ADX_PAIR_6(40, 88, "t5", "t6", "t0", "t1", "t2", "t3", "t4")
            : [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [t4] "=&r"(t4), [t5] "=&r"(t5),
              [t6] "=&r"(t6), [lo] "=&r"(lo), [hi] "=&r"(hi)
            : [a] "r"(a), [b] "r"(b), [p] "r"(p), [n] "i"(8 * 6), "m"(*(const adx_limbs_12 *)a),
              "m"(*(const adx_limbs_12 *)b), "m"(*(const adx_limbs_7 *)p)
            : "rdx", "cc");
    r[0] = t6;
    r[1] = t0;
    r[2] = t1;
    r[3] = t2;
    r[4] = t3;
    r[5] = t4;
    limbs_mod_once_6(r, r, p);
}

#undef ADX_A
#undef ADX_ADD_4
#undef ADX_ADD_6
#undef ADX_B
#undef ADX_LAST_4
#undef ADX_PAIR_4
#undef ADX_PAIR_6
#undef ADX_MACS_4
#undef ADX_MACS_6
#undef ADX_ALL_4
#undef ADX_ALL_6
#undef ADX_BACK_4
#undef ADX_BACK_6
#undef ADX_BEGIN
#undef ADX_END
#undef ADX_FACTOR
#undef ADX_FIRST
#undef ADX_INLINE
#undef ADX_KEEP_4
#undef ADX_KEEP_6
#undef ADX_LIMBS
#undef ADX_MAC
#undef ADX_NEXT
#undef ADX_REDUCE_4
#undef ADX_REDUCE_6
#undef ADX_ROW_4
#undef ADX_ROW_6
#undef ADX_SECOND
#undef ADX_SUMS
#undef ADX_S_4
#undef ADX_S_6
#undef ADX_TOP
#undef ADX_T_4
#undef ADX_T_6

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of GGUF tensors to float32. A block has one binary16 scale d; the `_1` types add a minimum, the `_K` types
 * divide 256 cells into sub-blocks with small integer scales (and minima) that multiply d. */
#include "model/dequant.h"
#include "base/bytes.h"
#include "model/float_bits.h"

enum { SMALL = 32, SUPER = 256 };

static float half_at(const uint8_t *p)
{
    return float_of_bits(bits_of_half(assay_load_u16(p)));
}

static void read_f32(float *out, const uint8_t *p)
{
    *out = float_of_bits(assay_load_u32(p));
}

static void read_f16(float *out, const uint8_t *p)
{
    *out = half_at(p);
}

static void read_bf16(float *out, const uint8_t *p)
{
    *out = float_of_bits((uint32_t)assay_load_u16(p) << 16);
}

/* d, 32 signed bytes. */
static void read_q8_0(float *out, const uint8_t *p)
{
    float d = half_at(p);
    for (int i = 0; i < SMALL; i++) out[i] = (float)(int8_t)p[2 + i] * d;
}

/* d, 16 bytes: low halves are cells 0 .. 15, high halves 16 .. 31. */
static void read_q4_0(float *out, const uint8_t *p)
{
    float d = half_at(p);
    for (int i = 0; i < SMALL / 2; i++) {
        uint8_t q = p[2 + i];
        out[i] = (float)((q & 15) - 8) * d;
        out[i + SMALL / 2] = (float)((q >> 4) - 8) * d;
    }
}

/* d, minimum, 16 bytes as in Q4_0. */
static void read_q4_1(float *out, const uint8_t *p)
{
    float d = half_at(p), low = half_at(p + 2);
    for (int i = 0; i < SMALL / 2; i++) {
        uint8_t q = p[4 + i];
        out[i] = (float)(q & 15) * d + low;
        out[i + SMALL / 2] = (float)(q >> 4) * d + low;
    }
}

/* Scale and minimum of sub-block j of 8, 6 bits each, from 12 bytes: the first four of both have their bytes, whose
 * upper two bits complete the 4-bit parts of the last four. */
static void scale_and_minimum(uint8_t *scale, uint8_t *minimum, const uint8_t *p, int j)
{
    if (j < 4) {
        *scale = p[j] & 63;
        *minimum = p[j + 4] & 63;
    } else {
        *scale = (uint8_t)((p[j + 4] & 15) | (p[j - 4] >> 6) << 4);
        *minimum = (uint8_t)((p[j + 4] >> 4) | (p[j] >> 6) << 4);
    }
}

/* Q4_K and Q5_K: d, unit of the minima, 12 bytes of scales, then for Q5_K 32 bytes `fifth` of upper bits (bit j of byte
 * i for cell i of sub-block j), then 128 bytes: each run of 32 holds two sub-blocks, low halves first. */
static void read_with_minima(float *out, const uint8_t *p, const uint8_t *fifth, const uint8_t *low)
{
    float d = half_at(p), dmin = half_at(p + 2);
    for (int j = 0; j < SUPER / SMALL; j++) {
        const uint8_t *q = low + j / 2 * SMALL;
        uint8_t scale, minimum;
        scale_and_minimum(&scale, &minimum, p + 4, j);
        float unit = d * (float)scale, base = dmin * (float)minimum;
        for (int i = 0; i < SMALL; i++) {
            int cell = q[i] >> 4 * (j % 2) & 15;
            if (fifth) cell |= (fifth[i] >> j & 1) << 4;
            *out++ = unit * (float)cell - base;
        }
    }
}

static void read_q4_k(float *out, const uint8_t *p)
{
    read_with_minima(out, p, NULL, p + 16);
}

static void read_q5_k(float *out, const uint8_t *p)
{
    read_with_minima(out, p, p + 16, p + 48);
}

/* 128 bytes of low halves, 64 bytes of upper two bits, 16 signed scales, d. Each half of the block takes 64 of the
 * former and 32 of the latter; its four runs of 32 cells take the low, low, high, high halves and bits 0, 2, 4, 6. */
static void read_q6_k(float *out, const uint8_t *p)
{
    const uint8_t *low = p, *high = p + 128, *scale = p + 192;
    float d = half_at(p + 208);
    for (int run = 0; run < 8; run++) {
        int half = run / 4, part = run % 4;
        for (int i = 0; i < SMALL; i++) {
            int cell = low[64 * half + 32 * (part % 2) + i] >> 4 * (part / 2) & 15;
            cell |= (high[32 * half + i] >> 2 * part & 3) << 4;
            *out++ = d * (float)(int8_t)scale[2 * run + i / 16] * (float)(cell - 32);
        }
    }
}

static const assay_ggml_type types[] = {
    [0] = {"F32", 1, 4, read_f32},
    [1] = {"F16", 1, 2, read_f16},
    [2] = {"Q4_0", SMALL, 18, read_q4_0},
    [3] = {"Q4_1", SMALL, 20, read_q4_1},
    [6] = {"Q5_0", 0, 0, NULL},
    [7] = {"Q5_1", 0, 0, NULL},
    [8] = {"Q8_0", SMALL, 34, read_q8_0},
    [9] = {"Q8_1", 0, 0, NULL},
    [10] = {"Q2_K", 0, 0, NULL},
    [11] = {"Q3_K", 0, 0, NULL},
    [12] = {"Q4_K", SUPER, 144, read_q4_k},
    [13] = {"Q5_K", SUPER, 176, read_q5_k},
    [14] = {"Q6_K", SUPER, 210, read_q6_k},
    [15] = {"Q8_K", 0, 0, NULL},
    [16] = {"IQ2_XXS", 0, 0, NULL},
    [17] = {"IQ2_XS", 0, 0, NULL},
    [18] = {"IQ3_XXS", 0, 0, NULL},
    [19] = {"IQ1_S", 0, 0, NULL},
    [20] = {"IQ4_NL", 0, 0, NULL},
    [21] = {"IQ3_S", 0, 0, NULL},
    [22] = {"IQ2_S", 0, 0, NULL},
    [23] = {"IQ4_XS", 0, 0, NULL},
    [24] = {"I8", 0, 0, NULL},
    [25] = {"I16", 0, 0, NULL},
    [26] = {"I32", 0, 0, NULL},
    [27] = {"I64", 0, 0, NULL},
    [28] = {"F64", 0, 0, NULL},
    [29] = {"IQ1_M", 0, 0, NULL},
    [30] = {"BF16", 1, 2, read_bf16},
    [34] = {"TQ1_0", 0, 0, NULL},
    [35] = {"TQ2_0", 0, 0, NULL},
    [39] = {"MXFP4", 0, 0, NULL},
    [40] = {"NVFP4", 0, 0, NULL},
};

const assay_ggml_type *assay_ggml_type_of(uint32_t number)
{
    if (number >= sizeof types / sizeof *types || !types[number].name) return NULL;
    return &types[number];
}

void assay_dequant(float *out, const assay_ggml_type *t, const uint8_t *p, size_t n_blocks)
{
    for (size_t i = 0; i < n_blocks; i++) t->read(out + i * t->cells, p + i * t->bytes);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Made by scripts/make_prime_constants.py: prime fields, Montgomery form. Limbs: lowest first. */
/* clang-format off */
#ifndef ASSAY_FIELD_PRIMES_GEN_H
#define ASSAY_FIELD_PRIMES_GEN_H

#define BN254_FQ_MODULUS {0x3c208c16d87cfd47, 0x97816a916871ca8d, 0xb85045b68181585d, 0x30644e72e131a029}
#define BN254_FQ_ONE {0xd35d438dc58f0d9d, 0x0a78eb28f5c70b3d, 0x666ea36f7879462c, 0x0e0a77c19a07df2f}
#define BN254_FQ_R2 {0xf32cfc5b538afa89, 0xb5e71911d44501fb, 0x47ab1eff0a417ff6, 0x06d89f71cab8351f}
#define BN254_FQ_NEG_INV 0x87d20782e4866389
#define BN254_FQ_MINUS_TWO {0x3c208c16d87cfd45, 0x97816a916871ca8d, 0xb85045b68181585d, 0x30644e72e131a029}
#define BN254_FQ_HALF {0x9e10460b6c3e7ea3, 0xcbc0b548b438e546, 0xdc2822db40c0ac2e, 0x183227397098d014}
#define BN254_FQ_SQRT_EXP {0x4f082305b61f3f52, 0x65e05aa45a1c72a3, 0x6e14116da0605617, 0x0c19139cb84c680a}

#define BN254_FR_MODULUS {0x43e1f593f0000001, 0x2833e84879b97091, 0xb85045b68181585d, 0x30644e72e131a029}
#define BN254_FR_ONE {0xac96341c4ffffffb, 0x36fc76959f60cd29, 0x666ea36f7879462e, 0x0e0a77c19a07df2f}
#define BN254_FR_R2 {0x1bb8e645ae216da7, 0x53fe3ab1e35c59e3, 0x8c49833d53bb8085, 0x0216d0b17f4e44a5}
#define BN254_FR_NEG_INV 0xc2e1f593efffffff
#define BN254_FR_MINUS_TWO {0x43e1f593efffffff, 0x2833e84879b97091, 0xb85045b68181585d, 0x30644e72e131a029}
#define BN254_FR_HALF {0xa1f0fac9f8000000, 0x9419f4243cdcb848, 0xdc2822db40c0ac2e, 0x183227397098d014}
#define BN254_FR_TWO_ADICITY 28
#define BN254_FR_ROOT {0x636e735580d13d9c, 0xa22bf3742445ffd6, 0x56452ac01eb203d8, 0x1860ef942963f9e7}

#define BLS381_FQ_MODULUS \
    {0xb9feffffffffaaab, 0x1eabfffeb153ffff, 0x6730d2a0f6b0f624, 0x64774b84f38512bf, 0x4b1ba7b6434bacd7, \
     0x1a0111ea397fe69a}
#define BLS381_FQ_ONE \
    {0x760900000002fffd, 0xebf4000bc40c0002, 0x5f48985753c758ba, 0x77ce585370525745, 0x5c071a97a256ec6d, \
     0x15f65ec3fa80e493}
#define BLS381_FQ_R2 \
    {0xf4df1f341c341746, 0x0a76e6a609d104f1, 0x8de5476c4c95b6d5, 0x67eb88a9939d83c0, 0x9a793e85b519952d, \
     0x11988fe592cae3aa}
#define BLS381_FQ_NEG_INV 0x89f3fffcfffcfffd
#define BLS381_FQ_MINUS_TWO \
    {0xb9feffffffffaaa9, 0x1eabfffeb153ffff, 0x6730d2a0f6b0f624, 0x64774b84f38512bf, 0x4b1ba7b6434bacd7, \
     0x1a0111ea397fe69a}
#define BLS381_FQ_HALF \
    {0xdcff7fffffffd555, 0x0f55ffff58a9ffff, 0xb39869507b587b12, 0xb23ba5c279c2895f, 0x258dd3db21a5d66b, \
     0x0d0088f51cbff34d}
#define BLS381_FQ_SQRT_EXP \
    {0xee7fbfffffffeaab, 0x07aaffffac54ffff, 0xd9cc34a83dac3d89, 0xd91dd2e13ce144af, 0x92c6e9ed90d2eb35, \
     0x0680447a8e5ff9a6}

#define BLS381_FR_MODULUS {0xffffffff00000001, 0x53bda402fffe5bfe, 0x3339d80809a1d805, 0x73eda753299d7d48}
#define BLS381_FR_ONE {0x00000001fffffffe, 0x5884b7fa00034802, 0x998c4fefecbc4ff5, 0x1824b159acc5056f}
#define BLS381_FR_R2 {0xc999e990f3f29c6d, 0x2b6cedcb87925c23, 0x05d314967254398f, 0x0748d9d99f59ff11}
#define BLS381_FR_NEG_INV 0xfffffffeffffffff
#define BLS381_FR_MINUS_TWO {0xfffffffeffffffff, 0x53bda402fffe5bfe, 0x3339d80809a1d805, 0x73eda753299d7d48}
#define BLS381_FR_HALF {0x7fffffff80000000, 0xa9ded2017fff2dff, 0x199cec0404d0ec02, 0x39f6d3a994cebea4}
#define BLS381_FR_TWO_ADICITY 32
#define BLS381_FR_ROOT {0x9cab6d5c0c17f47c, 0x1ce1e93dfd4b71e5, 0x0d6db230471dd505, 0x3f0ee990743a3b6a}

#endif

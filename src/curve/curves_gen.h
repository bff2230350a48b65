/* SPDX-License-Identifier: Apache-2.0 */
/* Made by scripts/make_prime_constants.py: constants of curves, in Montgomery form. Limbs are little-endian. */
/* clang-format off */
#ifndef ASSAY_CURVE_CURVES_GEN_H
#define ASSAY_CURVE_CURVES_GEN_H

#define BN254_B {0x7a17caa950ad28d7, 0x1f6ac17ae15521b9, 0x334bea4e696bd284, 0x2a1f6744ce179d8e}
#define BN254_B2 \
    {{{0x3bf938e377b802a8, 0x020b1b273633535d, 0x26b7edf049755260, 0x2514c6324384a86d}}, {{0x38e7ecccd1dcff67, \
     0x65f0b37d93ce0d3e, 0xd749d0dd22ac00aa, 0x0141b9ce4a688d4d}}}
#define BN254_G1_X {0xd35d438dc58f0d9d, 0x0a78eb28f5c70b3d, 0x666ea36f7879462c, 0x0e0a77c19a07df2f}
#define BN254_G1_Y {0xa6ba871b8b1e1b3a, 0x14f1d651eb8e167b, 0xccdd46def0f28c58, 0x1c14ef83340fbe5e}
#define BN254_G2_X \
    {{{0x8e83b5d102bc2026, 0xdceb1935497b0172, 0xfbb8264797811adf, 0x19573841af96503b}}, {{0xafb4737da84c6140, \
     0x6043dd5a5802d8c4, 0x09e950fc52a02f86, 0x14fef0833aea7b6b}}}
#define BN254_G2_Y \
    {{{0x619dfa9d886be9f6, 0xfe7fd297f59e9b78, 0xff9e1a62231b7dfe, 0x28fd7eebae9e4206}}, {{0x64095b56c71856ee, \
     0xdc57f922327d3cbb, 0x55f935be33351076, 0x0da4a0e693fd6482}}}
/* xi^(i (q - 1) / 6), i = 0 .. 5 */
#define BN254_FROBENIUS \
    {{{{0xd35d438dc58f0d9d, 0x0a78eb28f5c70b3d, 0x666ea36f7879462c, 0x0e0a77c19a07df2f}}, {{0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000}}}, \
     {{{0xaf9ba69633144907, 0xca6b1d7387afb78a, 0x11bded5ef08a2087, 0x02f34d751a1f3a7c}}, {{0xa222ae234c492d72, 0xd00f02a4565de15b, 0xdc2ff3a253dfc926, 0x10a75716b3899551}}}, \
     {{{0xb5773b104563ab30, 0x347f91c8a9aa6454, 0x7a007127242e0991, 0x1956bcd8118214ec}}, {{0x6e849f1ea0aa4757, 0xaa1c7b6d89f89141, 0xb6e713cdfae0ca3a, 0x26694fbb4e82ebc3}}}, \
     {{{0xe4bbdd0c2936b629, 0xbb30f162e133bacb, 0x31a9d1b6f9645366, 0x253570bea500f8dd}}, {{0xa1d77ce45ffe77c7, 0x07affd117826d1db, 0x6d16bd27bb7edc6b, 0x2c87200285defecc}}}, \
     {{{0x7361d77f843abe92, 0xa5bb2bd3273411fb, 0x9c941f314b3e2399, 0x15df9cddbb9fd3ec}}, {{0x5dddfd154bd8c949, 0x62cb29a5a4445b60, 0x37bc870a0c7dd2b9, 0x24830a9d3171f0fd}}}, \
     {{{0xc970692f41690fe7, 0xe240342127694b0b, 0x32bee66b83c459e8, 0x12aabced0ab08841}}, {{0x0d485d2340aebfa9, 0x05193418ab2fcc57, 0xd3b0a40b8a4910f5, 0x2f21ebb535d2925a}}}}
/* (q^4 - q^2 + 1) / r */
#define BN254_HARD_LIMBS 12
#define BN254_HARD \
    {0xe81bb482ccdf42b1, 0x5abf5cc4f49c36d4, 0xf1154e7e1da014fd, 0xdcc7b44c87cdbacf, 0xaaa441e3954bcf8a, \
     0x6b887d56d5095f23, 0x79581e16f3fd90c6, 0x3b1b1355d189227d, 0x4e529a5861876f6b, 0x6c0eb522d5b12278, \
     0x331ec15183177faf, 0x01baaa710b0759ad}
/* digits of 6x + 2, the lowest first */
#define BN254_LOOP_DIGITS 66
#define BN254_LOOP \
    {0, 0, 0, 1, 0, 1, 0, -1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, -1, 0, 0, 0, 1, 0, -1, 0, 0, 0, 0, -1, 0, 0, 1, 0, \
     -1, 0, 0, 1, 0, 0, 0, 0, 0, -1, 0, 0, -1, 0, 1, 0, -1, 0, 0, 0, -1, 0, -1, 0, 0, 0, 1, 0, -1, 0, 1}
#define BN254_X_ABS 0x44e992b44a6909f1

#define BLS381_B \
    {0xaa270000000cfff3, 0x53cc0032fc34000a, 0x478fe97a6b0a807f, 0xb1d37ebee6ba24d7, 0x8ec9733bbf78ab2f, \
     0x09d645513d83de7e}
#define BLS381_B2 \
    {{{0xaa270000000cfff3, 0x53cc0032fc34000a, 0x478fe97a6b0a807f, 0xb1d37ebee6ba24d7, 0x8ec9733bbf78ab2f, \
     0x09d645513d83de7e}}, {{0xaa270000000cfff3, 0x53cc0032fc34000a, 0x478fe97a6b0a807f, 0xb1d37ebee6ba24d7, \
     0x8ec9733bbf78ab2f, 0x09d645513d83de7e}}}
#define BLS381_G1_X \
    {0x5cb38790fd530c16, 0x7817fc679976fff5, 0x154f95c7143ba1c1, 0xf0ae6acdf3d0e747, 0xedce6ecc21dbf440, \
     0x120177419e0bfb75}
#define BLS381_G1_Y \
    {0xbaac93d50ce72271, 0x8c22631a7918fd8e, 0xdd595f13570725ce, 0x51ac582950405194, 0x0e1c8c3fad0059c0, \
     0x0bbc3efc5008a26a}
#define BLS381_G2_X \
    {{{0xf5f28fa202940a10, 0xb3f5fb2687b4961a, 0xa1a893b53e2ae580, 0x9894999d1a3caee9, 0x6f67b7631863366b, \
     0x058191924350bcd7}}, {{0xa5a9c0759e23f606, 0xaaa0c59dbccd60c3, 0x3bb17e18e2867806, 0x1b1ab6cc8541b367, \
     0xc2b6ed0ef2158547, 0x11922a097360edf3}}}
#define BLS381_G2_Y \
    {{{0x4c730af860494c4a, 0x597cfa1f5e369c5a, 0xe7e6856caa0a635a, 0xbbefb5e96e0d495f, 0x07d3a975f0ef25a2, \
     0x0083fd8e7e80dae5}}, {{0xadc0fc92df64b05d, 0x18aa270a2b1461dc, 0x86adac6a3be4eba0, 0x79495c4ec93da33a, \
     0xe7175850a43ccaed, 0x0b2bc2a163de1bf2}}}
/* xi^(i (q - 1) / 6), i = 0 .. 5 */
#define BLS381_FROBENIUS \
    {{{{0x760900000002fffd, 0xebf4000bc40c0002, 0x5f48985753c758ba, 0x77ce585370525745, 0x5c071a97a256ec6d, 0x15f65ec3fa80e493}}, {{0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000}}}, \
     {{{0x07089552b319d465, 0xc6695f92b50a8313, 0x97e83cccd117228f, 0xa35baecab2dc29ee, 0x1ce393ea5daace4d, 0x08f2220fb0fb66eb}}, {{0xb2f66aad4ce5d646, 0x5842a06bfc497cec, 0xcf4895d42599d394, 0xc11b9cba40a8e8d0, 0x2e3813cbe5a0de89, 0x110eefda88847faf}}}, \
     {{{0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000}}, {{0xcd03c9e48671f071, 0x5dab22461fcda5d2, 0x587042afd3851b95, 0x8eb60ebe01bacb9e, 0x03f97d6e83d050d2, 0x18f0206554638741}}}, \
     {{{0x7bcfa7a25aa30fda, 0xdc17dec12a927e7c, 0x2f088dd86b4ebef1, 0xd1ca2087da74d4a7, 0x2da2596696cebc1d, 0x0e2b7eedbbfd87d2}}, {{0x7bcfa7a25aa30fda, 0xdc17dec12a927e7c, 0x2f088dd86b4ebef1, 0xd1ca2087da74d4a7, 0x2da2596696cebc1d, 0x0e2b7eedbbfd87d2}}}, \
     {{{0x890dc9e4867545c3, 0x2af322533285a5d5, 0x50880866309b7e2c, 0xa20d1b8c7e881024, 0x14e4f04fe2db9068, 0x14e56d3f1564853a}}, {{0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000}}}, \
     {{{0x82d83cf50dbce43f, 0xa2813e53df9d018f, 0xc6f0caa53c65e181, 0x7525cf528d50fe95, 0x4a85ed50f4798a6b, 0x171da0fd6cf8eebd}}, {{0x3726c30af242c66c, 0x7c2ac1aad1b6fe70, 0xa04007fbba4b14a2, 0xef517c3266341429, 0x0095ba654ed2226b, 0x02e370eccc86f7dd}}}}
/* (q^4 - q^2 + 1) / r */
#define BLS381_HARD_LIMBS 20
#define BLS381_HARD \
    {0xe516c3f438e3ba79, 0xfa9912aae208ccf1, 0x905ce937335d5b68, 0xc71a2629b0dea236, 0x83774940996754c8, \
     0x21d160aeb6a1e799, 0x2ed0b283ed237db4, 0x915c97f36c6f1821, 0x67f17fcbde783765, 0x2378b9039096d1b7, \
     0x7988f8761bdc51dc, 0x2076995003fc77a1, 0x827eca0ba621315b, 0xe5a72bce8d63cb9f, 0xf68f7764c28b6f8a, \
     0x2f230063cf081517, 0x94506632528d6a9a, 0xd3cde88eeb996ca3, 0xc0bd38c3195c899e, 0x000f686b3d807d01}
/* digits of -x, the lowest first */
#define BLS381_LOOP_DIGITS 64
#define BLS381_LOOP \
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1, 1}
#define BLS381_X_ABS 0xd201000000010000

#endif

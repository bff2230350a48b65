// SPDX-License-Identifier: Apache-2.0
// SHA-256 of 64 bytes: nearly all wires are bits.
pragma circom 2.0.0;

include "./circomlib/circuits/sha256/sha256.circom";
include "./circomlib/circuits/bitify.circom";

template Hash64() {
    signal input in[64];
    signal output out[2];
    component byte[64];
    component sha = Sha256(512);
    component half[2];

    for (var i = 0; i < 64; i++) {
        byte[i] = Num2Bits(8);
        byte[i].in <== in[i];
        for (var j = 0; j < 8; j++) {
            sha.in[8 * i + j] <== byte[i].out[7 - j];
        }
    }
    for (var h = 0; h < 2; h++) {
        half[h] = Bits2Num(128);
        for (var i = 0; i < 128; i++) {
            half[h].in[127 - i] <== sha.out[128 * h + i];
        }
        out[h] <== half[h].out;
    }
}

component main = Hash64();

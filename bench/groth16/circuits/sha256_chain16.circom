// SPDX-License-Identifier: Apache-2.0
// Sixteen SHA-256 hashes of 32 bytes in a row: half a million constraints, nearly all wires are bits.
pragma circom 2.0.0;

include "./circomlib/circuits/sha256/sha256.circom";
include "./circomlib/circuits/bitify.circom";

template HashChain(n) {
    signal input in[2];
    signal output out[2];
    component bits[2];
    component sha[n];
    component half[2];

    for (var h = 0; h < 2; h++) {
        bits[h] = Num2Bits(128);
        bits[h].in <== in[h];
    }
    for (var k = 0; k < n; k++) {
        sha[k] = Sha256(256);
        for (var i = 0; i < 256; i++) {
            if (k == 0) {
                sha[k].in[i] <== bits[i \ 128].out[127 - (i % 128)];
            } else {
                sha[k].in[i] <== sha[k - 1].out[i];
            }
        }
    }
    for (var h = 0; h < 2; h++) {
        half[h] = Bits2Num(128);
        for (var i = 0; i < 128; i++) {
            half[h].in[127 - i] <== sha[n - 1].out[128 * h + i];
        }
        out[h] <== half[h].out;
    }
}

component main = HashChain(16);

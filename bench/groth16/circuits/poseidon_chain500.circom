// SPDX-License-Identifier: Apache-2.0
// A chain of Poseidon hashes: nearly all wires are full-width field elements.
pragma circom 2.0.0;

include "./circomlib/circuits/poseidon.circom";

template PoseidonChain(n) {
    signal input a;
    signal input b;
    signal output out;
    signal state[n + 1];
    component hash[n];

    state[0] <== a;
    for (var i = 0; i < n; i++) {
        hash[i] = Poseidon(2);
        hash[i].inputs[0] <== state[i];
        hash[i].inputs[1] <== b;
        state[i + 1] <== hash[i].out;
    }
    out <== state[n];
}

component main {public [b]} = PoseidonChain(500);

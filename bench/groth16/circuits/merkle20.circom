// SPDX-License-Identifier: Apache-2.0
// Membership in a Poseidon Merkle tree of depth 20, with a nullifier: the shape of anonymous signalling.
pragma circom 2.0.0;

include "./circomlib/circuits/poseidon.circom";
include "./circomlib/circuits/mux1.circom";

template Membership(depth) {
    signal input leafSecret;
    signal input nullifierKey;
    signal input sib[depth];
    signal input idx[depth];
    signal output root;
    signal output nullifier;

    component leaf = Poseidon(1);
    leaf.inputs[0] <== leafSecret;

    component mark = Poseidon(2);
    mark.inputs[0] <== leafSecret;
    mark.inputs[1] <== nullifierKey;
    nullifier <== mark.out;

    signal node[depth + 1];
    component side[depth];
    component hash[depth];
    node[0] <== leaf.out;
    for (var i = 0; i < depth; i++) {
        idx[i] * (1 - idx[i]) === 0;
        side[i] = MultiMux1(2);
        side[i].c[0][0] <== node[i];
        side[i].c[0][1] <== sib[i];
        side[i].c[1][0] <== sib[i];
        side[i].c[1][1] <== node[i];
        side[i].s <== idx[i];
        hash[i] = Poseidon(2);
        hash[i].inputs[0] <== side[i].out[0];
        hash[i].inputs[1] <== side[i].out[1];
        node[i + 1] <== hash[i].out;
    }
    root <== node[depth];
}

component main {public [nullifierKey]} = Membership(20);

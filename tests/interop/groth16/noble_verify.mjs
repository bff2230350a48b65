// SPDX-License-Identifier: Apache-2.0
// Verifies a Groth16 proof in snarkjs's JSON by the pairings of @noble/curves: noble_verify.mjs VKEY PUBLIC PROOF
// Last line OK or INVALID; exit code 0 or 1.
import { readFileSync } from 'node:fs';
import { bn254 } from '@noble/curves/bn254.js';
import { bls12_381 } from '@noble/curves/bls12-381.js';

const [vkey, publics, proof] = process.argv.slice(2, 5).map((path) => JSON.parse(readFileSync(path, 'utf8')));
const curve = { bn128: bn254, bls12381: bls12_381 }[vkey.curve];
const { Fp2, Fp12, Fr } = curve.fields;
const G1 = curve.G1.Point;
const G2 = curve.G2.Point;

const g1 = ([x, y]) => {
  const p = G1.fromAffine({ x: BigInt(x), y: BigInt(y) });
  p.assertValidity();
  return p;
};
const g2 = ([x, y]) => {
  const coordinate = ([c0, c1]) => Fp2.fromBigTuple([BigInt(c0), BigInt(c1)]);
  const p = G2.fromAffine({ x: coordinate(x), y: coordinate(y) });
  p.assertValidity();
  if (!p.isTorsionFree()) throw new Error('not of order r');
  return p;
};

let sum = g1(vkey.IC[0]);
if (publics.length + 1 !== vkey.IC.length) throw new Error('wrong number of public values');
publics.forEach((value, i) => {
  const scalar = BigInt(value);
  if (scalar < 0n || scalar >= Fr.ORDER) throw new Error('public value not below r');
  if (scalar !== 0n) sum = sum.add(g1(vkey.IC[i + 1]).multiply(scalar));
});
const product = curve.pairingBatch([
  { g1: g1(proof.pi_a).negate(), g2: g2(proof.pi_b) },
  { g1: g1(vkey.vk_alpha_1), g2: g2(vkey.vk_beta_2) },
  { g1: sum, g2: g2(vkey.vk_gamma_2) },
  { g1: g1(proof.pi_c), g2: g2(vkey.vk_delta_2) },
]);
const good = Fp12.eql(product, Fp12.ONE);
console.log(good ? 'OK' : 'INVALID');
process.exit(good ? 0 : 1);

// SPDX-License-Identifier: Apache-2.0
//! Measures ark-groth16 on circom's files:
//!     ark-peer prove KEY.zkey W.wtns          BN254: load a snarkjs key, prove, verify
//!     ark-peer own C.r1cs W.wtns              either curve: its own setup, prove, verify, in one process
//!     ark-peer key C.r1cs KEY.zkey            BN254: its own setup, written as a snarkjs key (insecure: for measurements only)
//! Prints `step seconds` lines; the caller measures the process.
use ark_circom::{read_zkey, CircomReduction};
use ark_ec::{pairing::Pairing, AffineRepr, PrimeGroup};
use ark_ff::{BigInteger, Field, PrimeField, UniformRand, Zero};
use ark_groth16::{prepare_verifying_key, Groth16, ProvingKey};
use ark_relations::gr1cs::{
    ConstraintSynthesizer, ConstraintSystemRef, LinearCombination, Matrix, SynthesisError, Variable,
};
use std::{env, fs, io::BufReader, time::Instant};

type Row<F> = Vec<(F, usize)>;

struct Circuit<F> {
    wires: usize,
    public: usize, // without the constant one
    rows: [Vec<Row<F>>; 3],
}

fn u32_at(b: &[u8], at: usize) -> usize {
    u32::from_le_bytes(b[at..at + 4].try_into().unwrap()) as usize
}

/// The bytes of a section of circom's container.
fn section(b: &[u8], id: usize) -> &[u8] {
    let mut at = 12;
    for _ in 0..u32_at(b, 8) {
        let len = u64::from_le_bytes(b[at + 4..at + 12].try_into().unwrap()) as usize;
        if u32_at(b, at) == id {
            return &b[at + 12..at + 12 + len];
        }
        at += 12 + len;
    }
    panic!("no section {id}");
}

fn read_wtns<F: PrimeField>(path: &str) -> Vec<F> {
    let b = fs::read(path).unwrap();
    section(&b, 2).chunks(32).map(F::from_le_bytes_mod_order).collect()
}

fn read_r1cs<F: PrimeField>(path: &str) -> Circuit<F> {
    let b = fs::read(path).unwrap();
    let head = section(&b, 1);
    let wires = u32_at(head, 36);
    let public = u32_at(head, 40) + u32_at(head, 44);
    let constraints = u32_at(head, 60);
    let data = section(&b, 2);
    let mut rows = [vec![], vec![], vec![]];
    let mut at = 0;
    for _ in 0..constraints {
        for m in rows.iter_mut() {
            let n = u32_at(data, at);
            at += 4;
            let mut row = Vec::with_capacity(n);
            for _ in 0..n {
                row.push((F::from_le_bytes_mod_order(&data[at + 4..at + 36]), u32_at(data, at)));
                at += 36;
            }
            m.push(row);
        }
    }
    Circuit { wires, public, rows }
}

impl<F: PrimeField> ConstraintSynthesizer<F> for &Circuit<F> {
    fn generate_constraints(self, cs: ConstraintSystemRef<F>) -> Result<(), SynthesisError> {
        for _ in 0..self.public {
            let _ = cs.new_input_variable(|| Ok(F::one()))?;
        }
        for _ in self.public + 1..self.wires {
            let _ = cs.new_witness_variable(|| Ok(F::one()))?;
        }
        let wire = |i: usize| match i {
            i if i <= self.public => Variable::instance(i),
            i => Variable::witness(i - self.public - 1),
        };
        let sum = |row: &Row<F>| LinearCombination(row.iter().map(|(c, i)| (*c, wire(*i))).collect());
        for i in 0..self.rows[0].len() {
            cs.enforce_r1cs_constraint(|| sum(&self.rows[0][i]), || sum(&self.rows[1][i]), || sum(&self.rows[2][i]))?;
        }
        Ok(())
    }
}

fn timed<T>(step: &str, f: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let x = f();
    println!("{step} {:.3}", start.elapsed().as_secs_f64());
    x
}

fn prove<E: Pairing>(pk: &ProvingKey<E>, m: &[Matrix<E::ScalarField>], constraints: usize, w: &[E::ScalarField]) {
    let mut rng = ark_std::rand::rngs::OsRng;
    let inputs = pk.vk.gamma_abc_g1.len();
    let (r, s) = (E::ScalarField::rand(&mut rng), E::ScalarField::rand(&mut rng));
    let proof = timed("prove", || {
        Groth16::<E, CircomReduction>::create_proof_with_reduction_and_matrices(pk, r, s, m, inputs, constraints, w).unwrap()
    });
    let good = timed("verify", || {
        Groth16::<E, CircomReduction>::verify_proof(&prepare_verifying_key(&pk.vk), &proof, &w[1..inputs]).unwrap()
    });
    assert!(good, "the proof does not verify");
}

fn own<E: Pairing>(r1cs: &str, wtns: &str) {
    let circuit = timed("read", || read_r1cs::<E::ScalarField>(r1cs));
    let w = read_wtns::<E::ScalarField>(wtns);
    let mut rng = ark_std::rand::rngs::OsRng;
    let pk = timed("setup", || {
        Groth16::<E, CircomReduction>::generate_random_parameters_with_reduction(&circuit, &mut rng).unwrap()
    });
    prove(&pk, &circuit.rows[..2], circuit.rows[0].len(), &w);
}

/// Montgomery limbs, little-endian: the form of points in a key.
fn put<F: Field>(out: &mut Vec<u8>, x: &F)
where
    F::BasePrimeField: PrimeField<BigInt = ark_ff::BigInt<4>>,
{
    for c in x.to_base_prime_field_elements() {
        let r = F::BasePrimeField::from_le_bytes_mod_order(&[&[0u8; 32][..], &[1u8]].concat());
        out.extend((c * r).into_bigint().to_bytes_le());
    }
}

fn put_points<A: AffineRepr>(out: &mut Vec<u8>, points: &[A])
where
    <A::BaseField as Field>::BasePrimeField: PrimeField<BigInt = ark_ff::BigInt<4>>,
{
    for p in points {
        let (x, y) = p.xy().unwrap_or((A::BaseField::zero(), A::BaseField::zero()));
        put(out, &x);
        put(out, &y);
    }
}

fn key(r1cs: &str, zkey: &str) {
    type E = ark_bn254::Bn254;
    type Fr = ark_bn254::Fr;
    let circuit = read_r1cs::<Fr>(r1cs);
    let mut rng = ark_std::rand::rngs::OsRng;
    let pk: ProvingKey<E> = timed("setup", || {
        // snarkjs's keys stand on the standard generators.
        let [alpha, beta, gamma, delta] = [(); 4].map(|_| Fr::rand(&mut rng));
        let (g1, g2) = (ark_bn254::G1Projective::generator(), ark_bn254::G2Projective::generator());
        Groth16::<E, CircomReduction>::generate_parameters_with_qap(&circuit, alpha, beta, gamma, delta, g1, g2, &mut rng)
            .unwrap()
    });
    let u = |n: usize| (n as u32).to_le_bytes().to_vec();
    let mut header = [u(32), ark_bn254::Fq::MODULUS.to_bytes_le(), u(32), Fr::MODULUS.to_bytes_le()].concat();
    header.extend([u(circuit.wires), u(circuit.public), u(pk.h_query.len())].concat());
    put_points(&mut header, &[pk.vk.alpha_g1, pk.beta_g1]);
    put_points(&mut header, &[pk.vk.beta_g2, pk.vk.gamma_g2]);
    put_points(&mut header, &[pk.delta_g1]);
    put_points(&mut header, &[pk.vk.delta_g2]);

    let mut coefs = vec![];
    let mut n = 0;
    let mut coef = |m: usize, row: usize, wire: usize, c: Fr| {
        n += 1;
        coefs.extend([u(m), u(row), u(wire)].concat());
        let r = Fr::from_le_bytes_mod_order(&[&[0u8; 32][..], &[1u8]].concat());
        coefs.extend((c * r * r).into_bigint().to_bytes_le());
    };
    for m in 0..2 {
        for (row, terms) in circuit.rows[m].iter().enumerate() {
            terms.iter().for_each(|(c, wire)| coef(m, row, *wire, *c));
        }
    }
    for wire in 0..=circuit.public {
        coef(0, circuit.rows[0].len() + wire, wire, Fr::from(1u64));
    }
    let points = |p: &[ark_bn254::G1Affine]| {
        let mut b = vec![];
        put_points(&mut b, p);
        b
    };
    let mut b2 = vec![];
    put_points(&mut b2, &pk.b_g2_query);
    let sections = [
        u(1),
        header,
        points(&pk.vk.gamma_abc_g1),
        [u(n), coefs].concat(),
        points(&pk.a_query),
        points(&pk.b_g1_query),
        b2,
        points(&pk.l_query),
        points(&pk.h_query),
        [vec![0; 64], u(0)].concat(),
    ];
    let mut file = [b"zkey".to_vec(), u(1), u(sections.len())].concat();
    for (i, s) in sections.iter().enumerate() {
        file.extend(u(i + 1));
        file.extend((s.len() as u64).to_le_bytes());
        file.extend(s);
    }
    fs::write(zkey, file).unwrap();
}

fn main() {
    let args: Vec<String> = env::args().collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[1..] {
        ["prove", zkey, wtns] => {
            let w = read_wtns::<ark_bn254::Fr>(wtns);
            let (pk, m) = timed("load", || read_zkey(&mut BufReader::new(fs::File::open(zkey).unwrap())).unwrap());
            prove(&pk, &[m.a, m.b], m.num_constraints, &w);
        }
        ["own", r1cs, wtns] => {
            let b = fs::read(r1cs).unwrap();
            let prime = &section(&b, 1)[4..36];
            if prime == ark_bn254::Fr::MODULUS.to_bytes_le() {
                own::<ark_bn254::Bn254>(r1cs, wtns)
            } else {
                assert_eq!(prime, ark_bls12_381::Fr::MODULUS.to_bytes_le());
                own::<ark_bls12_381::Bls12_381>(r1cs, wtns)
            }
        }
        ["key", r1cs, zkey] => key(r1cs, zkey),
        _ => {
            eprintln!("usage: ark-peer prove KEY.zkey W.wtns | own C.r1cs W.wtns | key C.r1cs KEY.zkey");
            std::process::exit(2)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// The scenarios of ../test_assayd_clients.py with @grpc/grpc-js and our .proto files.
//     node client.cjs PROTO_DIR ADDRESS WITNESS MODE
// Run from the folder that holds node_modules.
'use strict';
const assert = require('assert');
const fs = require('fs');
const { createRequire } = require('module');
const need = createRequire(process.cwd() + '/');
const grpc = need('@grpc/grpc-js');
const loader = need('@grpc/proto-loader');

const [protoDir, address, witnessFile, mode] = process.argv.slice(2);
const load = (file) => grpc.loadPackageDefinition(loader.loadSync(file, { includeDirs: [protoDir], keepCase: true, longs: Number, enums: String, defaults: true }));
const { ProvingEngine } = load('cuzk/v1/proving_engine.proto').cuzk.v1;
const { Engine } = load('assay/v1/engine.proto').assay.v1;
const limits = { 'grpc.max_send_message_length': 256 << 20, 'grpc.max_receive_message_length': 256 << 20 };
const cuzk = new ProvingEngine(address, grpc.credentials.createInsecure(), limits);
const own = new Engine(address, grpc.credentials.createInsecure(), limits);
const witness = fs.readFileSync(witnessFile);
const S = grpc.status;

const call = (client, name, q, seconds = 120) => new Promise((resolve, reject) => {
  client[name](q, { deadline: Date.now() + 1000 * seconds }, (e, reply) => (e ? reject(e) : resolve(reply)));
});
const refused = async (code, ...rest) => {
  try {
    await call(...rest);
  } catch (e) {
    assert.strictEqual(e.code, code, e.message);
    return e.details;
  }
  throw new Error(`${rest[1]} should have failed with ${code}`);
};
const done = (name) => console.log('ok', name);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const porep = (id, body) => ({ request_id: id, proof_kind: 'POREP_SEAL_COMMIT', sector_size: 2 ** 35, vanilla_proof: body, sector_number: 7, miner_id: 1000 });

async function free() {
  const q = { request_id: 'js-groth16', circuit: 'small', witness: [witness, witness] };
  assert.strictEqual((await call(own, 'SubmitGroth16', q)).job_id, 'js-groth16');
  const r = await call(cuzk, 'AwaitProof', { job_id: 'js-groth16' });
  assert.strictEqual(r.status, 'COMPLETED');
  assert(r.proof.includes('"pi_a"') && r.total_ms > 0);
  done('groth16');
  const events = await new Promise((resolve, reject) => {
    const out = [];
    own.Watch({ job_id: 'js-groth16' }).on('data', (m) => out.push(m)).on('error', reject).on('end', () => resolve(out));
  });
  const last = events[events.length - 1];
  assert.strictEqual(last.state, 'COMPLETED');
  assert(Buffer.concat(last.result.proof).equals(r.proof) && last.result.public_values.length === 2);
  done('watch');
  assert.strictEqual((await call(own, 'SubmitGroth16', q)).existed, true);
  q.witness = [witness];
  await refused(S.ALREADY_EXISTS, own, 'SubmitGroth16', q);
  done('same id');
  const { result } = await call(cuzk, 'Prove', { submit: porep('js-porep', Buffer.from('{}')) });
  assert.strictEqual(result.status, 'FAILED');
  assert(result.error_message);
  done('failed in band');
  const large = await call(cuzk, 'Prove', { submit: porep('js-large', Buffer.alloc(70000000)) });
  assert.strictEqual(large.result.job_id, 'js-large');
  done('70 MB');
  assert((await refused(S.INVALID_ARGUMENT, cuzk, 'SubmitProof', { proof_kind: 'POREP_SEAL_COMMIT' })).startsWith('vanilla_proof'));
  await refused(S.NOT_FOUND, cuzk, 'AwaitProof', { job_id: 'js-none' });
  await refused(S.NOT_FOUND, own, 'SubmitGroth16', { circuit: 'none', witness: [witness] });
  done('errors');
  assert((await call(cuzk, 'GetStatus', {}, 5)).total_proofs_completed >= 1);
  assert((await call(cuzk, 'GetMetrics', {})).prometheus_text.includes('# TYPE assay_'));
  done('status');
}

async function blocked() {
  await refused(S.DEADLINE_EXCEEDED, cuzk, 'Prove', { submit: porep('js-late', Buffer.from('{}')) }, 0.5);
  assert(['CANCELLED', 'FAILED'].includes((await call(cuzk, 'AwaitProof', { job_id: 'js-late' })).status));
  done('deadline');
  await call(cuzk, 'SubmitProof', porep('js-waits', Buffer.from('{}')));
  assert.strictEqual((await call(cuzk, 'AwaitProof', { job_id: 'js-waits', timeout_ms: 200 })).status, 'TIMEOUT');
  done('timeout');
  assert.strictEqual((await call(cuzk, 'CancelProof', { job_id: 'js-waits' })).was_running, false);
  const gone = cuzk.Prove({ submit: porep('js-gone', Buffer.from('{}')) }, () => {});
  for (;;) {
    try {
      await call(cuzk, 'AwaitProof', { job_id: 'js-gone', timeout_ms: 1 });
      break;
    } catch (e) {
      await pause(20);
    }
  }
  gone.cancel();
  assert.strictEqual((await call(cuzk, 'AwaitProof', { job_id: 'js-gone' })).status, 'CANCELLED');
  done('cancel');
}

({ free, blocked })[mode]().then(() => process.exit(0), (e) => {
  console.error(e);
  process.exit(1);
});

// SPDX-License-Identifier: Apache-2.0
// The scenarios of ../test_grpc.py with @grpc/grpc-js and @grpc/proto-loader, which reads our .proto files.
//     node client.cjs PROTO_DIR ADDRESS [--ca FILE --cert FILE --key FILE] [--token TOKEN] [--quick]
// Run from the folder that holds node_modules.
'use strict';
const assert = require('assert');
const fs = require('fs');
const { createRequire } = require('module');
const need = createRequire(process.cwd() + '/');
const grpc = need('@grpc/grpc-js');
const loader = need('@grpc/proto-loader');

const [protoDir, address, ...rest] = process.argv.slice(2);
const option = (name) => (rest.includes(name) ? rest[rest.indexOf(name) + 1] : undefined);
const quick = rest.includes('--quick');
const load = (file) => grpc.loadPackageDefinition(loader.loadSync(file, { includeDirs: [protoDir], keepCase: true, longs: Number, enums: String, defaults: true }));
const { Test } = load('assay/test/v1/test.proto').assay.test.v1;
const { Health } = load('grpc/health/v1/health.proto').grpc.health.v1;
const { ServerReflection } = load('grpc/reflection/v1/reflection.proto').grpc.reflection.v1;
load('cuzk/v1/proving_engine.proto');
load('assay/v1/engine.proto');

const read = (name) => fs.readFileSync(option(name));
const credentials = option('--ca') ? grpc.credentials.createSsl(read('--ca'), read('--key'), read('--cert')) : grpc.credentials.createInsecure();
const limits = { 'grpc.max_send_message_length': 256 << 20, 'grpc.max_receive_message_length': 256 << 20, 'grpc.use_local_subchannel_pool': 1 };
const connect = (Service) => new Service(address, credentials, limits);
const metadata = (token = option('--token')) => {
  const m = new grpc.Metadata();
  if (token) m.set('authorization', 'Bearer ' + token);
  return m;
};
const deadline = (seconds) => ({ deadline: Date.now() + 1000 * seconds });

const client = connect(Test);
const unary = (name, q, { on = client, seconds = 60, meta = metadata(), options = {} } = {}) => new Promise((resolve, reject) => {
  on[name](q, meta, { ...deadline(seconds), ...options }, (e, reply) => (e ? reject(e) : resolve(reply)));
});
const refused = async (code, ...call) => {
  try {
    await unary(...call);
  } catch (e) {
    assert.strictEqual(e.code, code, e.message);
    return e.details;
  }
  throw new Error(`${call[0]} should have failed with ${code}`);
};
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const until = async (what) => {
  for (let i = 0; i < 500; i++) {
    if (await what()) return;
    await pause(20);
  }
  throw new Error('did not happen in 10 s');
};
const counters = () => unary('Counters', {});
const collect = (stream) => new Promise((resolve, reject) => {
  const out = [];
  stream.on('data', (m) => out.push(m));
  stream.on('error', reject);
  stream.on('end', () => resolve(out));
});
const done = (name) => console.log('ok', name);
const S = grpc.status;

async function main() {
  for (const n of [0, 1, 1000, 100000, (4 << 20) + 1]) {
    const payload = Buffer.alloc(n, 'abcdefg');
    assert(payload.equals((await unary('Echo', { payload })).payload));
  }
  done('echo');
  const big = Buffer.alloc(70000000, 'xyz');
  assert(big.equals((await unary('Echo', { payload: big })).payload));
  done('70 MB');
  const counted = await collect(client.Count({ count: 100, nbytes: 10000 }, metadata(), deadline(60)));
  assert.deepStrictEqual(counted.map((m) => m.number), [...Array(100).keys()]);
  done('stream');
  assert.strictEqual(await refused(S.NOT_FOUND, 'Fail', { code: 5, message: '50% of é failed' }), '50% of é failed');
  done('status');
  const left = (await unary('Echo', {}, { seconds: 30 })).deadline_ms;
  assert(left > 0 && left <= 31000, left);
  const before = (await counters()).cancelled;
  await refused(S.DEADLINE_EXCEEDED, 'Sleep', { delay_ms: 20000 }, { seconds: 0.3 });
  await until(async () => (await counters()).cancelled === before + 1);
  done('deadline');
  const { started } = await counters();
  const ended = new Promise((resolve) => {
    const call = client.Sleep({ delay_ms: 20000 }, metadata(), (e) => resolve(e.code));
    until(async () => (await counters()).started === started + 1).then(() => call.cancel());
  });
  assert.strictEqual(await ended, S.CANCELLED);
  await until(async () => (await counters()).cancelled === before + 2);
  const stream = client.Count({ count: 1000000, delay_ms: 5 }, metadata());
  let seen = 0;
  stream.on('error', () => {});
  stream.on('data', () => {
    seen += 1;
    if (seen === 2) stream.cancel();
  });
  await until(async () => (await counters()).cancelled === before + 3);
  done('cancel');
  const unknown = (path) => new Promise((resolve) => client.makeUnaryRequest(path, (b) => b, (b) => b, Buffer.alloc(0), metadata(), deadline(60), (e) => resolve(e.code)));
  assert.strictEqual(await unknown('/assay.test.v1.Test/Nothing'), S.UNIMPLEMENTED);
  assert.strictEqual(await unknown('/a.B/C'), S.UNIMPLEMENTED);
  done('unknown method');
  const gzip = new Test(address, credentials, { ...limits, 'grpc.default_compression_algorithm': 2 });
  await refused(S.UNIMPLEMENTED, 'Echo', { payload: Buffer.alloc(1000) }, { on: gzip });
  gzip.close();
  done('compressed');
  await refused(S.RESOURCE_EXHAUSTED, 'Echo', { payload: Buffer.alloc(81 << 20) });
  assert.strictEqual((await unary('Echo', { payload: Buffer.from('x') })).payload.toString(), 'x');
  done('oversized');
  const talk = client.Talk(metadata(), deadline(60));
  const replies = collect(talk);
  for (const letter of 'ABCDE') talk.write({ payload: Buffer.from(letter) });
  talk.end();
  assert.strictEqual((await replies).map((m) => m.payload.toString()).join(''), 'ABCDE');
  done('both ways');
  const health = connect(Health);
  assert.strictEqual((await unary('Check', { service: '' }, { on: health })).status, 'SERVING');
  await refused(S.NOT_FOUND, 'Check', { service: 'none' }, { on: health });
  const watching = health.Watch({ service: '' }, metadata());
  await new Promise((resolve, reject) => {
    watching.on('data', (m) => (m.status === 'SERVING' ? resolve() : reject(new Error(m.status))));
    watching.on('error', reject);
  });
  watching.on('error', () => {});
  watching.cancel();
  health.close();
  done('health');
  const reflection = connect(ServerReflection);
  const info = reflection.ServerReflectionInfo(metadata(), deadline(60));
  const answers = collect(info);
  info.write({ list_services: '*' });
  info.write({ file_containing_symbol: 'assay.test.v1.Test' });
  info.end();
  const [services, file] = await answers;
  assert(services.list_services_response.service.some((s) => s.name === 'assay.test.v1.Test'));
  assert(file.file_descriptor_response.file_descriptor_proto[0].includes('assay/test/v1/test.proto'));
  reflection.close();
  done('reflection');
  if (option('--token')) {
    await refused(S.UNAUTHENTICATED, 'Echo', {}, { meta: metadata('wrong') });
    await refused(S.UNAUTHENTICATED, 'Echo', {}, { meta: new grpc.Metadata() });
  }
  done('token');
  const many = [...Array(quick ? 50 : 500)].map(() => connect(Test));
  await Promise.all(many.map((on) => unary('Sleep', { delay_ms: 500 }, { on })));
  many.forEach((c) => c.close());
  done('many clients');
  client.close();
}

main().catch((e) => {
  console.error(e);
  process.exit(1);
});

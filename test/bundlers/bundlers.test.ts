import { execFile } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runInContext } from 'node:vm';
import { transform } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { useConsumer } from '../package/consumer.js';
import { type Bundled, type Bundling, GLOBAL, needs } from './bundling.js';
import { esbuild } from './esbuild.js';
import { installedVite, vite, vite7 } from './vite.js';
import { createWebContext } from './web-context.js';
import { webpack } from './webpack.js';

const run = promisify(execFile);
const SECRET = 'whsec-büñdled';
const CALLER = fileURLToPath(new URL('./fixtures/call-bundled.mjs', import.meta.url));

/** What has no place in a bundle for a runtime without Node, and the constant that SHA-256 in JavaScript begins with. */
const OF_NODE = /\bnode:|\brequire\(|\bBuffer\b|\bprocess\.|createHmac/;
const SHA256_IN_JAVASCRIPT = /1116352408|0x428a2f98/;

const NOT_OF_VERIFY = /transaction\.included|toleranceSeconds|contractLabel|zod/i;

/** Where a pattern occurs, with what stands around it: a whole bundle is no message. */
function around(code: string, pattern: RegExp): string {
  const { index } = pattern.exec(code) ?? {};
  return index === undefined ? '' : code.slice(Math.max(0, index - 60), index + 60);
}
const found = (code: string, pattern: RegExp) => pattern.test(code);

let given: string;
const consumer = useConsumer(async (consumer) => {
  const fixture = await readFile(new URL('./fixtures/bundled.mjs', import.meta.url), 'utf8');
  await consumer.write('app.mjs', fixture);
  await consumer.write('app.cjs', (await transform(fixture, { format: 'cjs' })).code);
  await consumer.write('verify.mjs', "export { verifySignature } from 'event-webhook-receiver/verify';");
  await consumer.write('root.mjs', "export { verifySignature } from 'event-webhook-receiver';");
  const note = 'ünïcode'.repeat(20_000);
  const { sampleBody } = await import(join(consumer.root, 'app.mjs'));
  const bodies = [
    [{ id: 'small', event: 'transaction.included', data: {} }],
    [{ id: 'large', event: 'transaction.included', data: { note } }],
  ];
  const deliveries = [...bodies.map((body) => JSON.stringify(body)), sampleBody()].map(sign);
  given = await consumer.write('deliveries.json', JSON.stringify([deliveries, SECRET]));
});

/** Signed with Node's own HMAC, and not with the package. */
function sign(body: string) {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', SECRET).update(body).update(timestamp).digest('hex');
  const headers = { 'X-Service-Signature': signature, 'X-Service-Timestamp': timestamp };
  return { body, signature, timestamp, headers };
}

const EXPECTED = {
  found: [
    [false, 403],
    [true, 200],
    [false, 403],
    [true, 200],
    [false, 403],
    [true, 200],
  ],
  decoded: ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8 1000000000000000000'],
  saw: ['small', 'large'],
  asked: `sha256:${createHash('sha256').update(Buffer.from('a key with spaces', 'utf16le')).digest('hex')}`,
  tables: 3,
  word: 'handled',
  error: 'ERR_WEBHOOK_INVALID_BODY',
};

/** What the bundle's `check` gives, where it is made for. */
async function runBundle(code: string, { format, title }: Bundling): Promise<unknown> {
  if (format !== 'script') {
    // In the consumer's folder, as what a build left out is found from there.
    const file = await consumer.write(`dist/${title.replace(/\W+/g, '-')}.${format}`, code);
    return JSON.parse((await run(process.execPath, [CALLER, file, given])).stdout);
  }
  const context = createWebContext();
  runInContext(code, context);
  const call = `${GLOBAL}.check(...${await readFile(given, 'utf8')}).then(JSON.stringify)`;
  return JSON.parse(await runInContext(call, context));
}

function suite(name: string, missing: string, bundlings: readonly Bundling[]): void {
  describe.skipIf(missing)(`${name}${missing}`, () => {
    describe.each(bundlings)('$title', (bundling) => {
      const { format, entry = 'mjs', external = false } = bundling;
      let app: Bundled;
      let alone: Bundled[];

      beforeAll(async () => {
        app = await bundling.bundle(join(consumer.root, `app.${entry}`));
        alone = [];
        for (const name of ['verify.mjs', 'root.mjs']) alone.push(await bundling.bundle(join(consumer.root, name)));
      }, 60_000);

      test('is built without a warning', () => {
        expect([app, ...alone].flatMap(({ warnings }) => warnings)).toEqual([]);
      });

      test('takes genuine deliveries and refuses forged ones, where it runs', async () => {
        expect(await runBundle(app.code, bundling)).toEqual(EXPECTED);
      });

      if (external) return;

      test("holds its runtime's HMAC and nothing of another's", () => {
        // CommonJS is bundled whole, also what of ./testing is not used: explainFailure has hashes of its own, and names Buffer.
        for (const { code } of entry === 'cjs' ? alone : [app, ...alone]) {
          expect(found(code, SHA256_IN_JAVASCRIPT)).toBe(format === 'script');
          expect(found(code, /node:crypto/)).toBe(format !== 'script');
          if (format === 'script') expect(around(code, OF_NODE)).toBe('');
        }
      });

      test('leaves the router, the receiver and zod out where verifySignature alone is used', () => {
        expect(around(app.code, /zod/i)).toBe('');
        expect(found(app.code, NOT_OF_VERIFY)).toBe(true);
        for (const { code } of alone) expect(around(code, NOT_OF_VERIFY)).toBe('');
      });
    });
  });
}

suite('esbuild', '', esbuild);
suite('Vite 8', '', vite(installedVite));
suite('Vite 7, with Rollup', needs('vite7'), vite(vite7));
suite('webpack', needs('webpack'), webpack);

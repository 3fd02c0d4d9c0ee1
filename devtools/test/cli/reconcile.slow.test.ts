import { logIdentity } from 'event-webhook-receiver/evm';
import { beforeEach, describe, expect, test } from 'vitest';
import { readAll, sourceOf } from '../../../test/chain/reconcile/reconciling.js';
import { createNode, type ScriptedNode } from '../../../test/chain/scripted-node.js';
import { token, tokenAbi, transfer } from '../../../test/chain/watching.js';
import { serve } from '../servers.js';
import { API_KEY, asProcess, fakeService, inProcess, jsonLines, library, scratch, ways } from './tool.js';

const chainId = 31337;
let node: ScriptedNode;
/** Where the node is for other processes. */
let nodeUrl: string;
let keys: string[];
let file: Awaited<ReturnType<typeof scratch>>;
let abi: string;

beforeEach(async () => {
  node = createNode();
  for (let value = 1; value <= 4; value++) node.mine({ logs: [transfer(value)] });
  keys = (await readAll(sourceOf(node).source)).events.map((event) => logIdentity(event, { chainId }));
  file = await scratch();
  nodeUrl = await serve(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const answer = await fetch(new Request(node.url, { method: 'POST', body })).catch(() => response.destroy());
    if (answer instanceof Response) response.writeHead(answer.status).end(await answer.text());
  });
  abi = await file('Token.json', JSON.stringify(tokenAbi));
});

/** A module with a receiver whose store has the events at some places. */
async function receiverOf(handled: readonly number[], { name = 'receiver', options = '', more = '' } = {}) {
  const known = handled.map((index) => keys[index]);
  return file(
    'webhooks.mjs',
    `import { createReceiver } from '${library}index.js';
     import { logIdentity } from '${library}evm/index.js';
     const known = new Set(${JSON.stringify(known)});
     const store = {
       rememberedSince: () => 0,
       async once([key], _step, run) {
         if (known.has(key)) return new Map([[key, 'duplicate']]);
         await run(new Map([[key, {}]]));
         known.add(key);
         return new Map([[key, 'handled']]);
       },
     };
     export const ${name} = createReceiver({
       secret: 'the-secret-of-the-module', store,
       idempotencyKey: (event) => logIdentity(event, { chainId: ${chainId} }),
       onEvent: () => console.error('HANDLED'), ${options}
     });
     ${more}`,
  );
}

const args = (...more: string[]) => [
  ...['reconcile', '--rpc', nodeUrl, '--contract', `${token.address}=${abi}:token`, '--confirmations', '1'],
  ...more,
];
const lineOf = (block: number, state: string) =>
  expect.stringMatching(
    new RegExp(`^block ${block} {2}0x[0-9a-f]{64} {2}log 0 {2}token ${token.address} {2}Transfer {2}${state}$`),
  );

describe('reconcile --receiver', () => {
  test.each(ways)('prints what the receiver has not handled, and handles nothing, $way', async ({ tool }) => {
    const module = await receiverOf([1, 3]);
    for (let run = 0; run < 2; run++) {
      const { code, stdout, stderr } = await tool(args('--receiver', module));
      expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
      expect(stdout.split('\n')).toEqual([
        lineOf(1, 'missing'),
        lineOf(3, 'missing'),
        'Blocks 0 to 4: 4 events, 2 have arrived, 2 missing.',
        '',
      ]);
    }
  });

  test('reads from the block that it is asked for, and prints JSON', async () => {
    const module = await receiverOf([3], { name: 'mine' });
    const range = ['--from', '3', '--json'];
    const { code, stdout } = await inProcess(args('--receiver', `${module}#mine`, ...range));
    expect(code).toBe(1);
    const counts = { handled: 1, 'in-progress': 0, unknown: 0, missing: 1, undelivered: 0 };
    expect(jsonLines(stdout)).toEqual([
      {
        missing: {
          ...{ state: 'missing', block: 3, txHash: expect.stringMatching(/^0x/), indexInLog: 0 },
          ...{ contract: token.address, label: 'token', event: 'Transfer' },
        },
      },
      { reconciled: { from: 3, to: 4, final: 4, head: 4, found: 2, ...counts } },
    ]);
  });

  test('does not say that nothing is missing where it could not look', async () => {
    const module = await receiverOf([0, 1, 2, 3]);
    const after = await inProcess(args('--receiver', module, '--from', '50'));
    expect(after).toMatchObject({ code: 2, stdout: '' });
    expect(after.stderr).toContain('Block 50 is not final yet: the last final one is 4. Nothing was compared.');
  });

  test('prints what has an unknown outcome, and fails', async () => {
    const more =
      "const { peek } = receiver; receiver.peek = async (events) => events.map((_, at) => (at ? 'unknown' : 'in-progress'));";
    const { code, stdout } = await inProcess(args('--receiver', await receiverOf([], { more })));
    expect(code).toBe(1);
    expect(stdout.split('\n').slice(0, -1)).toEqual([
      ...[1, 2, 3, 4].map((block) => lineOf(block, block > 1 ? 'unknown' : 'in-progress')),
      'Blocks 0 to 4: 4 events, 0 have arrived, 1 in progress, 3 with an unknown outcome. Nothing is missing.',
    ]);
  });

  test('says why it could not look, without the key of the node', async () => {
    const module = await receiverOf([]);
    const rpc = `${nodeUrl}/v3/key-of-the-node?auth=key-in-query`.replace('//', '//user:password-of-the-node@');
    node.answer(() => Promise.reject(new Error(`no access for ${rpc}`)));
    const { code, stdout, stderr } = await inProcess([
      'reconcile',
      '--rpc',
      rpc,
      ...args('--receiver', module).slice(3),
    ]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('no access');
    for (const key of ['key-of-the-node', 'key-in-query', 'password-of-the-node']) expect(stderr).not.toContain(key);
  });

  test('looks within the source of a secret function, and asks for it', async () => {
    const module = await receiverOf([1, 3], { options: "secret: () => ({ secret: 'x', source: 'acme' })" });
    expect((await inProcess(args('--receiver', module, '--source', 'acme'))).code).toBe(1);
    const unsaid = await inProcess(args('--receiver', module));
    expect([unsaid.code, unsaid.stderr]).toEqual([2, expect.stringContaining('source')]);
    expect((await inProcess(args('--receiver', module, '--no-source', '--from', '1'))).code).toBe(1);
  });

  test('refuses a receiver that tells events apart by their ids', async () => {
    const module = await receiverOf([], { options: 'idempotencyKey: undefined' });
    const { code, stderr } = await inProcess(args('--receiver', module));
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('logIdentity(event, { chainId: 31337 })'),
    });
  });
});

test('reconcile --webhook tells what the service has logged and not delivered from what it has not logged', async () => {
  const { events } = await readAll(sourceOf(node).source);
  const service = await fakeService();
  const entry = (index: number, deliveredAt?: string) => {
    const { event: eventType, data } = events[index] ?? { event: '', data: {} };
    return { id: index, eventType, data, createdAt: '2026-01-02T00:00:00Z', ...(deliveredAt && { deliveredAt }) };
  };
  const broken = { id: 9, eventType: 'event.emitted', data: null, createdAt: '2026-01-02T00:00:00Z' };
  service.logs.set(1, [broken, entry(2), entry(0, '2026-01-02T00:00:01Z'), { ...entry(2), id: 7 }]);
  await fetch(`${service.baseUrl}/api/v0/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${API_KEY}` },
    body: JSON.stringify({ label: 'shop', url: 'https://shop.example' }),
  });
  const { code, stdout, stderr } = await inProcess(args('--webhook', '1'), service);
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(stdout.split('\n')).toEqual([
    lineOf(2, 'missing'),
    lineOf(3, 'undelivered'),
    lineOf(4, 'missing'),
    'Blocks 0 to 4: 4 events, 1 have arrived, 3 missing (1 of them logged as undelivered).',
    '',
  ]);
});

describe('reconcile', () => {
  test.each([
    ['export const other = 1;', '', 'exports no receiver as default or as `receiver`.'],
    ['export const other = 1;', '#other', 'exports no receiver as `other`.'],
    ["throw new Error('no database');", '', 'no database'],
    ["throw 'no database';", '', 'no database'],
  ])('refuses a module without a receiver: %s%s', async (content, name, says) => {
    const module = await file(`${crypto.randomUUID()}.mjs`, content);
    const { code, stderr } = await inProcess(args('--receiver', module + name));
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
  });

  test('never prints the key in the URL of the node', { timeout: 30_000 }, async () => {
    const key = 'key-of-the-node-0123456789';
    const url = nodeUrl.replace('http://', `http://user:${key}@`);
    const secret = [...args('--receiver', await receiverOf([1]), '--json')];
    secret[secret.indexOf(nodeUrl)] = `${url}/v2/${key}?token=${key}`;
    const ran = await asProcess(secret);
    node.stop();
    const failed = await asProcess(secret);
    expect(failed.code).toBe(2);
    for (const { stdout, stderr } of [ran, failed]) expect(stdout + stderr).not.toContain(key);
  });
});

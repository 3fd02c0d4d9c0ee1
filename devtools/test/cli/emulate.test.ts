import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WebhookEvent } from 'event-webhook-receiver';
import { nodeHandler } from 'event-webhook-receiver/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasAnvil, needsAnvil } from '../../../test/servers/anvil.js';
import { untilClosed } from '../../../test/servers/server.js';
import { findAnvil } from '../../src/cli/anvil/start-anvil.js';
import { call, pageHeaders } from '../page/call.js';
import { type Running, startHere, startProcess, ways } from './running.js';

const { ANVIL = '' } = process.env;
const limits = { timeout: 60_000 };

async function scratch(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'event-webhooks-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

/** An app that verifies with the secret in a file, read when the first delivery comes, and what it got. */
async function app(secretFile: string) {
  const events: WebhookEvent[] = [];
  let wake = () => {};
  const handle = nodeHandler({
    secret: async () => (await readFile(secretFile, 'utf8')).trim(),
    toleranceSeconds: 300,
    onEvent(event) {
      events.push(event);
      wake();
    },
  });
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  async function event(): Promise<WebhookEvent> {
    while (events.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return events.shift() as WebhookEvent;
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`, event };
}

/** The page of a running command, by its API. */
async function pageOf(running: Running) {
  const [url, token = ''] = (await running.until(/^Page/)).replace('Page: ', '').split('#token=');
  const headers = pageHeaders(token);
  return async (method: string, path: string, body: unknown = {}) => {
    const sent = method === 'GET' ? {} : { body: JSON.stringify(body) };
    const { status, text } = await call(`${url}api/${path}`, { method, headers, ...sent });
    return { status, body: JSON.parse(text) };
  };
}

describe.each(ways)('emulate, $way', ({ start }) => {
  it('registers, delivers a sample, puts a fault in, explains the refusal, and delivers again', limits, async () => {
    const secretFile = join(await scratch(), 'secret');
    const { url, event } = await app(secretFile);
    const emulate = start(['emulate', '--port', '0', '--register', `shop=${url}`, '--secret-out', secretFile]);
    expect(await emulate.until(/^API/)).toMatch(/^API: http:\/\/127\.0\.0\.1:\d+\/api\/v0\/webhooks$/);
    expect(await emulate.until(/API key/)).toMatch(/API key: \S{20,}$/);
    const page = await pageOf(emulate);
    const secret = (await readFile(secretFile, 'utf8')).trim();
    expect((await stat(secretFile)).mode & 0o777).toBe(0o600);

    const sample = await page('POST', 'sample');
    expect((await event()).id).toBe(sample.body.event);
    expect(await emulate.until(/accepted/)).toMatch(/200 accepted {2}shop {2}Transfer {2}1 item/);

    expect((await page('PUT', 'faults', { wrongSignature: true })).body).toMatchObject({ wrongSignature: true });
    expect((await page('PUT', 'faults', { sabotage: true })).status).toBe(400);
    await page('POST', 'sample');
    expect(await emulate.until(/refused/)).toMatch(
      /403 refused .* fault: signed with a line break after the secret .*next attempt at/,
    );
    const { body } = await page('GET', 'deliveries/2');
    expect(body.findings[0].cause).toBe('fault-on-request');
    expect(body.findings[1].what).toMatch(/secret/i);
    expect(body.items[0].inputs[2].exact).toBe('1000000000000000000');

    await page('PUT', 'faults', { wrongSignature: false });
    expect((await page('POST', 'deliveries/2/resend')).body).toEqual({ id: '2' });
    await event();
    await emulate.until(/200 accepted {2}shop .*attempt \d/);

    const state = await page('GET', 'state');
    expect(state.body).toMatchObject({
      mode: 'emulate',
      webhooks: [{ id: 1, label: 'shop' }],
      faults: { wrongSignature: false },
    });
    expect((await page('DELETE', 'webhooks/1')).status).toBe(200);
    expect((await page('GET', 'state')).body.webhooks).toEqual([]);
    const { body: shown } = await page('POST', 'webhooks', { label: 'other', url });
    expect(shown.secret).toMatch(/^[\da-f]{64}$/);
    expect((await page('POST', 'webhooks', { label: 'far', url: 'http://far.example/' })).status).toBe(400);
    for (const text of [emulate.stdout, emulate.stderr, JSON.stringify([state, body])])
      expect(text).not.toContain(secret);
    expect(emulate.stdout).not.toContain(shown.secret);
  });

  it(
    'serves the API of the specification under the key that it is given, which it does not print',
    limits,
    async () => {
      const key = 'key-of-this-test';
      const emulate = start(['emulate', '--port', '0', '--no-page', '--json'], { WEBHOOK_API_KEY: key });
      const { service } = JSON.parse(await emulate.until(/./));
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
      const body = JSON.stringify({
        label: 'mine',
        url: 'https://example.com/hooks',
        subscriptions: ['event.emitted'],
      });
      const { status, text } = await call(`${service.url}/api/v0/webhooks`, { method: 'POST', headers, body });
      expect([status, JSON.parse(text).result.label]).toEqual([200, 'mine']);
      expect(emulate.stdout).not.toContain(key);
    },
  );

  it('keeps what is registered in a file, and shows a secret once', limits, async () => {
    const file = join(await scratch(), 'state.ndjson');
    const args = ['emulate', '--port', '0', '--no-page', '--file', file, '--register', 'shop=http://127.0.0.1:1/'];
    const first = start(args);
    expect(await first.until(/secret/)).toMatch(/secret \(shown once\): [\da-f]{64}$/);
    await first.end();
    const second = start(args);
    expect(await second.until(/^Webhook/)).toMatch(/registered earlier: its secret was printed then$/);
    await second.end();
    expect(second.stdout).not.toMatch(/[\da-f]{64}/);
  });

  it('reports wrong usage in one line and exits with 2', limits, async () => {
    const directory = await scratch();
    const file = async (name: string, text: string) => {
      await writeFile(join(directory, name), text);
      return join(directory, name);
    };
    const busy = createServer();
    await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void busy.close());
    const port = String((busy.address() as AddressInfo).port);
    const address = `0x${'5f'.repeat(20)}`;
    const node = ['--rpc', 'http://127.0.0.1:1'];
    const mine = await file('mine.txt', 'something of mine');
    // As another user may lay it for a file in /tmp, to read the secret.
    const link = join(directory, 'link');
    await symlink(join(directory, 'theirs'), link);
    const cases: [string[], RegExp][] = [
      [['--port', port], /Cannot listen on port \d+: it is in use.* --port\./],
      [['--port', '0', '--host', '203.0.113.1'], /the address is not on this machine/],
      [['--page-port', port, '--port', '0'], /Cannot listen on port \d+.*--page-port/],
      [['--rpc', 'http://x', '--anvil'], /'--rpc <url>' cannot be used with/],
      [node, /--rpc needs --contract or --wallet/],
      [['--wallet', address], /need --rpc or --anvil/],
      [['--register', 'shop'], /--register must be LABEL=URL/],
      [['--register', 'shop=ftp://x/', '--port', '0'], /--register shop: Field url/],
      [['--secret-out', mine], /needs exactly one --register/],
      [
        ['--register', 'a=http://localhost/', '--secret-out', mine, '--port', '0'],
        /contains something other than a secret/,
      ],
      [
        ['--register', 'a=http://localhost/', '--secret-out', link, '--port', '0'],
        /Cannot write the file of --secret-out: it is a symbolic link/,
      ],
      [[...node, '--port', '0', '--contract', `${address}=/dev/zero`], /Cannot read \/dev\/zero: it is larger than/],
      [[...node, '--contract', `${address}`], /--contract must be ADDRESS=ABI\.json/],
      [[...node, '--port', '0', '--contract', `${address}=${await file('a.json', '{}')}`], /a\.json is not an ABI/],
      [[...node, '--port', '0', '--contract', `${address}=${await file('b.json', '{')}`], /b\.json is not JSON/],
      [
        [...node, '--port', '0', '--contract', `${address}=${directory}/none.json:x`],
        /Cannot read .*none\.json: the file does not exist/,
      ],
      [[...node, '--port', '0', '--wallet', address], /cannot be reached/],
      [['--port', '0', '--anvil'], /ANVIL must be the path of an executable/],
    ];
    for (const [args, message] of cases) {
      const emulate = start(['emulate', ...args], { ANVIL: join(directory, 'no-anvil') });
      expect([args, await emulate.ended]).toEqual([args, 2]);
      expect(emulate.stderr).toMatch(message);
      expect(emulate.stderr.trim().split('\n')).toHaveLength(1);
      // What the flags alone show to be wrong is told before anything is started.
      if (/ANVIL|ABI|JSON|none\.json/.test(String(message))) expect(emulate.stdout).toBe('');
    }
    expect(await readdir(directory)).not.toContain('theirs');
    expect(await readFile(mine, 'utf8')).toBe('something of mine');
  });

  it.skipIf(!hasAnvil)(`delivers the transfers of a chain that it starts${needsAnvil}`, limits, async () => {
    const secretFile = join(await scratch(), 'secret');
    const { url, event } = await app(secretFile);
    const register = ['--register', `shop=${url}`, '--secret-out', secretFile];
    const emulate = start(['emulate', '--port', '0', '--anvil', '--interval', '3600', ...register], { ANVIL });
    const page = await pageOf(emulate);
    const { transaction } = (await page('POST', 'sample')).body;
    const came = await event();
    if (came.event !== 'event.emitted') throw new Error('It is another kind.');
    expect(came.data.transaction?.txHash).toBe(transaction);
    expect(came.data.event).toMatchObject({ name: 'Transfer', contract: { label: 'sampletoken' } });
    await emulate.until(/200 accepted/);
    const { body } = await page('GET', 'deliveries/1');
    expect(body.items[0].inputs[2]).toMatchObject({ exact: '250000000000000000', formatted: '0.25' });
    const { chain } = (await page('GET', 'state')).body;
    expect(chain).toMatchObject({ chainId: 31337, contracts: [{ label: 'sampletoken', name: 'SampleToken' }] });

    // A second service watches the same chain through its RPC, by the ABI in a file.
    const abi = join(await scratch(), 'MyToken.json');
    const { sampleTokenAbi } = await import('../../src/cli/anvil/sample-token.js');
    await writeFile(abi, JSON.stringify({ contractName: 'MyToken', abi: sampleTokenAbi }));
    const [{ address }] = chain.contracts;
    const secondFile = join(await scratch(), 'secret');
    const other = await app(secondFile);
    const watch = ['--rpc', chain.rpcUrl, '--contract', `${address}=${abi}:mine`];
    const second = start([
      'emulate',
      '--port',
      '0',
      '--register',
      `x=${other.url}`,
      '--secret-out',
      secondFile,
      ...watch,
    ]);
    expect(await second.until(/^Chain/)).toContain(`mine ${address}`);
    const secondPage = await pageOf(second);
    await page('POST', 'sample');
    expect((await other.event()).data).toMatchObject({ event: { contract: { label: 'mine', name: 'MyToken' } } });
    await second.until(/200 accepted/);
    const seen = await secondPage('GET', 'deliveries/1');
    expect(seen.body.items[0].inputs[2]).toMatchObject({ exact: '500000000000000000', formatted: '0.5' });
    await second.end();
    await emulate.end();
    await untilClosed(Number(new URL(chain.rpcUrl).port));
  });
});

describe.skipIf(!hasAnvil)(`emulate --anvil${needsAnvil}`, () => {
  it('sends transfers by itself, and ends its chain with itself, whatever ends it', limits, async () => {
    for (const [signal, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const) {
      const secretFile = join(await scratch(), 'secret');
      const { url, event } = await app(secretFile);
      const register = ['--register', `shop=${url}`, '--secret-out', secretFile];
      const emulate = startProcess(['emulate', '--port', '0', '--anvil', '--interval', '0.1', ...register], { ANVIL });
      const rpc = /http:\S+(?=,)/.exec(await emulate.until(/^Chain/))?.[0] ?? '';
      await event();
      await event();
      expect(await emulate.end(signal)).toBe(code);
      await untilClosed(Number(new URL(rpc).port));
      expect(emulate.stderr).toBe('');
    }
  });

  it('keeps running without its chain, with a note', limits, async () => {
    const emulate = startProcess(['emulate', '--port', '0', '--anvil', '--interval', '0'], { ANVIL });
    const rpc = /http:\S+(?=,)/.exec(await emulate.until(/^Chain/))?.[0] ?? '';
    const page = await pageOf(emulate);
    // As a node is told to end: over its own RPC there is no such call, so its process is looked for by its parent.
    const { execFileSync } = await import('node:child_process');
    const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(emulate.pid)], { encoding: 'utf8' });
    for (const pid of children.trim().split(/\s+/)) process.kill(-Number(pid), 'SIGTERM');
    await untilClosed(Number(new URL(rpc).port));
    while (!emulate.stderr.includes('anvil has exited')) await page('GET', 'state');
    expect(await page('POST', 'sample')).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining('anvil') },
    });
    expect(await emulate.end('SIGTERM')).toBe(143);
  });
});

describe.skipIf(!hasAnvil)(`a chain of its own, in this process${needsAnvil}`, () => {
  it('has a transfer again and again', limits, async () => {
    const secretFile = join(await scratch(), 'secret');
    const { url, event } = await app(secretFile);
    const register = ['--register', `shop=${url}`, '--secret-out', secretFile];
    startHere(['emulate', '--port', '0', '--anvil', '--interval', '0.05', '--no-page', ...register], { ANVIL });
    const ids = [(await event()).id, (await event()).id, (await event()).id];
    expect(new Set(ids).size).toBe(3);
  });
});

describe('findAnvil', () => {
  it('takes what ANVIL names, then what is on the PATH, then what the project has, and downloads nothing', async () => {
    const [path, project] = [await scratch(), await scratch()];
    const { mkdir } = await import('node:fs/promises');
    await mkdir(join(project, 'node_modules', '.bin'), { recursive: true });
    await mkdir(join(project, 'deep', 'er'), { recursive: true });
    const inProject = join(project, 'node_modules', '.bin', 'anvil');
    const onPath = join(path, 'anvil');
    const none = () => findAnvil({ PATH: path }, join(project, 'deep', 'er'));
    expect(none).toThrow(/npm install --save-dev @foundry-rs\/anvil, or Foundry/);
    await writeFile(inProject, '', { mode: 0o755 });
    expect(none()).toBe(inProject);
    await writeFile(onPath, '', { mode: 0o755 });
    expect(none()).toBe(onPath);
    expect(findAnvil({ PATH: path, ANVIL: inProject }, path)).toBe(inProject);
    expect(() => findAnvil({ PATH: path, ANVIL: join(path, 'nothing') }, path)).toThrow(
      /ANVIL must be the path of an executable/,
    );
  });
});

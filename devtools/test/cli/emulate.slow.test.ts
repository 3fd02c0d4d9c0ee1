import { readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { call } from '../page/call.js';
import { app, limits, pageOf, scratch } from './emulated.js';
import { ways } from './running.js';

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
    // Explained in another process, after the answer is shown.
    const { body } = await vi.waitFor(async () => {
      const answer = await page('GET', 'deliveries/2');
      expect(answer.body.findings).not.toEqual([]);
      return answer;
    }, 15_000);
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
    expect(state.body.firstRun.secretCommand).toContain(`WEBHOOK_SECRET=$(cat ${secretFile}) `);
    const { webhooks, firstRun } = (await page('GET', 'state')).body;
    expect(webhooks).toEqual([]);
    // The file has the secret of the webhook that was removed.
    expect(firstRun).toMatchObject({ asks: true, secretCommand: expect.not.stringContaining(secretFile) });
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
      [['--anvil-port', '8545'], /--anvil-port needs --anvil/],
      [['--from-block', '0'], /--from-block needs --rpc or --anvil/],
      [['--explorer', 'https://scan.example'], /--explorer needs --rpc or --anvil/],
      [['--explorer', 'scan.example', ...node, '--wallet', address], /--explorer must be the URL/],
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
      [[...node, '--port', '0', '--wallet', address], /the node is unreachable/],
      [['--port', '0', '--anvil'], /ANVIL must be the path of an executable/],
    ];
    for (const [args, message] of cases) {
      const emulate = start(['emulate', ...args], { ANVIL: join(directory, 'no-anvil') });
      expect([args, await emulate.ended]).toEqual([args, 2]);
      expect(emulate.stderr).toMatch(message);
      expect(emulate.stderr.trim().split('\n')).toHaveLength(1);
      // Errors that the flags alone show are reported before anything starts.
      if (/ANVIL|ABI|JSON|none\.json/.test(String(message))) expect(emulate.stdout).toBe('');
    }
    expect(await readdir(directory)).not.toContain('theirs');
    expect(await readFile(mine, 'utf8')).toBe('something of mine');
  });
});

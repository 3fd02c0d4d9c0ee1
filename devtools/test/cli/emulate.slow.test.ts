import { readFile, stat, writeFile } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { app, limits, pageOf } from './emulated.js';
import { startHere, ways } from './running.js';
import { scratch } from './tool.js';

describe('emulate', () => {
  it('takes an API key, which it does not print', limits, async () => {
    const emulate = startHere(['emulate', '--port', '0'], { WEBHOOK_API_KEY: 'key-of-this-test' });
    await emulate.until(/^API/);
    await emulate.end();
    expect(emulate.stdout).not.toMatch(/API key|key-of-this-test/);
  });

  it('names a node that is away, and a file that is not for a secret', limits, async () => {
    const [file, abi] = [await (await scratch())('notes'), await (await scratch())('abi.json')];
    await writeFile(file, 'my notes', { mode: 0o600 });
    await writeFile(abi, '[]');
    for (const [args, says] of [
      [['--rpc', 'http://127.0.0.1:1', '--contract', `0x${'12'.repeat(20)}=${abi}`], 'the node is unreachable'],
      [['--register', 'a=:1', '--secret-out', file], 'contains something other than a secret'],
    ] as const) {
      const emulate = startHere(['emulate', '--port', '0', ...args]);
      expect([await emulate.ended, emulate.stderr]).toEqual([2, expect.stringContaining(says)]);
    }
  });

  it('keeps what is registered in a file, and shows a secret once', limits, async () => {
    const file = await (await scratch())('state.ndjson');
    const args = ['emulate', '--port', '0', '--file', file, '--register', 'shop=http://127.0.0.1:1/'];
    const first = startHere(args);
    expect(await first.until(/secret/)).toMatch(/secret \(shown once\): [\da-f]{64}$/);
    await first.end();
    const second = startHere(args);
    expect(await second.until(/^Webhook/)).toMatch(/registered earlier: its secret was printed then$/);
    await second.end();
    expect(second.stdout).not.toMatch(/[\da-f]{64}/);
  });
});

describe.each(ways)('emulate, $way', ({ start }) => {
  it('registers, delivers a sample, puts a fault in, explains the refusal, and delivers again', limits, async () => {
    const secretFile = await (await scratch())('secret');
    const { url, event } = await app(secretFile);
    const emulate = start(['emulate', '--port', '0', '--register', `shop=${url}`, '--secret-out', secretFile]);
    expect(await emulate.until(/^API/)).toMatch(/^API: http:\/\/127\.0\.0\.1:\d+\/api\/v0\/webhooks$/);
    expect(await emulate.until(/API key/)).toMatch(/API key: \S{20,}$/);
    const page = await pageOf(emulate);
    const secret = (await readFile(secretFile, 'utf8')).trim();
    expect((await stat(secretFile)).mode & 0o777).toBe(0o600);

    const sample = await page('POST', 'sample');
    expect((await event()).id).toBe(sample.body.event);
    expect(await emulate.until(/accepted/)).toMatch(/#1 .*200 accepted {2}Transfer {2}.* {2}shop {2}/);

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
    await emulate.until(/#2 .*200 accepted .* shop .*sent again, attempt \d/);

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
});

import { sampleEventEmitted } from 'event-webhook-receiver/testing';
import { describe, expect, it } from 'vitest';
import { SECRET, signed } from '../listener/listening.js';
import { call, pageHeaders } from '../page/call.js';
import { pageOf } from './emulated.js';
import { startHere, urlIn, ways } from './running.js';

const env = { WEBHOOK_SECRET: SECRET };

describe.each(ways)('listen, $way', ({ start }) => {
  it('prints a delivery as a line, and why one was refused, with what to do', { timeout: 30_000 }, async () => {
    const listen = start(['listen', '--port', '0'], env);
    const url = urlIn(await listen.until(/^Listening/));
    expect((await call(`${url}webhooks`, signed())).status).toBe(200);
    expect(await listen.until(/accepted/)).toMatch(
      /^#1 {4}\S+ {2}200 accepted {2}Transfer {2}1,000,000,000,000,000,000 · 0xf39F → 0x7099 {2}\/webhooks {2}\d+ ms$/,
    );
    expect((await call(url, signed(undefined, `${SECRET}\n`))).status).toBe(403);
    expect(await listen.until(/403 refused/)).toMatch(/^#2 {4}\S+ {2}403 refused {3}Transfer {2}/);
    expect(await listen.until(/certain: /)).toMatch(/secret/i);
    expect(listen.stdout).not.toContain(SECRET);
    expect(listen.stderr).toBe('');
  });
});

describe('listen', () => {
  it('escapes hostile text', { timeout: 30_000 }, async () => {
    const listen = startHere(['listen', '--port', '0'], env);
    const url = urlIn(await listen.until(/^Listening/));
    const text = '\u001b[2J\u202e<script>\n\u0000';
    const input = { name: text, value: text, hashed: false, type: 'string' };
    await call(
      url,
      signed([sampleEventEmitted({ data: { event: { name: text, inputs: [input], contract: { label: text } } } })]),
    );
    expect(await listen.until(/accepted/)).toContain('\\e[2J\\u{202e}<script>\\n\\u{0000}  ');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
    expect(listen.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  });

  it('with --json prints one document a line, and nothing else', { timeout: 30_000 }, async () => {
    const listen = startHere(['listen', '--port', '0', '--json'], env);
    const { listening } = JSON.parse(await listen.until(/./));
    expect(listening).toEqual({ url: expect.stringMatching(/^http:/), page: expect.stringContaining('#token=') });
    const [page, token] = listening.page.split('#token=');
    const state = await call(`${page}api/state`, { headers: pageHeaders(token) });
    expect(JSON.parse(state.text).firstRun.secretCommand).toContain('read -rs WEBHOOK_SECRET && ');
    await call(`${listening.url}/x`, signed([sampleEventEmitted(), { id: 1 }]));
    expect(JSON.parse(await listen.until(/./))).toMatchObject({
      delivery: {
        id: '1',
        verdict: 'refused',
        status: 422,
        target: '/x',
        events: 2,
        names: ['Transfer'],
        findings: [],
      },
    });
  });

  it('answers with a status that the page changes', { timeout: 30_000 }, async () => {
    const listen = startHere(['listen', '--port', '0', '--respond', '503'], env);
    await listen.until(/^Authentic deliveries are answered 503 and not forwarded$/);
    const page = await pageOf(listen);
    expect((await page('PUT', 'respond', { status: 99 })).status).toBe(400);
    for (const status of [500, null]) expect((await page('PUT', 'respond', { status })).status).toBe(200);
    await expect.poll(() => listen.stderr).toMatch(/are answered 500\.\n.*Answers are no longer forced\./);
    for (const path of ['search', 'deliveries/1/items']) expect((await page('GET', path)).status).toBe(400);
  });

  it('notes a request that is not a delivery', { timeout: 30_000 }, async () => {
    const listen = startHere(['listen', '--port', '0'], env);
    await listen.until(/^Listening/);
    await call(urlIn(listen.stdout), { method: 'GET' });
    await listen.end();
    expect(listen.stderr).toContain('GET /: not a POST, answered with 405.');
  });
});

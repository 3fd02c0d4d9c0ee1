import { stat } from 'node:fs/promises';
import { createTestDelivery, sampleEventEmitted } from 'event-webhook-receiver/testing';
import { signDelivery } from 'event-webhook-receiver/verify';
import { describe, expect, it } from 'vitest';
import { call } from '../page/call.js';
import { serve } from '../servers.js';
import { readAll } from './recordings.js';
import { startHere, urlIn } from './running.js';
import { scratch } from './tool.js';

const SECRET = 'whsec-of-the-recording';
const env = { WEBHOOK_SECRET: SECRET };

const signed = (body: string, secret = SECRET, secondsAgo = 0) => {
  const timestamp = Math.floor(Date.now() / 1000) - secondsAgo;
  return { method: 'POST', body, headers: signDelivery(body, { secret, timestamp }).headers };
};
const event = (id: string) => createTestDelivery([sampleEventEmitted({ id })], { secret: SECRET }).rawBody;

/** An app that answers everything with a status. */
const answering = (status: number) =>
  serve((request, response) => response.writeHead(status).end(request.resume() && ''));

describe('listen --record', () => {
  it('tells authentic deliveries by their signature and their time alone', { timeout: 30_000 }, async () => {
    const file = await scratch();
    for (const [run, target] of [undefined, await answering(403), await answering(500)].entries()) {
      const path = await file(`r${run}`);
      const forward = target === undefined ? [] : ['--forward', target];
      const listen = startHere(['listen', '--port', '0', '--record', path, ...forward], env);
      const url = urlIn(await listen.until(/^Listening/));
      await call(`${url}authentic`, signed(event('a')));
      await call(`${url}authentic-not-json`, signed('x'));
      await call(`${url}authentic-no-event`, signed('[1]'));
      await call(`${url}authentic-empty`, signed('[]'));
      await call(`${url}other-secret`, signed(event('b'), 'another'));
      await call(`${url}replayed`, signed(event('c'), SECRET, 400));
      await call(`${url}unsigned`, { method: 'POST', body: '","authentic":true}' });
      await call(`${url}","authentic":true}`, { method: 'POST', body: 'x', headers: { authentic: 'true' } });
      await call(`${url}compressed`, {
        ...signed(event('d')),
        headers: { ...signed(event('d')).headers, 'content-encoding': 'gzip' },
      });
      await listen.end();
      const found = (await readAll(path)).map((each) => [each.path, each.authentic === true]);
      expect(found).toHaveLength(9);
      expect(found).toEqual(found.map(([each]) => [each, String(each).startsWith('/authentic')]));
    }
  });

  it('stays within its limit over restarts whatever strangers send, and keeps every authentic delivery', {
    timeout: 60_000,
  }, async () => {
    const file = await (await scratch())('r');
    const forgery = { method: 'POST', body: '"'.repeat(300_000) };
    for (const run of [1, 2]) {
      const args = ['listen', '--port', '0', '--record', file, '--record-limit', '1'];
      const listen = startHere(args, env);
      const url = urlIn(await listen.until(/^Listening/));
      for (let count = 0; count < 6; count++) {
        expect((await call(url, { ...forgery, body: forgery.body.slice(count * 40_000) })).status).toBe(403);
        expect((await call(`${url}authentic`, signed(event(`${run}-${count}`)))).status).toBe(200);
      }
      await listen.end();
      expect(listen.stderr).toMatch(/has no space left for deliveries that do not verify, which get a quarter of it/);
      expect(listen.stderr).toMatch(/Not recorded: 0 authentic and \d other deliveries\./);
      expect((await stat(file)).size).toBeLessThanOrEqual(1024 * 1024);
    }
    const found = await readAll(file);
    expect(found.filter((each) => each.authentic)).toHaveLength(12);
    const others = found.filter((each) => !each.authentic);
    expect(others.reduce((sum, each) => sum + each.body.byteLength, 0)).toBeLessThan(200_000);
  });
});

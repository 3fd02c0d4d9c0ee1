import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { createTestDelivery, sampleEventEmitted } from 'event-webhook-receiver/testing';
import { signDelivery } from 'event-webhook-receiver/verify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { call } from '../page/call.js';
import { readAll } from './recordings.js';
import { startHere, startProcess } from './running.js';
import { main, scratch } from './tool.js';

const SECRET = 'whsec-of-the-recording';
const env = { WEBHOOK_SECRET: SECRET };
const urlIn = (line: string) => /http:\/\/[^\s/]+\//.exec(line)?.[0] ?? '';

const signed = (body: string, secret = SECRET, secondsAgo = 0) => {
  const timestamp = Math.floor(Date.now() / 1000) - secondsAgo;
  return { method: 'POST', body, headers: signDelivery(body, { secret, timestamp }).headers };
};
const event = (id: string) => createTestDelivery([sampleEventEmitted({ id })], { secret: SECRET }).body;

/** An app that answers everything with a status. */
async function answering(status: number): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe('listen --record', () => {
  it('tells authentic deliveries by their signature and their time alone', { timeout: 30_000 }, async () => {
    const file = await scratch();
    for (const [run, target] of [undefined, await answering(403), await answering(500)].entries()) {
      const path = await file(`r${run}`);
      const forward = target === undefined ? [] : ['--forward', target];
      const listen = startHere(['listen', '--port', '0', '--no-page', '--record', path, ...forward], env);
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
      const args = ['listen', '--port', '0', '--no-page', '--record', file, '--record-limit', '1'];
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

  it('prints the number of dropped deliveries when the file is full, and keeps answering', {
    timeout: 60_000,
  }, async () => {
    const file = await (await scratch())('r');
    // No file may have more than 16 KiB there, which the system tells as it tells of a full disk: half way.
    const args = ['-c', 'ulimit -f 16; exec "$@"', 'bash', process.execPath, main];
    const { PATH = '', HOME = '' } = process.env;
    const child = spawn('bash', [...args, 'listen', '--port', '0', '--no-page', '--record', file], {
      env: { PATH, HOME, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    const url = urlIn(line);
    const large = JSON.stringify([sampleEventEmitted({ id: 'x'.repeat(20_000) })]);
    for (const body of [event('1'), large, large, event('2')]) expect((await call(url, signed(body))).status).toBe(200);
    child.kill('SIGTERM');
    await once(child, 'close');
    expect((await readAll(file)).map((each) => each.body.toString())).toEqual([event('1'), event('2')]);
    expect(stderr).toContain(`Deliveries are not recorded. Cannot write ${file}: the file size limit is reached.`);
    expect(stderr.split('Deliveries are not recorded')).toHaveLength(2);
    expect(stderr).toContain('Not recorded: 2 authentic and 0 other deliveries.');
  });

  it('comes to an end when a recording is sent to a listener that adds to it', { timeout: 60_000 }, async () => {
    const file = await (await scratch())('r');
    const listen = startHere(['listen', '--port', '0', '--no-page', '--record', file], env);
    const url = urlIn(await listen.until(/^Listening/));
    for (const id of ['a', 'b', 'c']) await call(url, signed(event(id)));
    const send = startProcess(['replay', file, url, '--no-gaps'], env);
    expect(await send.ended).toBe(0);
    await listen.end();
    expect(await readAll(file)).toHaveLength(6);
  });

  it('ends with 2 and one line for a limit that is none, or a file that it may not use', {
    timeout: 30_000,
  }, async () => {
    const file = await scratch();
    const notes = await file('notes.txt');
    await writeFile(notes, 'mine');
    for (const [args, message] of [
      [['--record', await file('r'), '--record-limit', '0'], /--record-limit/],
      [['--record', await file('r'), '--record-limit', '1.5'], /--record-limit/],
      [['--record', notes], /is not a recording: choose another file\./],
      [['--record', '/dev/null'], /Cannot write \/dev\/null: it is not a regular file\./],
    ] as const) {
      const listen = startHere(['listen', '--port', '0', ...args], env);
      expect([args, await listen.ended]).toEqual([args, 2]);
      expect(listen.stderr).toMatch(message);
      expect(listen.stderr.trim().split('\n')).toHaveLength(1);
    }
  });
});

import { readFile } from 'node:fs/promises';
import { Readable, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { run } from '../../src/cli/run.js';
import { recordingLine } from '../../src/deliveries/recorded.js';
import { receiver, serve } from './receiver.js';
import { delivery } from './recordings.js';
import { startHere } from './running.js';
import { stubService } from './stub-service.js';
import { API_KEY, inProcess, SECRET, scratch } from './tool.js';

const env = { WEBHOOK_SECRET: SECRET };
const keyed = (url: string) => ({ WEBHOOK_BASE_URL: url, WEBHOOK_API_KEY: API_KEY });

function sinks() {
  const texts = { stdout: '', stderr: '' };
  const sink = (name: keyof typeof texts) =>
    new Writable({
      write(chunk, _, done) {
        texts[name] += chunk;
        done();
      },
    });
  return { texts, stdout: sink('stdout'), stderr: sink('stderr') };
}

/** Runs a command that is ended by a signal, or reads from a terminal. */
async function running(args: readonly string[], more: Partial<Parameters<typeof run>[0]> = {}) {
  const { texts, ...streams } = sinks();
  const stdin = Readable.from([]);
  const { signal } = new AbortController();
  const code = await run({ args, env, stdin, ...streams, signal, now: Date.now, ...more });
  return { code, ...texts };
}

describe('a command that is ended', () => {
  it('before it sends anything says that it sent nothing', async () => {
    const { url, requests } = await receiver();
    const { code, stdout } = await running(['send', url, '--repeat', '3'], { signal: AbortSignal.abort() });
    expect(stdout).toMatch(/^0 sent to .*: none\n0 accepted, 0 refused, 0 failed\nStopped before all were sent\.\n$/);
    expect([code, requests]).toEqual([0, []]);
  });

  it('while it sends counts what was answered', async () => {
    const ending = new AbortController();
    let requests = 0;
    const url = await serve((request, response) => {
      request.resume();
      if (++requests <= 2) response.end();
      else ending.abort();
    });
    const { stdout } = await running(['send', url, '--repeat', '9', '--concurrency', '1'], { signal: ending.signal });
    expect(stdout).toMatch(/2 sent to .*: 2 × 200\n/);
    expect(stdout).toMatch(/Stopped before all were sent\.\n$/);
  });

  it('before it explains a delivery prints no findings', async () => {
    const file = await (await scratch())('r', recordingLine(delivery));
    const args = ['explain', '--recording', file, '--nth', '1'];
    expect((await running(args)).stdout).toMatch(/signature/i);
    expect(await running(args, { signal: AbortSignal.abort() })).toEqual({ code: 1, stdout: '', stderr: '' });
  });

  it.each(['before', 'while'])('%s it calls the service says nothing of the call', async (when) => {
    const ending = new AbortController();
    const url = await serve(() => ending.abort());
    if (when === 'before') ending.abort();
    const { code, stdout, stderr } = await running(['webhooks', 'count'], { env: keyed(url), signal: ending.signal });
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: '' });
  });
});

describe('explain', () => {
  it('does not wait for input on a terminal', async () => {
    const stdin = Object.assign(Readable.from([]), { isTTY: true });
    const { code, stderr } = await running(['explain'], { stdin });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('Nothing to explain: give --recording, --request, or --body-file'),
    ]);
  });
});

describe('webhooks log', () => {
  it('says that there is nothing', async () => {
    const url = await serve((_, response) => void response.end('{"status":200,"message":"ok","result":[]}'));
    const { code, stdout } = await inProcess(['webhooks', 'log', '1'], { env: keyed(url) });
    expect([code, stdout]).toEqual([0, 'No entries.\n']);
  });
});

describe('register', () => {
  const webhook = { id: 1, label: 'shop', url: 'https://shop.example/', failedCalls: 0 };

  it('leaves no file when the webhook exists and the service does not return its secret', async () => {
    const url = await serve((_, response) => {
      response.end(JSON.stringify({ status: 200, message: 'ok', result: [webhook] }));
    });
    const file = await (await scratch())('secret');
    const args = ['register', webhook.url, '--label', 'shop', '--ensure', '--secret-out', file];
    const { code, stderr } = await inProcess(args, { env: keyed(url) });
    expect([code, stderr]).toEqual([
      0,
      'note: The webhook already exists, so the service does not return its secret. No file was written.\n',
    ]);
    await expect(readFile(file)).rejects.toThrow('ENOENT');
  });

  it('registers nothing when the secret file cannot be created', async () => {
    const { url, calls } = await stubService();
    const file = await (await scratch())('none/secret');
    const args = ['register', webhook.url, '--label', 'shop', '--secret-out', file];
    const { code, stderr } = await inProcess(args, { env: keyed(url) });
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/its folder does not exist\. Create it first: mkdir -p \S+\/none\.$/m),
    ]);
    expect(calls).toEqual([]);
  });
});

describe('emulate', () => {
  it('ends when the secret file cannot be written', async () => {
    const file = await (await scratch())('none/secret');
    const emulate = startHere([
      'emulate',
      '--port',
      '0',
      '--register',
      'shop=http://127.0.0.1:1/',
      '--secret-out',
      file,
    ]);
    expect(await emulate.ended).toBe(2);
    expect(emulate.stderr).toMatch(
      /Cannot write the file of --secret-out: its folder does not exist\. Create it first: mkdir -p \S+\/none\./,
    );
  });

  it('that is stopped while a node fails is not an error', async () => {
    const ending = new AbortController();
    const rpc = await serve((_, response) => {
      ending.abort();
      response.end('{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}}');
    });
    const args = ['emulate', '--port', '0', '--rpc', rpc, '--wallet', `0x${'5f'.repeat(20)}`, '--no-page'];
    const { code, stderr } = await running(args, { env: {}, signal: ending.signal });
    expect([code, stderr]).toEqual([0, '']);
  });
});

describe('listen', () => {
  it.each(['http://localhost/', 'http://localhost:80/hooks', 'http://127.0.0.1/'])(
    'on port 80 does not forward to itself, %s',
    async (target) => {
      const { code, stderr } = await inProcess(['listen', '--port', '80', '--forward', target], { env });
      expect([code, stderr]).toEqual([2, expect.stringContaining('leads back to this command')]);
    },
  );

  it('on port 443 does not forward to itself', async () => {
    const { code, stderr } = await inProcess(['listen', '--port', '443', '--forward', 'https://localhost/'], { env });
    expect([code, stderr]).toEqual([2, expect.stringContaining('leads back to this command')]);
  });
});

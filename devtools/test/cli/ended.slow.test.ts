import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { serve } from '../servers.js';
import { receiver } from './receiver.js';
import { API_KEY, fakeService, inProcess, SECRET, scratch } from './tool.js';

const env = { WEBHOOK_SECRET: SECRET };

describe('a command that is ended', () => {
  it('before it sends anything says that it sent nothing', async () => {
    const { url, requests } = await receiver();
    const { code, stdout } = await inProcess(['send', url, '--repeat', '3'], { env, signal: AbortSignal.abort() });
    expect(stdout).toMatch(/^0 sent to .*: none\nStopped before all were sent\.\n$/);
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
    const { stdout } = await inProcess(['send', url, '--repeat', '9'], { env, signal: ending.signal });
    expect(stdout).toMatch(/2 sent to .*: 2 × 200\n/);
    expect(stdout).toMatch(/Stopped before all were sent\.\n$/);
  });
});

describe('register', () => {
  const webhook = { id: 1, label: 'shop', url: 'https://shop.example/', failedCalls: 0 };

  it('leaves no file when the service does not return the secret', async () => {
    const url = await serve((_, response) => {
      response.end(JSON.stringify({ status: 200, message: 'ok', result: webhook }));
    });
    const file = await (await scratch())('secret');
    const args = ['register', webhook.url, '--label', 'shop', '--secret-out', file];
    const { code, stderr } = await inProcess(args, { env: { WEBHOOK_BASE_URL: url, WEBHOOK_API_KEY: API_KEY } });
    expect([code, stderr]).toEqual([1, expect.stringContaining('is not a new webhook with its secret')]);
    await expect(readFile(file)).rejects.toThrow('ENOENT');
  });

  it('registers nothing when the secret file cannot be created', async () => {
    const service = await fakeService();
    const file = await (await scratch())("no one's/secret");
    const args = ['register', webhook.url, '--label', 'shop', '--secret-out', file];
    const { code, stderr } = await inProcess(args, service);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/its folder does not exist\. Create it first: mkdir -p '\S+\/no one'\\''s'\.$/m),
    ]);
    expect(service.seen).toEqual([]);
  });
});

it.each(['listen', 'emulate'])('a port that is in use is reported with the option of %s', async (command) => {
  const { port } = new URL(await serve(() => {}));
  const { code, stderr } = await inProcess([command, '--port', port], { env });
  const says = `Cannot listen on port ${port}: it is in use. Stop the process that uses it, or choose another with --port.`;
  expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
});

it.each(['http://localhost/', 'http://localhost:80/hooks', 'http://127.0.0.1/', 'https://localhost/'])(
  'listen on the port of the scheme does not forward to itself, %s',
  async (target) => {
    const port = target.startsWith('https') ? '443' : '80';
    const { code, stderr } = await inProcess(['listen', '--port', port, '--forward', target], { env });
    expect([code, stderr]).toEqual([2, expect.stringContaining('leads back to this command')]);
  },
);

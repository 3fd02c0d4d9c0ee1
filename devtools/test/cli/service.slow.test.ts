import { readFile, stat, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { json } from '../../../test/client/fake-service.js';
import { API_KEY, fakeService, inProcess, OTHER_SECRET, scratch, ways } from './tool.js';

const URL_OF_HOOK = 'https://shop.example/webhooks';

describe.each(ways)('register ($way)', ({ tool }) => {
  test('registers, and writes the secret to a new file that its owner alone can read', async () => {
    const { env, seen } = await fakeService();
    const file = await (await scratch())('secret.txt');
    const args = ['register', URL_OF_HOOK, '--label', '0012', '--secret-out', file];
    const { code, stdout, stderr } = await tool(args, { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(`Registered webhook 1, 0012, for ${URL_OF_HOOK}\nIts secret is in ${file}.\n`);
    expect(await readFile(file, 'utf8')).toBe(`${OTHER_SECRET}\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const body = { label: '0012', url: URL_OF_HOOK, subscriptions: ['event.emitted', 'transaction.included'] };
    expect(seen).toMatchObject([{ method: 'POST', path: '/api/v0/webhooks', body }]);
  });
});

describe('register', () => {
  test('registers nothing when there is such a file, which stays as it is', async () => {
    const { env, seen } = await fakeService();
    const file = await (await scratch())('secret.txt', 'an older one');
    const args = ['register', URL_OF_HOOK, '--label', 'shop', '--secret-out', file];
    const { code, stderr } = await inProcess(args, { env });
    expect([code, stderr, seen]).toEqual([2, expect.stringContaining('the file exists'), []]);
    expect(await readFile(file, 'utf8')).toBe('an older one');
  });

  test('leaves no file behind when the service says no', async () => {
    const { env, next } = await fakeService();
    next.push(json(409, { status: 409, message: 'label is taken' }));
    const file = await (await scratch())('secret.txt');
    const args = ['register', URL_OF_HOOK, '--label', 'shop', '--secret-out', file];
    const { code, stderr } = await inProcess(args, { env });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('label is taken') });
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });
});

test('the secret of a new webhook is printed once, with what to do with it', async () => {
  const { env } = await fakeService();
  const { stdout } = await inProcess(['register', URL_OF_HOOK, '--label', 'shop'], { env, spoken: true });
  expect(stdout.split(OTHER_SECRET)).toHaveLength(2);
  expect(stdout).toContain('shown only once: store it now, as WEBHOOK_SECRET');
});

describe('webhooks', () => {
  async function registered() {
    const { baseUrl, env, ...service } = await fakeService();
    const headers = { authorization: `Bearer ${API_KEY}` };
    const body = JSON.stringify({ label: 'a\u001b[31m\u202e', url: URL_OF_HOOK });
    await fetch(`${baseUrl}/api/v0/webhooks`, { method: 'POST', headers, body });
    return { ...service, run: (...args: string[]) => inProcess(['webhooks', ...args], { env }) };
  }

  test('are listed without their secrets, and with nothing that a terminal acts on', async () => {
    const { run } = await registered();
    const { code, stdout } = await run('list');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ID +LABEL +URL +EVENTS +FAILED +LAST ERROR\n1 +a\\e\[31m\\u\{202e\} +https:/);
    const { webhooks } = JSON.parse((await run('list', '--json')).stdout);
    expect(webhooks).toMatchObject([{ id: 1, label: 'a\u001b[31m\u202e', url: URL_OF_HOOK, failedCalls: 0 }]);
  });

  test('are shown, changed and removed', async () => {
    const { run } = await registered();
    expect((await run('get', '1')).stdout).toContain(`url          ${URL_OF_HOOK}\n`);
    expect(JSON.parse((await run('update', '1', '--label', '1e3', '--json')).stdout)).toMatchObject({
      label: '1e3',
      url: URL_OF_HOOK,
    });
    expect((await run('remove', '1')).stdout).toBe('Removed webhook 1.\n');
    expect((await run('list')).stdout).toBe('No webhooks.\n');
  });

  test('have a log, of which the entries that were not delivered can be shown', async () => {
    const { run, logs } = await registered();
    const [createdAt, deliveredAt] = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z'];
    const evil = { id: 2, eventType: 'evil\u001b[31m\u202e', data: {}, createdAt };
    logs.set(1, [{ id: 1, eventType: 'event.emitted', data: {}, createdAt, deliveredAt }, evil]);
    const log = async (...args: string[]) => (await run('log', '1', ...args)).stdout.split('\n').slice(0, -1);
    const [sent, failed] = [
      expect.stringMatching(/^ {7}1 {2}event\.emitted {9}2026-01-01T00:00:00Z {6}delivered 2026-01-01T00:00:01Z$/),
      expect.stringMatching(/^ {7}2 {2}evil\\e\[31m\\u\{202e\} .* not delivered$/),
    ];
    expect(await log()).toEqual([sent, failed]);
    expect(await log('--undelivered')).toEqual([failed]);
    expect(JSON.parse((await log('--undelivered', '--json')).join())).toMatchObject({ id: 2, data: {} });
  });

  test('that are not there: the answer is no, in one harmless line', async () => {
    const { run, next } = await registered();
    next.push(json(404, { status: 404, message: 'no such webhook\u001b[31m' }));
    const { code, stdout, stderr } = await run('get', '7', '--json');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(JSON.parse(stderr).error).toEqual({
      code: 'ERR_WEBHOOK_API',
      message: expect.stringContaining('no such webhook'),
    });
    expect(stderr).not.toContain('\u001b');
  });
});

describe('a secret in a file', () => {
  const run = (file: string) =>
    inProcess(['webhooks', 'list', '--api-key-file', file, '--json'], {
      env: { WEBHOOK_BASE_URL: 'http://127.0.0.1:1' },
    });

  test('is read without one trailing newline; other whitespace is kept, with a note', async () => {
    const { baseUrl, seen } = await fakeService();
    const file = await scratch();
    for (const end of ['', '\n', '\r\n']) {
      const path = await file('key', API_KEY + end);
      const { code, stderr } = await inProcess(['webhooks', 'list', '--base-url', baseUrl, '--api-key-file', path]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    }
    expect(new Set(seen.map(({ headers }) => headers.authorization))).toEqual(new Set([`Bearer ${API_KEY}`]));
    const { stderr } = await run(await file('key', `${API_KEY} \n`));
    expect(JSON.parse(stderr.split('\n')[0] ?? '').note.message).toContain('has whitespace or quotes around it');
  });

  test.each([
    ['\xff', 'Cannot read the file of --api-key-file: it is not UTF-8 text.'],
    ['\n', 'Cannot read the file of --api-key-file: it is empty.'],
    ['undefined', 'is the text "undefined": the code that sets it has no secret'],
    ['"quoted"', 'has whitespace or quotes around it'],
  ])('that contains %j is refused or noted', async (content, says) => {
    const { stderr } = await run(await (await scratch())('key', Buffer.from(content, 'latin1')));
    expect(stderr.replaceAll('\\"', '"')).toContain(says);
  });

  test('that others can read is used, with a note', async () => {
    const { baseUrl } = await fakeService();
    const file = await (await scratch())('key');
    await writeFile(file, API_KEY, { mode: 0o644 });
    const { code, stderr } = await inProcess(['webhooks', 'list', '--base-url', baseUrl, '--api-key-file', file]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('Other users can read the file') });
  });
});

import { readFile, stat, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { stubService } from './stub-service.js';
import { API_KEY, inProcess, jsonLines, OTHER_SECRET, scratch, ways } from './tool.js';

const keyed = (url: string) => ({ WEBHOOK_BASE_URL: url, WEBHOOK_API_KEY: API_KEY });
const URL_OF_HOOK = 'https://shop.example/webhooks';

describe.each(ways)('register ($way)', ({ tool }) => {
  test('registers, and writes the secret to a new file that its owner alone can read', async () => {
    const { url, calls } = await stubService();
    const file = await (await scratch())('secret.txt');
    const args = ['register', URL_OF_HOOK, '--label', '0012', '--subscribe', 'event.emitted', '--secret-out', file];
    const { code, stdout, stderr } = await tool(args, { env: keyed(url) });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(`Registered webhook 1, 0012, for ${URL_OF_HOOK}\nIts secret is in ${file}.\n`);
    expect(await readFile(file, 'utf8')).toBe(`${OTHER_SECRET}\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(calls).toEqual([
      {
        method: 'POST',
        path: '/webhooks',
        key: `Bearer ${API_KEY}`,
        body: { label: '0012', url: URL_OF_HOOK, subscriptions: ['event.emitted'] },
      },
    ]);
  });

  test('registers nothing when there is such a file, which stays as it is', async () => {
    const { url, calls } = await stubService();
    const file = await (await scratch())('secret.txt', 'an older one');
    const args = ['register', URL_OF_HOOK, '--label', 'shop', '--secret-out', file];
    expect(await tool(args, { env: keyed(url) })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the file exists'),
    });
    expect(calls).toEqual([]);
    expect(await readFile(file, 'utf8')).toBe('an older one');
  });

  test('leaves no file behind when the service says no', async () => {
    const { url } = await stubService({ refuse: { status: 409, message: 'label is taken' } });
    const file = await (await scratch())('secret.txt');
    const args = ['register', URL_OF_HOOK, '--label', 'shop', '--secret-out', file];
    const { code, stderr } = await tool(args, { env: keyed(url) });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('label is taken') });
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });

  test('says that the base URL is another when the path is not known there', async () => {
    const { url } = await stubService({ refuse: { status: 404, message: '' } });
    const { code, stderr } = await tool(['webhooks', 'count'], { env: keyed(url) });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/Check the base URL\.\n$/) });
  });
});

describe('the secret of a new webhook', () => {
  const printed = async (args: string[], url: string) => {
    const command = ['register', URL_OF_HOOK, '--label', 'shop', ...args];
    return (await inProcess(command, { env: keyed(url), spoken: true })).stdout;
  };

  test('is printed once, with what to do with it', async () => {
    const { url } = await stubService();
    const text = await printed([], url);
    expect(text.split(OTHER_SECRET)).toHaveLength(2);
    expect(text).toContain('shown only once: store it now, as WEBHOOK_SECRET');
  });

  test('is in the JSON', async () => {
    const { url } = await stubService();
    expect(JSON.parse(await printed(['--json'], url))).toMatchObject({ id: 1, created: true, secret: OTHER_SECRET });
  });

  test('is not printed for an existing webhook', async () => {
    const { url, calls } = await stubService();
    await printed([], url);
    const ensure = ['register', URL_OF_HOOK, '--label', 'shop', '--ensure'];
    const { code, stdout } = await inProcess(ensure, { env: keyed(url) });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `Unchanged: webhook 1, shop, for ${URL_OF_HOOK}\n`,
    });
    const moved = await inProcess([...ensure.with(1, `${URL_OF_HOOK}/2`), '--json'], { env: keyed(url) });
    expect(JSON.parse(moved.stdout)).toMatchObject({ created: false, updated: true, url: `${URL_OF_HOOK}/2` });
    expect(calls.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });
});

describe('webhooks', () => {
  async function registered() {
    const service = await stubService();
    const row = { id: 1, label: 'a\u001b[31m\u202e', url: URL_OF_HOOK, secret: OTHER_SECRET, failedCalls: 3 };
    service.webhooks.set(1, row);
    return { ...service, run: (...args: string[]) => inProcess(['webhooks', ...args], { env: keyed(service.url) }) };
  }

  test('are listed without their secrets, and with nothing that a terminal acts on', async () => {
    const { run } = await registered();
    const { code, stdout } = await run('list');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ID +LABEL +URL +EVENTS +FAILED +LAST ERROR\n1 +a\\e\[31m\\u\{202e\} +https:/);
    const { webhooks } = JSON.parse((await run('list', '--json')).stdout);
    expect(webhooks).toEqual([{ id: 1, label: 'a\u001b[31m\u202e', url: URL_OF_HOOK, failedCalls: 3 }]);
  });

  test('are counted, shown, changed and removed', async () => {
    const { run, webhooks } = await registered();
    expect((await run('count')).stdout).toBe('1\n');
    expect(JSON.parse((await run('count', '--json')).stdout)).toEqual({ count: 1 });
    expect((await run('get', '1')).stdout).toContain(`url          ${URL_OF_HOOK}\n`);
    expect(JSON.parse((await run('update', '1', '--label', '1e3', '--json')).stdout)).toMatchObject({
      label: '1e3',
      url: URL_OF_HOOK,
    });
    expect((await run('update', '1', '--subscribe=event.emitted')).stdout).toContain('["event.emitted"]');
    expect((await run('remove', '1')).stdout).toBe('Removed webhook 1.\n');
    expect(webhooks.size).toBe(0);
    expect((await run('list')).stdout).toBe('No webhooks.\n');
  });

  test('have a log, of which the undelivered can be seen alone', async () => {
    const { run } = await registered();
    const { stdout } = await run('log', '1');
    expect(stdout).toMatch(
      /^ +1 {2}event\.emitted .+ delivered 2026-01-01T00:00:01Z\n +2 {2}evil\\e\[31m\\u\{202e\} .+ not delivered\n$/,
    );
    expect(jsonLines((await run('log', '1', '--undelivered', '--json')).stdout)).toMatchObject([{ id: 2 }]);
    expect(jsonLines((await run('log', '1', '--limit', '1', '--json')).stdout)).toMatchObject([{ id: 1 }]);
  });

  test('that are not there: the answer is no, in one harmless line', async () => {
    const { run } = await registered();
    const { code, stdout, stderr } = await run('get', '7', '--json');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(JSON.parse(stderr).error).toEqual({
      code: 'ERR_WEBHOOK_API',
      message: expect.stringContaining('no such webhook'),
    });
    expect(stderr).not.toContain('\u001b');
  });

  test.each([
    ['no key', { WEBHOOK_BASE_URL: 'http://127.0.0.1:1' }, 'ERR_CLI_SECRET', 'WEBHOOK_API_KEY is not set'],
    ['an empty key', { WEBHOOK_BASE_URL: 'http://127.0.0.1:1', WEBHOOK_API_KEY: '' }, 'ERR_CLI_SECRET', 'is empty'],
    [
      'an address without TLS',
      keyed('http://service.example'),
      'ERR_WEBHOOK_CONFIG',
      'The base URL must be an https: URL',
    ],
    ['a service that is not there', keyed('http://127.0.0.1:1'), 'ERR_WEBHOOK_API_UNREACHABLE', 'no answer'],
  ])('with %s: exit code 2', async (_, env, code, says) => {
    const ran = await inProcess(['webhooks', 'list', '--json'], { env });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(jsonLines(ran.stderr).at(-1).error).toEqual({ code, message: expect.stringContaining(says) });
  });
});

describe('a secret in a file', () => {
  const run = (file: string) =>
    inProcess(['webhooks', 'count', '--api-key-file', file, '--json'], {
      env: { WEBHOOK_BASE_URL: 'http://127.0.0.1:1' },
    });

  test.each([
    ['that is empty', '\n', 'it is empty'],
    ['that is not text', new Uint8Array([0xff, 0xfe]), 'it is not UTF-8 text'],
    ['that is too long', 'x'.repeat(70_000), 'it is larger than 65536 bytes'],
  ])('%s is refused', async (_, content, reason) => {
    const { code, stderr } = await run(await (await scratch())('key', content));
    expect({ code, ...JSON.parse(stderr).error }).toEqual({
      code: 'ERR_CLI_SECRET',
      message: `Cannot read the file of --api-key-file: ${reason}.`,
    });
  });

  test('is read without one trailing newline; other whitespace is kept, with a note', async () => {
    const { url, calls } = await stubService();
    const file = await scratch();
    for (const end of ['', '\n', '\r\n']) {
      const path = await file('key', API_KEY + end);
      const { code, stderr } = await inProcess(['webhooks', 'count', '--base-url', url, '--api-key-file', path]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    }
    expect(new Set(calls.map(({ key }) => key))).toEqual(new Set([`Bearer ${API_KEY}`]));
    const { stderr } = await run(await file('key', `${API_KEY} \n`));
    expect(JSON.parse(stderr.split('\n')[0] ?? '').note.message).toContain('starts or ends with whitespace');
  });

  test.each(['undefined', 'null', 'NaN', '[object Object]'])('that is %j is refused', async (text) => {
    const { code, stderr } = await run(await (await scratch())('key', `${text}\n`));
    expect({ code, ...JSON.parse(stderr).error }).toEqual({
      code: 'ERR_CLI_SECRET',
      message: `The value of the file of --api-key-file is the text "${text}": what sets it has no secret. Set it to the secret.`,
    });
  });

  test('that has quotes around it is used, with a note', async () => {
    const { stderr } = await run(await (await scratch())('key', `"${API_KEY}"`));
    expect(JSON.parse(stderr.split('\n')[0] ?? '').note.message).toContain('has quotes around it');
  });

  test('can come from stdin, which takes precedence over the environment', async () => {
    const { url, calls } = await stubService();
    const options = { env: { WEBHOOK_API_KEY: 'of-the-environment' }, stdin: `${API_KEY}\n` };
    await inProcess(['webhooks', 'count', '--base-url', url, '--api-key-file', '-'], options);
    expect(calls[0]?.key).toBe(`Bearer ${API_KEY}`);
  });

  test('that others can read is used, with a note', async () => {
    const { url } = await stubService();
    const file = await (await scratch())('key');
    await writeFile(file, API_KEY, { mode: 0o644 });
    const { code, stderr } = await inProcess(['webhooks', 'count', '--base-url', url, '--api-key-file', file]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('Other users can read the file') });
  });
});

import { mkdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readContract } from '../../src/cli/contract-file.js';
import { readInput } from '../../src/cli/input-file.js';
import { readUrl, shownUrl } from '../../src/cli/urls.js';
import { inProcess, SECRET, scratch } from './tool.js';

describe('an input file', () => {
  const stdin = Readable.from([]);
  const input = (name: string, maxBytes = 10) => readInput(name, { stdin, maxBytes });

  it('that is a directory, does not exist or is too large is refused with the reason', async () => {
    const file = await scratch();
    const directory = await file('directory');
    await mkdir(directory);
    await expect(input(directory)).rejects.toThrow(`Cannot read ${directory}: it is a directory.`);
    const none = await file('none');
    await expect(input(none)).rejects.toThrow('the file does not exist.');
    await expect(input(join(await file('plain', 'x'), 'below'))).rejects.toThrow(
      'part of its path is not a directory.',
    );
    await expect(input(await file('long', 'x'.repeat(11)))).rejects.toThrow('it is larger than 10 bytes.');
    // A reason that has no words is told by its code.
    await expect(input('a\0b')).rejects.toThrow('Cannot read a\0b: ERR_INVALID_ARG_VALUE.');
  });

  it('from stdin is bounded too', async () => {
    const long = readInput('-', { stdin: Readable.from([Buffer.alloc(11)]), maxBytes: 10 });
    await expect(long).rejects.toThrow('Cannot read stdin: it is larger than 10 bytes.');
  });

  it('that is not a regular file has no mode', async () => {
    expect(await input('/dev/null')).toEqual({ bytes: Buffer.alloc(0) });
    expect(await input(await (await scratch())('plain', 'x'))).toMatchObject({ mode: expect.any(Number) });
  });
});

describe('a contract flag', () => {
  const address = `0x${'5f'.repeat(20)}`;
  const abi = [{ type: 'event', name: 'Pinged', inputs: [] }];

  it.each<[string, string, unknown, string, object]>([
    ['an ABI', 'My Token.json', abi, '', { name: 'My Token', label: 'my_token' }],
    ['what a compiler writes', 'x.json', { contractName: 'Vault', abi }, '', { name: 'Vault', label: 'vault' }],
    ['one without a name', 'x.json', { contractName: '', abi }, ':Till', { name: 'x', label: 'Till' }],
    ['a name of other letters', '金.json', abi, '', { name: '金', label: '_' }],
  ])('takes %s', async (_, name, content, label, expected) => {
    const file = await (await scratch())(name, JSON.stringify(content));
    expect(await readContract(`${address}=${file}${label}`)).toEqual({ address, abi, ...expected });
  });

  it('refuses what has another form', async () => {
    await expect(readContract(`0x12=abi.json`)).rejects.toThrow('--contract must be ADDRESS=ABI.json or');
  });

  it.each<[string, string | undefined, RegExp]>([
    ['text', '"abi"', /is not an ABI/],
    ['an object without an ABI', '{}', /is not an ABI/],
    ['no JSON', '[', /is not JSON/],
    ['nothing', undefined, /the file does not exist/],
    ['more than 20 MiB', ' '.repeat(20 * 1024 * 1024 + 1), /is larger than 20971520 bytes/],
  ])('refuses a file with %s', async (_, content, message) => {
    const file = await (await scratch())('abi.json', content);
    await expect(readContract(`${address}=${file}`)).rejects.toThrow(message);
  });
});

it('a URL is shown without parts that may be secret', () => {
  const shown = (text: string) => shownUrl(readUrl(text, 'It'));
  expect(shown('http://user:pass@host.example/a?token=1#x')).toBe('http://host.example/a?…');
  expect(shown('http://host.example/a')).toBe('http://host.example/a');
});

describe('send and replay', () => {
  const env = { WEBHOOK_SECRET: SECRET };

  it('refuses an empty stdin and names it', async () => {
    const { code, stderr } = await inProcess(['send', 'http://127.0.0.1:1/', '--file', '-'], { env });
    expect([code, stderr]).toEqual([2, 'event-webhooks: error: stdin is empty: nothing to send.\n']);
  });

  it('refuses a recording with one huge line', async () => {
    const file = await (await scratch())('x.ndjson');
    await writeFile(file, '');
    await truncate(file, 91 * 1024 * 1024);
    const { code, stderr } = await inProcess(['replay', file, 'http://127.0.0.1:1/'], { env });
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/is not a recording: it has a line longer than \d+ bytes/),
    ]);
  });
});

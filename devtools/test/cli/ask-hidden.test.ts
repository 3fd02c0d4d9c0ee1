import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { readSecret } from '../../src/cli/secrets.js';
import { askHidden } from '../../src/cli/terminal/ask-hidden.js';

/** A terminal at which a test types. */
function typing(isForeground = true) {
  const written: string[] = [];
  const raw: boolean[] = [];
  const signals: string[] = [];
  const stdin = Object.assign(new EventEmitter(), {
    pause: () => stdin,
    resume: () => stdin,
    setRawMode: (on: boolean) => raw.push(on),
  });
  const stdout = { write: (text: string) => written.push(text) };
  const host = {
    process: Object.assign(new EventEmitter(), { kill: (_pid: number, signal: string) => signals.push(signal) }),
    isForeground: () => isForeground,
  };
  const type = (...chunks: string[]) => {
    for (const chunk of chunks) stdin.emit('data', chunk);
  };
  return { terminal: { stdin, stdout, host } as never, stdin, written, raw, signals, type };
}

const { signal } = new AbortController();

describe('a question whose answer is not shown', () => {
  it.each([
    ['what was typed up to Enter', ['whsec', '-1\r', 'more'], 'whsec-1'],
    ['nothing after Enter alone', ['\n'], ''],
    ['the text without what was erased', ['ab\u007f\bc', '\u007f\u007f\u007f', 'd\r'], 'd'],
    ['no control characters', ['a\u0001\u001bb\r'], 'ab'],
  ])('gives %s', async (_title, chunks, answer) => {
    const { terminal, written, raw, type } = typing();
    const asked = askHidden('Secret:', terminal, signal);
    type(...chunks);
    expect(await asked).toBe(answer);
    expect([written, raw]).toEqual([
      ['Secret: ', '\n'],
      [true, false],
    ]);
  });

  it('passes Ctrl+C on, and is empty when the command is stopped or the terminal is closed', async () => {
    const stopping = new AbortController();
    const { terminal, signals, type } = typing();
    const asked = askHidden('Secret:', terminal, stopping.signal);
    type('ab\u0003');
    expect(signals).toEqual(['SIGINT']);
    stopping.abort();
    expect(await asked).toBe('');

    const closed = typing();
    const other = askHidden('Secret:', closed.terminal, signal);
    closed.stdin.emit('end');
    expect(await other).toBe('');
  });
});

describe('a secret that is not set', () => {
  const source = (terminal: unknown) =>
    ({ env: {}, terminal, signal, options: {}, output: { hide() {}, note() {} } }) as never;

  it('is asked for on a terminal', async () => {
    const { terminal, type, written } = typing();
    const secret = readSecret(source(terminal));
    type('whsec-typed\r');
    expect(await secret).toBe('whsec-typed');
    expect(written.join('')).not.toContain('whsec-typed');
  });

  it.each([
    ['without a terminal', undefined],
    ['in the background', typing(false).terminal],
  ])('is an error %s', async (_title, terminal) => {
    await expect(readSecret(source(terminal))).rejects.toMatchObject({ code: 'ERR_CLI_SECRET' });
  });

  it('is an error when nothing was typed', async () => {
    const { terminal, type } = typing();
    const secret = readSecret(source(terminal));
    type('\r');
    await expect(secret).rejects.toMatchObject({ code: 'ERR_CLI_SECRET' });
  });
});

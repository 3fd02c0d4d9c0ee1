import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, vi } from 'vitest';
import { run } from '../../src/cli/run.js';
import { urlIn } from './running.js';
import { sink } from './sink.js';

export const SECRET = 'whsec-of-the-keys';

/** A command in this process, on a terminal that is made up. */
export function onTerminal(
  args: readonly string[],
  { env = {}, inForeground = (): boolean => true, columns = 100 } = {},
) {
  let text = '';
  const add = (more: string) => {
    text += more;
  };
  const stdout = sink(add, { isTTY: true, columns });
  const modes: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (raw: boolean) => modes.push(raw) });
  const events = new EventEmitter();
  const kill = vi.fn(() => true);
  const process = Object.assign(events, { kill }) as never;
  const ending = new AbortController();
  const ended = run({
    args,
    env: { WEBHOOK_SECRET: SECRET, NO_COLOR: '1', ...env },
    ...{ stdin, stdout, stderr: stdout, signal: ending.signal, now: Date.now },
    host: { process, isForeground: inForeground },
  });
  onTestFinished(async () => {
    ending.abort();
    await ended;
  });
  return {
    ...{ stdin, stdout, events, kill, modes, ended },
    shows: (pattern: RegExp) => expect.poll(() => text).toMatch(pattern),
    /** What is printed from now on. */
    forget() {
      text = '';
    },
    text: () => text,
    type: (keys: string) => stdin.write(keys),
    url: () => urlIn(text),
  };
}

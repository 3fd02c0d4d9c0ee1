import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { type Context, type ExitCode, untilAborted } from '../../src/cli/context.js';
import type { AddCommand } from '../../src/cli/program/shared-options.js';
import { run } from '../../src/cli/run.js';
import { sinks } from './sink.js';

/** Runs a command that a test defines. */
async function runs(command: (context: Context<object>) => Promise<ExitCode>, end = new AbortController()) {
  const { texts, ...streams } = sinks();
  const add: AddCommand = (own, start) => own.action((options) => start(options, command));
  const listed = ['own', '', async () => ({ command: add })] as const;
  const world = { args: ['own'], env: {}, stdin: Readable.from([]), signal: end.signal, now: () => 0 };
  const code = await run({ ...world, ...streams }, [listed]);
  return { code, ...texts };
}

describe('a command', () => {
  test('that fails unexpectedly reports a bug of the tool, in one line', async () => {
    for (const thrown of [new Error('o\u001b[31mh'), 'o\u001b[31mh']) {
      const { code, stderr } = await runs(() => Promise.reject(thrown));
      expect(code).toBe(2);
      expect(stderr).toMatch(/^event-webhooks: error: Bug in event-webhooks, please report it: .*o\\e\[31mh[^\n]*\n$/);
    }
  });

  test('waits until it is stopped, and reports no error that stopping it caused', async () => {
    const end = new AbortController();
    const wait = async ({ signal }: { signal: AbortSignal }) => {
      await untilAborted(signal);
      await untilAborted(signal);
      throw new Error('cut off');
    };
    const running = runs(wait, end);
    end.abort();
    expect(await running).toEqual({ code: 1, stdout: '', stderr: '' });
  });
});

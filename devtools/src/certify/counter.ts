import { exec } from 'node:child_process';
import type { Counter } from './bench.js';

/** `--effects` gave no number. The message does not quote its output. */
export class CounterError extends Error {}

const MAX_CHARACTERS = 64 * 1024;

/** Reads a number from a URL or from the output of a command. */
export function createCounter(from: URL | string, timeoutMs: () => number): Counter {
  return {
    read: async () =>
      numberIn(from instanceof URL ? await fetched(from, timeoutMs()) : await printed(from, timeoutMs())),
  };
}

/** The number that a text consists of, or its last line. */
function numberIn(text: string): number {
  const line = text.trim().split('\n').at(-1)?.trim() ?? '';
  if (!/^\d{1,15}$/.test(line))
    throw new CounterError('--effects must give a whole number, such as 12, as its last line.');
  return Number(line);
}

async function fetched(url: URL, timeoutMs: number): Promise<string> {
  let response: Response;
  let text = '';
  try {
    response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.length > MAX_CHARACTERS) break;
    }
  } catch (error) {
    const isLate = (error as Error).name === 'TimeoutError';
    throw new CounterError(`The URL of --effects ${isLate ? 'did not answer in time' : 'cannot be reached'}.`);
  }
  if (!response.ok) throw new CounterError(`The URL of --effects answered ${response.status}.`);
  return text;
}

function printed(command: string, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    exec(command, { timeout: timeoutMs, maxBuffer: MAX_CHARACTERS, killSignal: 'SIGKILL' }, (error, stdout) => {
      if (error === null) return resolve(stdout);
      const why = error.killed ? 'did not end in time' : `ended with ${error.code}`;
      reject(new CounterError(`The command of --effects ${why}.`));
    });
  });
}

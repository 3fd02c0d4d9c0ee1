import { exec } from 'node:child_process';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { networkReason } from '../network-errors.js';
import { exchange } from '../service/exchange.js';

/** `--effects` gave no number. The message does not quote its output. */
export class CounterError extends Error {}

const MAX_CHARACTERS = 64 * 1024;

/** Reads a number from a URL or from the output of a command. Throws CounterError. */
export const createCounter = (from: URL | string, timeoutMs: () => number) => async (): Promise<number> =>
  numberIn(from instanceof URL ? await fetched(from, timeoutMs()) : await printed(from, timeoutMs()));

/** The number that a text consists of, or its last line. */
function numberIn(text: string): number {
  const line = text.trim().split('\n').at(-1)?.trim() ?? '';
  if (!/^\d{1,15}$/.test(line))
    throw new CounterError('--effects must give a whole number, such as 12, as its last line.');
  return Number(line);
}

async function fetched(url: URL, timeoutMs: number): Promise<string> {
  const get = url.protocol === 'https:' ? httpsRequest : httpRequest;
  // A kept connection would occupy a server that serves one at a time.
  const open = () => get(url, { agent: false, headers: { Connection: 'close' } });
  const body = new Uint8Array();
  const answer = await exchange(open, { body, timeoutMs, captureMs: timeoutMs, keepBytes: MAX_CHARACTERS });
  const { status, code, response } = answer;
  if (status === 200) return Buffer.from((await response)?.bodyBase64 ?? '', 'base64').toString();
  const why = status === undefined ? `cannot be read: ${networkReason(code)}` : `answered ${status}`;
  throw new CounterError(`The URL of --effects ${why}.`);
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

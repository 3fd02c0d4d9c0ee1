import { exec } from 'node:child_process';
import { get as httpGet } from 'node:http';
import { get as httpsGet } from 'node:https';
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

function fetched(url: URL, timeoutMs: number): Promise<string> {
  const get = url.protocol === 'https:' ? httpsGet : httpGet;
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new CounterError(`The URL of --effects ${why}.`));
    // A kept connection would occupy a server that serves one at a time.
    const request = get(url, { agent: false, headers: { Connection: 'close' } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (text.length > MAX_CHARACTERS) response.destroy();
      });
      response
        .on('error', () => {})
        .on('close', () => {
          clearTimeout(timer);
          if (response.statusCode === 200) resolve(text);
          else fail(`answered ${response.statusCode}`);
        });
    });
    const timer = setTimeout(() => {
      fail('did not answer in time');
      request.destroy();
    }, timeoutMs);
    request.on('error', () => {
      clearTimeout(timer);
      fail('cannot be reached');
    });
  });
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

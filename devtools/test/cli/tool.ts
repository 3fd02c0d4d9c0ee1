import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, onTestFinished } from 'vitest';
import { apiKey, startFakeService } from '../../../test/client/fake-service.js';
import { run } from '../../src/cli/run.js';
import { main, startProcess } from './running.js';
import { sinks } from './sink.js';

export { main };
/** The built library, for modules that a test writes. */
export const library = new URL('../../../dist/', import.meta.url).href;

/** Secrets that no run may print: the output of every run is checked for them. */
export const SECRET = 'whsec-of-these-tests';
/** Of the first webhook of `fakeService`, and its key. */
export const [OTHER_SECRET, API_KEY] = ['secret-of-1', apiKey];
const UNSPOKEN = [SECRET, OTHER_SECRET, API_KEY];

/** How a run of the tool ended. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Record<string, string>;
  readonly stdin?: string | Uint8Array;
  readonly now?: number;
  /** In this process alone: the streams are terminals. */
  readonly terminal?: boolean;
  /** In this process only: ends the run. */
  readonly signal?: AbortSignal;
  /** The run prints a secret on request. */
  readonly spoken?: boolean;
}

export type Tool = (args: readonly string[], options?: RunOptions) => Promise<Ran>;

function checked(ran: Ran): Ran {
  for (const secret of UNSPOKEN) expect(ran.stdout + ran.stderr).not.toContain(secret);
  return ran;
}

/** The built tool, as users run it. */
export const asProcess: Tool = async (args, { env, stdin = '' } = {}) => {
  const running = startProcess(args, env, stdin);
  const code = await running.ended;
  return checked({ code, stdout: running.stdout, stderr: running.stderr });
};

/** The same in this process, for coverage. */
export const inProcess: Tool = async (args, { env = {}, stdin = '', now, terminal, spoken, signal } = {}) => {
  const { texts, ...streams } = sinks(terminal ? { isTTY: true, columns: 100 } : {});
  const code = await run({
    ...{ args, env, ...streams },
    stdin: Readable.from([Buffer.from(stdin)]),
    signal: signal ?? new AbortController().signal,
    now: () => now ?? Date.now(),
  });
  return spoken ? { code, ...texts } : checked({ code, ...texts });
};

/** For a test or two of each command. The others run it in this process only. */
export const ways = [
  { way: 'as a process', tool: asProcess },
  { way: 'in this process', tool: inProcess },
];

/** The service's API until the test ends, and the environment that leads to it. */
export async function fakeService() {
  const service = await startFakeService();
  onTestFinished(() => service.close());
  return Object.assign(service, { env: { WEBHOOK_BASE_URL: service.baseUrl, WEBHOOK_API_KEY: API_KEY } });
}

/** Every line of a text as JSON. */
export const jsonLines = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/** A directory that is removed after the test; gives the path of a file in it, written when there is a content. */
export async function scratch() {
  const directory = await mkdtemp(join(tmpdir(), 'event-webhooks-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return async (name: string, content?: string | Uint8Array, mode = 0o600): Promise<string> => {
    const file = join(directory, name);
    if (content !== undefined) {
      const stream = createWriteStream(file, { mode });
      await new Promise<void>((resolve) => stream.end(content, () => resolve()));
    }
    return file;
  };
}

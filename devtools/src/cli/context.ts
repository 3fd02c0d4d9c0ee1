import type { Readable } from 'node:stream';
import type { Output } from './output.js';

/** 0: success. 1: the command ran and the answer is no. 2: wrong usage, bad input, or nothing could be reached. */
export type ExitCode = 0 | 1 | 2;

/** What a command receives when it runs. */
export interface Context<Options> {
  readonly options: Options;
  readonly output: Output;
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable;
  /** Aborted on Ctrl+C, on SIGTERM, and when stdout is closed: the command cleans up and returns. */
  readonly signal: AbortSignal;
  /** The clock, in Unix milliseconds. */
  readonly now: () => number;
}

/** Resolves once a signal is aborted. */
export const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

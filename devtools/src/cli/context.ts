import type { Readable } from 'node:stream';
import type { Output, Sink } from './output.js';
import type { Host, KeySource } from './terminal/keyboard.js';

/** 0: success. 1: the command ran and the answer is negative. 2: wrong usage, bad input, or an unreachable host. */
export type ExitCode = 0 | 1 | 2;

/** A terminal that shows output and reads keys. */
export interface Terminal {
  readonly stdin: KeySource;
  readonly stdout: Sink;
  readonly host: Host;
}

/** What a command receives when it runs. */
export interface Context<Options> {
  readonly options: Options;
  readonly output: Output;
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable;
  /** Undefined without a terminal, and with `--json`. */
  readonly terminal: Terminal | undefined;
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

#!/usr/bin/env node
import { TOOL } from './program/help.js';
import { run } from './run.js';
import { isForeground } from './terminal/foreground.js';

/** Time that a command has to clean up: Ctrl+C must take effect within a second. */
const END_MS = 600;

const ended = new AbortController();
/** Exit code of the process after a signal, by the convention of shells. */
let requested: number | undefined;

function end(exitCode: number): void {
  // A second signal skips the cleanup.
  if (requested !== undefined && exitCode !== 0) process.exit(exitCode);
  requested ??= exitCode;
  ended.abort();
  setTimeout(() => process.exit(exitCode), END_MS).unref();
}

process.on('SIGINT', () => end(130));
process.on('SIGTERM', () => end(143));
// The terminal was closed.
process.on('SIGHUP', () => end(129));
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  // The reader (`| head`) has seen enough, which is not a failure.
  if (code === 'EPIPE') return end(0);
  process.stderr.write(`${TOOL}: error: cannot write to stdout (${code})\n`);
  process.exit(2);
});
process.stderr.on('error', () => {
  // Errors cannot be reported anywhere.
});

const { argv, env, stdin, stdout, stderr } = process;
const world = {
  ...{ args: argv.slice(2), env, stdin, stdout, stderr, signal: ended.signal, now: Date.now },
  host: { process, isForeground },
};
const exitCode = await run(world);
process.exitCode = requested ?? exitCode;
// A module of --receiver may have left a pool open. Pending output is written first, and its errors are reported.
process.stdout.write('', () => process.stderr.write('', () => setImmediate(() => process.exit())));

#!/usr/bin/env node
import { commandTable } from './command-table.js';
import { TOOL } from './help.js';
import { run } from './run.js';

/** How long a command may take to end: nobody who presses Ctrl+C waits longer than a second. */
const END_MS = 600;

const ended = new AbortController();
/** What the process ends with once it was told to end, as shells count it. */
let told: number | undefined;

function end(exitCode: number): void {
  // Whoever asks twice does not want to wait until everything is cleaned up.
  if (told !== undefined && exitCode !== 0) process.exit(exitCode);
  told ??= exitCode;
  ended.abort();
  setTimeout(() => process.exit(exitCode), END_MS).unref();
}

process.on('SIGINT', () => end(130));
process.on('SIGTERM', () => end(143));
// A terminal that is closed.
process.on('SIGHUP', () => end(129));
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  // Whoever read the output (`| head`) has seen enough, which is no failure.
  if (code === 'EPIPE') return end(0);
  process.stderr.write(`${TOOL}: error: stdout cannot be written to (${code})\n`);
  process.exit(2);
});
process.stderr.on('error', () => {
  // There is nobody to tell that nobody is told.
});

const { argv, env, stdin, stdout, stderr } = process;
const world = { args: argv.slice(2), env, stdin, stdout, stderr, signal: ended.signal, now: Date.now };
const exitCode = await run(world, commandTable);
process.exitCode = told ?? exitCode;

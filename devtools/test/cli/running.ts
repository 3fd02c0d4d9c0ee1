import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { run } from '../../src/cli/run.js';
import { sink } from './sink.js';

export const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** Collects output, line by line. */
function reader() {
  const outputs = { stdout: '', stderr: '' };
  const lines: string[] = [];
  let rest = '';
  let isOver = false;
  let wake = () => {};
  return {
    outputs,
    add(name: keyof typeof outputs, text: string): void {
      outputs[name] += text;
      if (name === 'stdout') {
        const parts = (rest + text).split('\n');
        rest = parts.pop() ?? '';
        lines.push(...parts);
      }
      wake();
    },
    over(): void {
      isOver = true;
      wake();
    },
    /** The next line of stdout that fits. */
    async until(pattern: RegExp): Promise<string> {
      for (;;) {
        for (let line = lines.shift(); line !== undefined; line = lines.shift()) if (pattern.test(line)) return line;
        if (isOver) throw new Error(`It ended without ${pattern}: ${outputs.stdout}${outputs.stderr}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

/** The built tool, as users run it, until it is stopped. */
export function startProcess(args: readonly string[], env: Record<string, string> = {}, stdin?: string | Uint8Array) {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH, HOME, ...env },
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  }) as ChildProcessWithoutNullStreams;
  // A run may end before it has read its input.
  child.stdin?.on('error', () => {}).end(stdin);
  const { outputs, add, over, until } = reader();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => add(name, chunk));
  }
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  void ended.then(over);
  /** Ends it as Ctrl+C does, or by another signal. */
  const end = (signal: NodeJS.Signals = 'SIGINT') => {
    child.kill(signal);
    return ended;
  };
  onTestFinished(async () => void (await end('SIGTERM')));
  return Object.assign(outputs, { until, end, ended, pid: child.pid });
}

/** The same in this process, for coverage. */
export function startHere(args: readonly string[], env: Record<string, string> = {}) {
  const { outputs, add, over, until } = reader();
  const ending = new AbortController();
  const [stdout, stderr] = [sink((text) => add('stdout', text)), sink((text) => add('stderr', text))];
  const world = { args, env, stdin: Readable.from([]), stdout, stderr, signal: ending.signal, now: Date.now };
  const ended: Promise<number | null> = run(world);
  void ended.then(over);
  const end = () => {
    ending.abort();
    return ended;
  };
  onTestFinished(async () => void (await end()));
  return Object.assign(outputs, { until, end, ended });
}

/** A command that runs, and all that it has printed. */
export type Running = ReturnType<typeof startHere>;

/** The origin in a line, with a slash behind it. */
export const urlIn = (line: string) => /http:\/\/[^\s/]+\//.exec(line)?.[0] ?? '';

/** For a test or two of each command. The others run it in this process only. */
export const ways = [
  { way: 'as a process', start: startProcess },
  { way: 'in this process', start: startHere },
];

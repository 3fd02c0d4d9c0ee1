import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { run } from '../../src/cli/run.js';
import { sink } from './sink.js';
import { main } from './tool.js';

/** A command that runs until it is stopped. */
export interface Running {
  /** The first line of stdout, from where the last one was, that fits; as JSON with --json. */
  until(pattern: RegExp): Promise<string>;
  /** All that it has printed. */
  readonly stdout: string;
  readonly stderr: string;
  /** Ends it as Ctrl+C does, or a signal that is given, and resolves with its exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
  /** Resolves when it has ended by itself. */
  readonly ended: Promise<number | null>;
  /** Of a process. */
  readonly pid?: number | undefined;
}

export type Start = (args: readonly string[], env?: Record<string, string>) => Running;

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

/** The built tool, as users run it. */
export const startProcess: Start = (args, env = {}) => {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { outputs, add, over, until } = reader();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => add(name, chunk));
  }
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  void ended.then(over);
  const end = (signal: NodeJS.Signals = 'SIGINT') => {
    child.kill(signal);
    return ended;
  };
  onTestFinished(async () => void (await end('SIGTERM')));
  return Object.assign(outputs, { until, end, ended, pid: child.pid });
};

/** The same in this process, for coverage. */
export const startHere: Start = (args, env = {}) => {
  const { outputs, add, over, until } = reader();
  const ending = new AbortController();
  const [stdout, stderr] = [sink((text) => add('stdout', text)), sink((text) => add('stderr', text))];
  const world = { args, env, stdin: Readable.from([]), stdout, stderr, signal: ending.signal, now: Date.now };
  const ended: Promise<number> = run(world);
  void ended.then(over);
  const end = () => {
    ending.abort();
    return ended;
  };
  onTestFinished(async () => void (await end()));
  return Object.assign(outputs, { until, end, ended });
};

/** For a test or two of each command. The others run it in this process only. */
export const ways = [
  { way: 'as a process', start: startProcess },
  { way: 'in this process', start: startHere },
];

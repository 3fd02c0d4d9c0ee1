import { spawn } from '@lydell/node-pty';
import headless from '@xterm/headless';
import { expect, onTestFinished } from 'vitest';
import { main } from './tool.js';

export interface TerminalOptions {
  readonly env?: Record<string, string>;
  readonly columns?: number;
  readonly rows?: number;
}

/** Starts a program on a real terminal. */
export function onTerminal(
  [file = '', ...args]: readonly string[],
  { env = {}, columns = 100, rows = 24 }: TerminalOptions = {},
) {
  const { PATH = '', HOME = '' } = process.env;
  const terminal = new headless.Terminal({ cols: columns, rows, scrollback: 20_000, allowProposedApi: true });
  const pty = spawn(file, [...args], {
    ...{ name: 'xterm-256color', cols: columns, rows, cwd: process.cwd() },
    env: { PATH, HOME, TERM: 'xterm-256color', NO_COLOR: '1', ...env },
  });
  let isOver = false;
  pty.onData((data) => terminal.write(data));
  // What the terminal answers, such as its cursor's position.
  terminal.onData((data) => pty.write(data));
  const ended = new Promise<number>((resolve) => {
    pty.onExit(({ exitCode, signal }) => {
      isOver = true;
      resolve(signal ? 128 + signal : exitCode);
    });
  });
  onTestFinished(async () => {
    if (!isOver) pty.kill('SIGKILL');
    await ended;
    terminal.dispose();
  });
  const lines = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => terminal.buffer.active.getLine(from + at)?.translateToString(true) ?? '');
  const screen = () => lines(terminal.buffer.active.baseY, terminal.rows);
  return {
    /** The lines of the screen, without trailing spaces. */
    screen,
    /** The lines that have been printed, also those that have left the screen. */
    all: () => lines(0, terminal.buffer.active.length),
    shows: (pattern: RegExp) => expect.poll(() => screen().join('\n')).toMatch(pattern),
    type: (keys: string) => pty.write(keys),
    resize(cols: number, to: number) {
      terminal.resize(cols, to);
      pty.resize(cols, to);
    },
    /** The exit code. */
    ended,
  };
}

/** The tool on a terminal. */
export const toolOnTerminal = (args: readonly string[], options?: TerminalOptions) =>
  onTerminal([process.execPath, main, ...args], options);

import type { Writable } from 'node:stream';
import { createColors } from 'picocolors';
import { visible, visibleJson } from './visible.js';

export type Colors = ReturnType<typeof createColors>;

/** Where a command prints. With `--json`, stdout contains only JSON, one document a line. */
export interface Output {
  readonly json: boolean;
  /** Whether stdout is a terminal with escape sequences, and `--json` is not given. */
  readonly isTerminal: boolean;
  /** Current width of stdout's terminal; 80 without a terminal. */
  readonly columns: number;
  /** Colours of stdout; without a terminal they do nothing. */
  readonly colors: Colors;
  /** Prints a result: `value` with `--json`, else `text`. */
  result(value: unknown, text: string): void;
  /** Prints text, unless `--json` is given. */
  print(text: string): void;
  /** A hint or a warning, on stderr. With `--json` it is `{"note":{"message"}}`. */
  note(message: string): void;
  /** The error that ended the command, on stderr. With `--json` it is `{"error":{"code","message"}}`. */
  error(code: string, message: string): void;
  /** Resolves when stdout has drained; undefined if it has. Callers must wait, or unread output fills the memory. */
  taken(): Promise<void> | undefined;
  /** Draws a line on stderr's terminal that the next one replaces; undefined without a terminal. */
  readonly status: ((text: string) => void) | undefined;
  /** Keeps a line below everything that is printed on stdout's terminal; undefined removes it. */
  footer(line: string | undefined): void;
  /** Empties the screen of stdout's terminal. */
  clearScreen(): void;
  /** Prints a text as `[secret]` from here on, wherever it occurs. */
  hide(secret: string): void;
}

/** A writable stream, perhaps a terminal. */
export type Sink = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** Erases from the start of the line to the end of the screen: a terminal that became narrower may have wrapped the line. */
const ERASE = '\r\u001b[J';
/** The terminal cuts a line that is too long, whatever the width of its characters. */
const [UNWRAPPED, WRAPPED] = ['\u001b[?7l', '\u001b[?7h'];

/** Masking shorter secrets would mask ordinary words. */
const HIDDEN_FROM = 6;

function coloured(stream: Sink, env: NodeJS.ProcessEnv): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return stream.isTTY === true && env.TERM !== 'dumb';
}

/** Creates the output of a command on two streams. */
export function createOutput(
  stdout: Sink,
  stderr: Sink,
  { env, json, name }: { env: NodeJS.ProcessEnv; json: boolean; name: string },
): Output {
  const hidden = new Set<string>();
  const colors = createColors(!json && coloured(stdout, env));
  const errorColors = createColors(!json && coloured(stderr, env));
  const isTerminal = stdout.isTTY === true && !json && env.TERM !== 'dumb';
  let drawn = false;
  let footer: string | undefined;

  const masked = (text: string) => [...hidden].reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text);
  const maskedJson = (value: unknown) =>
    visibleJson(
      hidden.size === 0
        ? value
        : JSON.parse(JSON.stringify(value), (_, each) => (typeof each === 'string' ? masked(each) : each)),
    );
  const clear = () => {
    if (drawn) stderr.write('\r\u001b[K');
    drawn = false;
  };
  const write = (stream: Sink, text: string) => {
    clear();
    const lines = text.endsWith('\n') ? text : `${text}\n`;
    if (footer === undefined) stream.write(lines);
    else if (stream === stdout) stdout.write(`${ERASE}${lines}${footer}`);
    else {
      stdout.write(ERASE);
      stream.write(lines);
      stdout.write(footer);
    }
  };

  return {
    json,
    isTerminal,
    get columns() {
      return stdout.columns ?? 80;
    },
    colors,
    result: (value, text) => write(stdout, json ? maskedJson(value) : masked(text)),
    print: (text) => {
      if (!json) write(stdout, masked(text));
    },
    note: (message) => {
      const text = `${errorColors.yellow('note:')} ${masked(visible(message))}`;
      write(stderr, json ? maskedJson({ note: { message } }) : text);
    },
    error: (code, message) => {
      const text = `${name}: ${errorColors.red('error:')} ${masked(visible(message))}`;
      write(stderr, json ? maskedJson({ error: { code, message } }) : text);
    },
    taken: () =>
      stdout.writableNeedDrain ? new Promise((resolve) => stdout.once('drain', () => resolve())) : undefined,
    status:
      stderr.isTTY && !json && env.TERM !== 'dumb'
        ? (text) => {
            stderr.write(`\r${masked(text).slice(0, (stderr.columns ?? 80) - 1)}\u001b[K`);
            drawn = text !== '';
          }
        : undefined,
    footer(line) {
      const erase = footer === undefined ? '' : ERASE;
      footer = line === undefined ? undefined : `${UNWRAPPED}${masked(line)}${WRAPPED}`;
      stdout.write(`${erase}${footer ?? ''}`);
    },
    clearScreen: () => stdout.write(`\u001b[2J\u001b[H${footer ?? ''}`),
    hide: (secret) => {
      if (secret.length >= HIDDEN_FROM) hidden.add(secret);
    },
  };
}

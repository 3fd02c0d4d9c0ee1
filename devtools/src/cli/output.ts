import type { Writable } from 'node:stream';
import { createColors } from 'picocolors';
import wrapAnsi from 'wrap-ansi';
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
  /** Wraps a text between words at the width of stdout's terminal; later lines get the indent. Elsewhere unchanged. */
  wrap(text: string, indent: string): string;
  /** Keeps lines below everything that is printed on stdout's terminal, each cut at its width; none removes them. */
  footer(lines: readonly string[]): void;
  /** Prints a text as `[secret]` from here on, wherever it occurs. */
  hide(secret: string): void;
}

/** A writable stream, perhaps a terminal. */
export type Sink = Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };

/** Erases from the start of the line to the end of the screen. */
const ERASE = '\r\u001b[J';
/** The terminal cuts a line that is too long, whatever the width of its characters. */
const [UNWRAPPED, WRAPPED] = ['\u001b[?7l', '\u001b[?7h'];
/** Narrower terminals are treated as this wide. */
const LEAST_COLUMNS = 20;

/** Masking shorter secrets would mask ordinary words. */
const HIDDEN_FROM = 6;

function coloured(stream: Sink, env: NodeJS.ProcessEnv): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return stream.isTTY === true && env.TERM !== 'dumb';
}

/**
 * The lines, with the cursor at the start of the first: if a terminal that becomes narrower wraps them, all of their
 * rows are still below the cursor.
 */
function drawn(lines: readonly string[]): string {
  const up = lines.length > 1 ? `\u001b[${lines.length - 1}A` : '';
  return lines.length === 0 ? '' : `${UNWRAPPED}${lines.join('\r\n')}${WRAPPED}${up}\r`;
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
  let footer = '';

  const masked = (text: string) => [...hidden].reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text);
  const maskedJson = (value: unknown) =>
    visibleJson(
      hidden.size === 0
        ? value
        : JSON.parse(JSON.stringify(value), (_, each) => (typeof each === 'string' ? masked(each) : each)),
    );
  const write = (stream: Sink, text: string) => {
    const lines = text.endsWith('\n') ? text : `${text}\n`;
    if (footer === '') stream.write(lines);
    else if (stream === stdout) stdout.write(`${ERASE}${lines}${footer}`);
    else {
      stdout.write(ERASE);
      stream.write(lines);
      stdout.write(footer);
    }
  };
  const columns = (stream: Sink) => stream.columns ?? 80;
  const wrapped = (stream: Sink, text: string, indent: string) => {
    if (stream.isTTY !== true || json) return text;
    // The last column stays empty: some terminals add a line break after it.
    const width = Math.max(LEAST_COLUMNS, columns(stream) - 1) - indent.length;
    const start = /^ */.exec(text)?.[0] ?? '';
    const [first = '', ...rest] = wrapAnsi(text.slice(start.length), width).split('\n');
    return [start + first, ...rest.map((line) => indent + line)].join('\n');
  };

  return {
    json,
    isTerminal,
    get columns() {
      return columns(stdout);
    },
    colors,
    result: (value, text) => write(stdout, json ? maskedJson(value) : masked(text)),
    print: (text) => {
      if (!json) write(stdout, masked(text));
    },
    note: (message) => {
      const text = `${errorColors.yellow('note:')} ${masked(visible(message))}`;
      write(stderr, json ? maskedJson({ note: { message } }) : wrapped(stderr, text, '  '));
    },
    error: (code, message) => {
      const text = `${name}: ${errorColors.red('error:')} ${masked(visible(message))}`;
      write(stderr, json ? maskedJson({ error: { code, message } }) : wrapped(stderr, text, '  '));
    },
    taken: () =>
      stdout.writableNeedDrain ? new Promise((resolve) => stdout.once('drain', () => resolve())) : undefined,
    wrap: (text, indent) => wrapped(stdout, text, indent),
    footer(lines) {
      const erase = footer === '' ? '' : ERASE;
      footer = drawn(lines.map(masked));
      stdout.write(erase + footer);
    },
    hide: (secret) => {
      if (secret.length >= HIDDEN_FROM) hidden.add(secret);
    },
  };
}

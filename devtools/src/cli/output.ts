import type { Writable } from 'node:stream';
import { createColors } from 'picocolors';
import { visible, visibleJson } from './visible.js';

export type Colors = ReturnType<typeof createColors>;

/** Where a command prints. With `--json`, stdout contains only JSON, one document a line. */
export interface Output {
  readonly json: boolean;
  /** Width of stdout's terminal; 80 without a terminal. */
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
  /** Resolves when stdout has drained; undefined if it need not. Without waiting, unread output fills the memory. */
  taken(): Promise<void> | undefined;
  /** Draws a line on stderr's terminal that the next one replaces; undefined without a terminal. */
  readonly status: ((text: string) => void) | undefined;
  /** Prints a text as `[secret]` from here on, wherever it occurs. */
  hide(secret: string): void;
}

/** A writable stream, perhaps a terminal. */
export type Sink = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** Shorter secrets would mask ordinary words. */
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
  let drawn = false;

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
    stream.write(text.endsWith('\n') ? text : `${text}\n`);
  };

  return {
    json,
    columns: stdout.columns ?? 80,
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
    hide: (secret) => {
      if (secret.length >= HIDDEN_FROM) hidden.add(secret);
    },
  };
}

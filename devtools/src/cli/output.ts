import type { Writable } from 'node:stream';
import { createColors } from 'picocolors';
import { visible, visibleJson } from './visible.js';

export type Colors = ReturnType<typeof createColors>;

/** What a command prints to. With `--json` stdout has JSON alone, one document a line. */
export interface Output {
  readonly json: boolean;
  /** How wide the terminal of stdout is. (80 where it is none.) */
  readonly columns: number;
  /** Colours of stdout: they leave the text as it is where it is no terminal. */
  readonly colors: Colors;
  /** A result: `value` with `--json`, `text` without. Once for a command that has one, for each in a stream. */
  result(value: unknown, text: string): void;
  /** Text for people alone: nothing with `--json`. */
  print(text: string): void;
  /** A hint or a warning, on stderr. With `--json` it is `{"note":{"message"}}`. */
  note(message: string): void;
  /** What ended the command, on stderr. With `--json` it is `{"error":{"code","message"}}`. */
  error(code: string, message: string): void;
  /** Resolves when stdout takes more; undefined while it does. Unread, what is printed piles up in memory. */
  taken(): Promise<void> | undefined;
  /** A line on the terminal of stderr that the next one takes the place of; undefined where there is none to draw on. */
  readonly status: ((text: string) => void) | undefined;
  /** From here on a text is printed as `[secret]` wherever it comes from, but in what a command made itself. */
  hide(secret: string): void;
}

/** A stream as far as this needs to know it. */
export type Sink = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** Shorter ones are words that stand anywhere. */
const HIDDEN_FROM = 6;

function coloured(stream: Sink, env: NodeJS.ProcessEnv): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return stream.isTTY === true && env.TERM !== 'dumb';
}

/** The output of a command on two streams. */
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

import type { Readable } from 'node:stream';

/** The parts of `process` that reading keys needs. */
export interface Host {
  readonly process: Pick<NodeJS.Process, 'on' | 'once' | 'off' | 'kill'>;
  /** Whether the process is in the foreground of its terminal. */
  isForeground(): boolean;
}

/** The input of a terminal. */
export type KeySource = Readable & { setRawMode(raw: boolean): unknown };

/** What a keyboard reports. */
export interface KeyHandlers {
  /** Called with the keys that came together: characters, `up`, `down`, `return` or `escape`. Several are pasted text. */
  keys(keys: readonly string[]): void;
  /** Called when keys are read: at the start, and again after the process was stopped. */
  show(): void;
  /** Called when keys are no longer read: the input or the process ends, or the process is about to be stopped. */
  hide(): void;
}

/** One key in the input of a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are escape sequences
const KEY = /\u001b(?:[[O][\d;]*[A-Za-z~])?|./gsu;
const NAMES: Readonly<Record<string, string>> = {
  ...{ '\r': 'return', '\n': 'return', '\u001b': 'escape' },
  ...{ '\u001b[A': 'up', '\u001bOA': 'up', '\u001b[B': 'down', '\u001bOB': 'down' },
};
const [CTRL_C, CTRL_Z] = ['\u0003', '\u001a'];
const FOREGROUND_GROUP = 0;

/**
 * Reads single keys. Restores the terminal's mode when the process ends or is stopped, or by the returned function. Ctrl+C
 * and Ctrl+Z send their signals, as outside raw mode.
 */
export function readKeys(stdin: KeySource, { process, isForeground }: Host, handlers: KeyHandlers): () => void {
  let isOurs = false;

  function enter(): void {
    if (!isForeground()) return;
    isOurs = true;
    stdin.setRawMode(true);
    stdin.resume();
    handlers.show();
  }

  function leave(): void {
    if (!isOurs) return;
    isOurs = false;
    handlers.hide();
    stdin.pause();
    stdin.setRawMode(false);
  }

  function onData(chunk: Buffer | string): void {
    const keys: readonly string[] = String(chunk).match(KEY) ?? [];
    if (keys.includes(CTRL_C)) process.kill(FOREGROUND_GROUP, 'SIGINT');
    else if (keys.includes(CTRL_Z)) {
      leave();
      process.once('SIGCONT', enter).kill(FOREGROUND_GROUP, 'SIGTSTP');
    } else handlers.keys(keys.map((key) => NAMES[key] ?? key));
  }

  // A background job that reads from its terminal is stopped by the system.
  stdin.pause();
  process.on('exit', leave);
  // An error means that the terminal is gone; SIGHUP reports that too.
  stdin.on('data', onData).on('end', leave).on('error', leave);
  enter();
  return () => {
    leave();
    process.off('exit', leave).off('SIGCONT', enter);
    stdin.off('data', onData).off('end', leave);
  };
}

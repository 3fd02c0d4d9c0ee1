import type { Readable } from 'node:stream';

/** The parts of `process` that reading keys needs. */
export interface Host {
  readonly process: Pick<NodeJS.Process, 'on' | 'off' | 'kill' | 'pid'>;
  /** Whether the process is in the foreground of its terminal. */
  isForeground(): boolean;
}

/** The input of a terminal. */
export type KeySource = Readable & { setRawMode(raw: boolean): unknown };

/** What a keyboard reports. */
export interface KeyHandlers {
  /** Called with a character, `up`, `down`, `return` or `escape`. Pasted text is ignored. */
  key(key: string): void;
  /** Called when keys are read: at the start, and again after the process was stopped. */
  show(): void;
  /** Called when keys are no longer read: the process ends or is about to be stopped. */
  hide(): void;
}

/** One key in the input of a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are escape sequences
const KEY = /\u001b(?:[[O][\d;]*[A-Za-z~])?|./gsu;
const NAMES: Readonly<Record<string, string>> = {
  ...{ '\r': 'return', '\n': 'return', '\u001b': 'escape' },
  ...{ '\u001b[A': 'up', '\u001bOA': 'up', '\u001b[B': 'down', '\u001bOB': 'down' },
};
const CTRL_C = '\u0003';
/** Keys that send a signal to all processes in the foreground, as a terminal does outside raw mode. */
const SIGNALS: Readonly<Record<string, NodeJS.Signals>> = {
  [CTRL_C]: 'SIGINT',
  '\u001a': 'SIGTSTP',
  '\u001c': 'SIGQUIT',
};
const FOREGROUND_GROUP = 0;

/** Reads single keys. Restores the terminal's mode when the process ends or is stopped, or by the returned function. */
export function readKeys(stdin: KeySource, host: Host, handlers: KeyHandlers): () => void {
  const { process } = host;
  let isOurs = false;

  function enter(): void {
    if (!host.isForeground()) return;
    isOurs = true;
    // Off first: a shell may have changed the mode while the process was stopped, and Node only remembers its own.
    stdin.setRawMode(false);
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

  function signal(pid: number, name: NodeJS.Signals): void {
    // Ctrl+C ends the command, which calls `leave`.
    if (name !== 'SIGINT') leave();
    // With a handler in place, the signal would not stop the process.
    process.off('SIGTSTP', stop);
    process.kill(pid, name);
  }

  const stop = () => signal(process.pid, 'SIGTSTP');
  const proceed = () => {
    process.off('SIGTSTP', stop).on('SIGTSTP', stop);
    leave();
    enter();
  };

  function onData(chunk: Buffer | string): void {
    const keys = String(chunk).match(KEY) ?? [];
    const isPasted = new Set(keys).size > 1;
    for (const key of isPasted ? keys.filter((each) => each === CTRL_C) : keys) {
      if (SIGNALS[key]) signal(FOREGROUND_GROUP, SIGNALS[key]);
      else handlers.key(NAMES[key] ?? key);
    }
  }

  function close(): void {
    leave();
    process.off('SIGTSTP', stop).off('SIGCONT', proceed).off('exit', leave);
    stdin.off('data', onData).off('end', leave);
  }

  // A background job that reads from its terminal is stopped by the system.
  stdin.pause();
  process.on('SIGTSTP', stop).on('SIGCONT', proceed).on('exit', leave);
  // An error means that the terminal is gone; SIGHUP reports that too.
  stdin.on('data', onData).on('end', leave).on('error', leave);
  enter();
  return close;
}

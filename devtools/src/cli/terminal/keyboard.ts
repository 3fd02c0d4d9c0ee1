import { emitKeypressEvents, type Interface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Sink } from '../output.js';

/** The parts of the process that a keyboard uses. */
export interface Host {
  readonly process: Pick<NodeJS.Process, 'on' | 'off' | 'kill' | 'pid'>;
  /** Whether the process is in the foreground of its terminal. */
  isForeground(): boolean;
}

/** The input of a terminal. */
export type KeySource = Readable & { setRawMode(raw: boolean): unknown };

/** A key as Node describes it. */
interface KeyPress {
  readonly name?: string;
  readonly sequence?: string;
  readonly ctrl?: boolean;
}

/** What a keyboard reports. */
export interface KeyHandlers {
  /** Called with a character, or with the name of another key, such as `up` or `return`. Pasted text is ignored. */
  key(key: string): void;
  /** Called when keys are read: at the start, and again after the process was stopped. */
  show(): void;
  /** Called when keys are no longer read: the process ends or is about to be stopped. */
  hide(): void;
}

/** Turn on and off the mode in which a terminal marks pasted text. */
const [PASTE_ON, PASTE_OFF] = ['\u001b[?2004h', '\u001b[?2004l'];
/** The terminal sends this after pasted text. */
const PASTE_END = '\u001b[201~';
const CTRL_C = '\u0003';
/** How long the rest of an escape sequence may take, in milliseconds. */
const ESCAPE_MS = 50;
/** Keys that send a signal to all processes in the foreground, as a terminal does outside raw mode. */
const SIGNALS: Readonly<Record<string, NodeJS.Signals>> = { c: 'SIGINT', '\\': 'SIGQUIT', z: 'SIGTSTP' };
const FOREGROUND_GROUP = 0;

/** Reads single keys. Restores the terminal's mode when the process ends or is stopped, or by the returned function. */
export function readKeys(stdin: KeySource, stdout: Sink, host: Host, handlers: KeyHandlers): () => void {
  const { process } = host;
  let isOurs = false;
  /** The end of the text pasted so far, unprocessed. */
  let pasted: string | undefined;

  function enter(): void {
    if (!host.isForeground()) return;
    isOurs = true;
    // Off first: a shell may have changed the mode while the process was stopped, and Node only remembers its own.
    stdin.setRawMode(false);
    stdin.setRawMode(true);
    stdin.resume();
    stdout.write(PASTE_ON);
    handlers.show();
  }

  function leave(): void {
    if (!isOurs) return;
    isOurs = false;
    handlers.hide();
    stdout.write(PASTE_OFF);
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

  function onKey(text: string | undefined, { name = '', sequence = '', ctrl }: KeyPress): void {
    // Uses raw sequences: an incomplete escape sequence in pasted text would swallow the start of the end marker.
    // Ctrl+C always works, even if the end never comes.
    if (pasted !== undefined && sequence !== CTRL_C) {
      const end = (pasted + sequence).slice(-PASTE_END.length);
      pasted = end === PASTE_END ? undefined : end;
    } else if (name === 'paste-start') pasted = '';
    else if (!ctrl) handlers.key(text && text > ' ' ? text : name);
    else if (SIGNALS[name]) signal(FOREGROUND_GROUP, SIGNALS[name]);
  }

  function close(): void {
    leave();
    process.off('SIGTSTP', stop).off('SIGCONT', proceed).off('exit', leave);
    stdin.off('keypress', onKey).off('end', leave);
  }

  // A background job that reads from its terminal is stopped by the system.
  stdin.pause();
  emitKeypressEvents(stdin, { escapeCodeTimeout: ESCAPE_MS } as Partial<Interface> as Interface);
  process.on('SIGTSTP', stop).on('SIGCONT', proceed).on('exit', leave);
  // An error means that the terminal is gone; SIGHUP reports that too.
  stdin.on('keypress', onKey).on('end', leave).on('error', leave);
  enter();
  return close;
}

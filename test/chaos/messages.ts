import type { Step } from './faults.js';

/** What a process is told to do to itself when it comes to a step. */
export interface Order {
  readonly act: 'kill' | 'stop' | 'term' | 'clock';
  readonly at: Step;
  /** Of `stop`: for how long it is stopped. Of `clock`: how far its wall clock is off from then on. */
  readonly ms: number;
}

/** What a process answers to each question. */
export interface Answers {
  /** How many calls of clients, and records, are waiting. */
  readonly 'waiting?': number;
  /** It drains, and does no more work. */
  readonly 'left?': Left;
  /** The ids of all dead letters. */
  readonly 'letters?': readonly string[];
  /** That it has retried all dead letters. */
  readonly 'retry!': true;
}

/** What a process is sent: an order, that the last one is withdrawn, or a question. */
export type Command = Order | 'withdraw' | keyof Answers;

/** What is left in a process that gets nothing more to do. */
export interface Left {
  /** Handlers and records that it has not finished when it is drained. */
  readonly unfinished: number;
  /** How many transactions its pool opens at once, of how many. */
  readonly places?: { readonly open: number; readonly of: number } | undefined;
}

/** When a handler began. Times are of the monotonic clock. */
export interface Start {
  /** When the store was asked for the key, and when that call came back. */
  readonly claimed: number;
  readonly asked: number;
  /** When the turn of the event loop began in which the handler was started. */
  readonly turn: number;
  readonly at: number;
  /** How long after the claim it began, on the wall clock. */
  readonly wallMs: number;
}

/** What is known when a cursor of `reconcile` is about to be written. */
export interface CursorMove {
  readonly from: number;
  /** The block from which on the next run reads. */
  readonly next: number;
  /** What is still to be made good. */
  readonly retry: readonly string[];
  /** What has taken effect by then, or was stored if a queue is in between. */
  readonly settled: readonly string[];
}

/** The end of a run of `reconcile`, beside what its receiver answered meanwhile. */
export interface Reconciled {
  readonly to: number;
  readonly repaired: number;
  readonly stored: number;
  /** How many are still to be made good. */
  readonly left: number;
  readonly stopped?: string | undefined;
  readonly answered: { readonly handled: number; readonly stored: number };
}

/** What a process tells. Times are of the monotonic clock. */
export type Message =
  /** It does its work, on a port if it is a receiver. */
  | { readonly port: number }
  /** It carries out an order. */
  | { readonly struck: Order; readonly at: number }
  /** It goes on after an order to stop. */
  | { readonly awake: true }
  /** It reported an error to `onError`. */
  | { readonly code: string; readonly id?: string | undefined }
  /** The handler of an event begins. */
  | { readonly started: string; readonly start: Start }
  /** The handler of these events is about to end its transaction. `claimed` is that of their effects. */
  | { readonly ended: readonly string[]; readonly claimed: number; readonly at: number }
  /** It has returned or thrown. */
  | { readonly over: readonly string[] }
  /** The handler of these events is past its time limit. `claimed` is that of its effects. */
  | { readonly overran: readonly string[]; readonly claimed: number }
  /** What a handler does wrong, or meets. */
  | { readonly misuse: string }
  /** It kills itself. */
  | { readonly dying: true }
  /** The store has recorded an event. */
  | { readonly recorded: string; readonly at: number }
  /** It got a SIGTERM, and refuses what comes from now on. */
  | { readonly draining: number }
  /** It is drained. What was sent to it before has been read. */
  | { readonly closing: number; readonly unfinished: number }
  /** To the last question. */
  | { readonly answer: Answers[keyof Answers] }
  /** The hook for an event whose block is no longer on the chain. */
  | { readonly dropped: string; readonly at: number }
  /** A cursor is about to be written: see `CursorMove`. */
  | { readonly cursor: CursorMove }
  /** Of which events that were read from the chain a receiver answered that they were handled. */
  | { readonly madeGood: readonly string[]; readonly at: number }
  | { readonly reconciled: Reconciled }
  /** Something that must not be. */
  | { readonly broken: string; readonly id: string };

import type { Step } from './faults.js';

/** What a process is told to do to itself when it comes to a step. */
export interface Order {
  readonly act: 'kill' | 'stop' | 'term' | 'clock';
  readonly at: Step;
  /** Of `stop`: for how long it is stopped. Of `clock`: how far its wall clock is off from then on. */
  readonly ms: number;
}

/** What a process is sent: an order, that the last one is withdrawn, or a question. */
export type Command = Order | 'withdraw' | 'waiting?';

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
  /** The store has recorded an event. */
  | { readonly recorded: string; readonly at: number }
  /** It got a SIGTERM, and refuses what comes from now on. */
  | { readonly draining: number }
  /** It is drained. What was sent to it before has been read. */
  | { readonly closing: number; readonly unfinished: number }
  /** How many calls of clients, and records, are waiting. */
  | { readonly waiting: number }
  /** Something that must not be. */
  | { readonly broken: string; readonly id: string };

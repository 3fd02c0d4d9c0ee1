import type { Enqueue, OnEvent, TransactionalStore } from 'event-webhook-receiver';

/** The transaction of the suite's store. */
export interface ContractTransaction {
  /** Takes effect when the transaction commits. */
  readonly effect: (text: string) => void;
}

/** What a worker of the suite runs. Pass both to `handleMessage`, or to the worker of your queue. */
export interface ContractWorker {
  readonly onEvent: OnEvent<ContractTransaction>;
  readonly store: TransactionalStore<ContractTransaction>;
}

/** A message that the queue has given up on. */
export interface DeadMessage {
  /** The message, or text that contains it. */
  readonly text: string;
  /** Why it is dead, for the operator. */
  readonly reason: string;
}

/** A queue under test: one client of the engine. */
export interface ContractQueue {
  /** What you give `createReceiver`. */
  readonly enqueue: Enqueue;
  /**
   * Starts a worker, as your worker's program does, and survives an engine that restarts. Resolves to a function that
   * shuts the worker down: it takes no further message, and resolves once its handlers have settled.
   */
  work(worker: ContractWorker): Promise<() => Promise<unknown>>;
  /** Adds a message that `enqueue` has not written, as another program can. */
  add(text: string): Promise<unknown>;
  deadLetters(): Promise<readonly DeadMessage[]>;
  close(): Promise<unknown>;
}

/** When a message of the queue is tried again, and when it becomes a dead letter. */
export interface ContractSettings {
  readonly attempts: number;
  readonly backoffMs: number;
}

/** Opens a queue. Called with the same name again for a further client of the same queue. */
export type OpenQueue = (name: string, settings: ContractSettings) => Promise<ContractQueue>;

/** The server of the engine. */
export interface ContractServer {
  /** Kills it as a crash does (`SIGKILL`). */
  kill(): Promise<unknown>;
  /** Starts it on its files, after `kill`. */
  restart(): Promise<unknown>;
  /** Freezes it (`SIGSTOP`): connections stay open, and nothing is answered. */
  pause(): unknown;
  resume(): unknown;
}

/** Options of `queueContract`. */
export interface QueueContractOptions {
  /** The `test` of node:test (which ignores the timeout, in ms), Vitest, Jest or bun:test, called once for each case. */
  readonly test: (name: string, run: () => Promise<void>, timeoutMs?: number) => unknown;
  /** Adds cases in which the engine crashes and freezes. (Default: these cases are omitted.) */
  readonly server?: (() => ContractServer) | undefined;
  /**
   * The command of a program that calls `contractWorker`, and its arguments. Adds cases in which a worker is killed.
   * (Default: these cases are omitted.)
   */
  readonly worker?: (() => readonly string[]) | undefined;
  /**
   * Makes the engine refuse some of 1000 events, one of which is named `Unstorable`: a full disk, a limit of the queue.
   * Resolves to a function that makes room again. (Default: this case is omitted.)
   */
  readonly full?: ((name: string) => Promise<() => Promise<unknown>>) | undefined;
  /** How long the suite waits for an effect, a dead letter or a server, in ms. (Default: 60 000.) */
  readonly waitMs?: number | undefined;
  /** Whether the engine adds no message for an event that it has or had. (Default: only the store deduplicates.) */
  readonly deduplicates?: boolean | undefined;
}

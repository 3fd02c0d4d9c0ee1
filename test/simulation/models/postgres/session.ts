import { Block } from './block.js';
import { canceled, deadlock, PostgresError, terminated } from './errors.js';
import type { Host } from './host.js';
import { statementsOf } from './parser.js';
import type { Answer, Statement } from './query.js';
import { keepsSnapshot, Restart, type Run, type SessionPart, type Wait } from './run.js';
import { messageOf } from './text.js';
import { deadlineOf, type Waiting } from './timeouts.js';
import type { Transaction } from './transaction.js';
import { clientRow } from './values.js';

export interface Result {
  rows: object[];
  rowCount: number | null;
  command: string;
}
export type Done = (error: PostgresError | undefined, results: Result[]) => void;

/** A message whose statements are being run. */
interface Message {
  readonly statements: readonly Statement[];
  readonly literals: readonly string[];
  readonly arrivedAt: number;
  readonly startedAt: number;
  readonly done: Done;
  readonly results: Result[];
  at: number;
  execution: Execution | undefined;
}

interface Execution {
  readonly steps: Generator<Wait, Answer>;
  readonly run: Run;
  /** Of its transaction, before it. */
  readonly changes: number;
}

/** A backend of the server, which runs one message after the other. */
export class Session implements SessionPart {
  readonly pid: number;
  readonly #server: Host;
  readonly #block: Block;
  readonly #queue: { readonly text: string; readonly done: Done }[] = [];
  readonly #listeners: ((error: PostgresError) => void)[] = [];
  #message: Message | undefined;
  #waiting: Waiting | undefined;
  #idleSince = 0;
  #isGone = false;
  #isClosed = false;

  constructor(pid: number, server: Host, defaults: ReadonlyMap<string, string>) {
    this.pid = pid;
    this.#server = server;
    this.#block = new Block(pid, server, defaults);
  }

  /** A message. `done` is called once: at once, or when what it waits for is over. Never after `end`. */
  query(text: string, done: Done): void {
    if (this.#isClosed || this.#isGone) return;
    this.#queue.push({ text, done });
    if (!this.#message) this.#server.enter(() => this.#next());
  }

  /** The client is gone. The server notices when it has run the message that it is running, if any. */
  end(): void {
    this.#isGone = true;
    this.#queue.length = 0;
    if (!this.#message) this.#server.enter(() => this.#close());
  }

  /** The server ends the session by itself. A message under way is answered with the same error before. */
  onTerminate(listener: (error: PostgresError) => void): void {
    this.#listeners.push(listener);
  }

  /** Whether it waits for a message, outside of a transaction. */
  get isIdle(): boolean {
    return !this.#message && this.#block.state === 'none';
  }

  get state(): string {
    if (this.#message) return 'active';
    if (this.#block.state === 'none') return 'idle';
    return this.#block.state === 'open' ? 'idle in transaction' : 'idle in transaction (aborted)';
  }

  get transactionId(): number | undefined {
    return this.#block.transaction?.id;
  }

  /** Whom it waits for. */
  get waitsFor(): Transaction | undefined {
    return this.#waiting?.holder;
  }

  /** Whether versions that are deleted must be kept for it. */
  get hasSnapshot(): boolean {
    return this.#message?.execution !== undefined || this.#block.transaction?.snapshot !== undefined;
  }

  setting(name: string): string | undefined {
    return this.#block.setting(name);
  }

  settings(): Iterable<readonly [string, string]> {
    return this.#block.settings();
  }

  set(name: string, value: string, isLocal: boolean): string {
    return this.#block.set(name, value, isLocal);
  }

  cancel(error = canceled()): void {
    if (this.#waiting) this.#server.enter(() => this.#failed(error));
  }

  terminate(error = terminated()): void {
    if (!this.#isClosed) this.#server.enter(() => this.#terminated(error));
  }

  #terminated(error: PostgresError): void {
    const { done, results = [] } = this.#message ?? {};
    this.#close();
    if (this.#isGone) return;
    done?.(error, results);
    for (const listener of this.#listeners) listener(error);
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#message = undefined;
    this.#waiting = undefined;
    this.#queue.length = 0;
    this.#block.end(false);
    this.#server.left(this.pid);
  }

  #next(): void {
    const sent = this.#queue.shift();
    if (!sent || this.#isClosed) return;
    const { template, literals } = messageOf(sent.text);
    const statements = statementsOf(template);
    const [arrivedAt, startedAt] = [this.#server.now(), this.#server.monotonic()];
    const { done } = sent;
    this.#message = { statements, literals, arrivedAt, startedAt, done, results: [], at: 0, execution: undefined };
    this.#advance();
  }

  /** Runs the message until it waits or is over. */
  #advance(): void {
    const message = this.#message;
    if (!message) return;
    try {
      for (let statement = message.statements[message.at]; statement; statement = message.statements[++message.at]) {
        const wait = this.#runs(message, statement);
        if (wait) {
          this.#wait(wait);
          return;
        }
      }
      if (this.#block.state === 'none') this.#block.end(true);
    } catch (error) {
      if (!(error instanceof PostgresError)) throw error;
      this.#failed(error);
      return;
    }
    this.#answered(message, undefined);
  }

  #answered(message: Message, error: PostgresError | undefined): void {
    this.#message = undefined;
    this.#idleSince = this.#server.monotonic();
    if (this.#isGone) this.#close();
    else {
      message.done(error, message.results);
      if (!this.#message) this.#next();
    }
  }

  #failed(error: PostgresError): void {
    const message = this.#message;
    if (!message) return;
    this.#waiting = undefined;
    if (error.severity === 'FATAL') this.#terminated(error);
    else {
      message.execution = undefined;
      this.#block.fail();
      this.#answered(message, error);
    }
  }

  /** Runs a statement, or a further part of it. Returns what it waits for. */
  #runs(message: Message, statement: Statement): Wait | undefined {
    if (statement.kind !== 'work') {
      message.results.push({ rows: [], rowCount: null, command: this.#block.control(statement, message.arrivedAt) });
      return undefined;
    }
    message.execution ??= this.#execution(message, statement);
    const { steps, run, changes } = message.execution;
    try {
      const step = steps.next();
      if (!step.done) return step.value;
      const { rows, count } = step.value;
      message.results.push({ rows: rows.map(clientRow), rowCount: count, command: statement.command });
      message.execution = undefined;
      return undefined;
    } catch (restart) {
      if (!(restart instanceof Restart)) throw restart;
      run.transaction.undo(changes);
      run.once.clear();
      run.named.clear();
      run.sleeps = 0;
      message.execution = { steps: statement.execute(run), run, changes };
      return restart.wait;
    }
  }

  #execution({ literals, arrivedAt }: Message, statement: Statement & { kind: 'work' }): Execution {
    const transaction = this.#block.forStatement(arrivedAt);
    let snapshot = this.#server.commits;
    if (keepsSnapshot(transaction.isolation) && statement.command !== 'SET' && statement.command !== 'SHOW') {
      transaction.snapshot ??= snapshot;
      snapshot = transaction.snapshot;
    }
    const run: Run = {
      server: this.#server,
      session: this,
      transaction,
      literals,
      arrivedAt,
      snapshot,
      named: new Map(),
      once: new Map(),
      outerReads: 0,
      sleeps: 0,
      slept: 0,
    };
    if (statement.constants.length > 0) {
      const scope = { run, outer: undefined, aliases: [], rows: [] };
      for (const constant of statement.constants) constant.evaluate(scope);
    }
    return { steps: statement.execute(run), run, changes: transaction.changes.length };
  }

  #wait(wait: Wait): void {
    const since = this.#server.monotonic();
    const holder = 'holder' in wait ? wait.holder : undefined;
    const until = 'sleepMs' in wait ? since + wait.sleepMs : undefined;
    const waiting: Waiting = { holder, until, since, isChecked: false };
    this.#waiting = waiting;
    holder?.waiters.push(() => this.#server.soon(() => this.#resume(waiting)));
  }

  #resume(waiting: Waiting): void {
    if (this.#waiting !== waiting) return;
    this.#waiting = undefined;
    this.#advance();
  }

  /** When it must be woken, in ms of the monotonic clock. */
  wakeAt(): number | undefined {
    return deadlineOf(this.#clocks())?.at;
  }

  #clocks() {
    const { startedAt } = this.#message ?? {};
    return { block: this.#block, waiting: this.#waiting, messageAt: startedAt, idleSince: this.#idleSince };
  }

  /** Does what is due. */
  wake(): void {
    for (let due = this.#due(); due; due = this.#due()) {
      const { what } = due;
      if (what === 'sleep') this.#slept();
      else if (what === 'deadlock') this.#checkDeadlock();
      else if (what.severity === 'FATAL') this.terminate(what);
      else this.cancel(what);
    }
  }

  #due() {
    const next = this.#isClosed ? undefined : deadlineOf(this.#clocks());
    return next && next.at <= this.#server.monotonic() ? next : undefined;
  }

  #slept(): void {
    const [waiting, run] = [this.#waiting, this.#message?.execution?.run];
    if (!waiting || !run) return;
    run.slept++;
    this.#server.enter(() => this.#resume(waiting));
  }

  #checkDeadlock(): void {
    if (this.#waiting) this.#waiting.isChecked = true;
    if (this.#server.isDeadlocked(this.pid)) this.cancel(deadlock());
  }
}

import { Worker } from 'node:worker_threads';
import type { Answer, Request } from './messages.js';

/** A thread that does not finish one schedule within this real time is ended: its schedule does not end. */
const STUCK_MS = 20_000;

interface Task {
  readonly request: Request;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** A request that its thread did not finish, and the schedule that it was playing. */
export class StuckError extends Error {
  override readonly name = 'StuckError';
  constructor(readonly seed: number) {
    super(`A schedule did not end within ${STUCK_MS / 1000} s.`);
  }
}

/** Threads that play schedules. Each gets the next request as soon as it is free. */
export class Threads {
  readonly #program: string;
  readonly #stuckMs: number;
  readonly #waiting: Task[] = [];
  readonly #all = new Set<Thread>();

  constructor(program: string, count: number, stuckMs = STUCK_MS) {
    this.#program = program;
    this.#stuckMs = stuckMs;
    for (let index = 0; index < count; index++) this.#start();
  }

  get count(): number {
    return this.#all.size;
  }

  ask(request: Request): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    for (const { reject } of this.#waiting.splice(0)) reject(new Error('The threads were closed.'));
    await Promise.all([...this.#all].map((thread) => thread.end()));
  }

  #start(): void {
    const thread = new Thread(this.#program, this.#stuckMs, (isLost) => {
      if (isLost) {
        this.#all.delete(thread);
        void thread.end();
        this.#start();
      }
      this.#next();
    });
    this.#all.add(thread);
  }

  #next(): void {
    for (const thread of this.#all) {
      if (thread.isBusy) continue;
      const task = this.#waiting.shift();
      if (task === undefined) return;
      thread.take(task);
    }
  }
}

/** One thread, watched: it counts the schedules that it has begun in shared memory. */
class Thread {
  readonly #worker: Worker;
  /** How many schedules it has begun, and the seed of the last one. */
  readonly #progress = new Float64Array(new SharedArrayBuffer(16));
  readonly #stuckMs: number;
  readonly #freed: (isLost: boolean) => void;
  #task: Task | undefined;
  #watch: NodeJS.Timeout | undefined;

  constructor(program: string, stuckMs: number, freed: (isLost: boolean) => void) {
    this.#stuckMs = stuckMs;
    this.#freed = freed;
    this.#worker = new Worker(program, { eval: true, workerData: this.#progress });
    this.#worker.unref();
    this.#worker.on('message', ({ answer, error }: { answer?: Answer; error?: string }) => {
      this.#settle((task) => (answer ? task.resolve(answer) : task.reject(new Error(error))), false);
    });
    this.#worker.on('error', (error) => this.#settle((task) => task.reject(error), true));
  }

  get isBusy(): boolean {
    return this.#task !== undefined;
  }

  take(task: Task): void {
    this.#task = task;
    this.#worker.ref();
    this.#worker.postMessage(task.request);
    let before = this.#progress[0];
    this.#watch = setInterval(() => {
      if (this.#progress[0] === before) {
        this.#settle(({ reject }) => reject(new StuckError(this.#progress[1] ?? 0)), true);
      }
      before = this.#progress[0];
    }, this.#stuckMs);
  }

  async end(): Promise<void> {
    this.#settle((task) => task.reject(new Error('The thread was ended.')), false);
    await this.#worker.terminate();
  }

  #settle(tell: (task: Task) => void, isLost: boolean): void {
    const task = this.#task;
    if (task === undefined) return;
    this.#task = undefined;
    clearInterval(this.#watch);
    this.#worker.unref();
    tell(task);
    this.#freed(isLost);
  }
}

import { Worker } from 'node:worker_threads';

/** Limits of a task. A task that exceeds one is stopped. */
export interface Limits {
  /** Counted from when the thread has started. */
  readonly timeMs: number;
  /** JavaScript heap of the thread, in MiB. Memory outside the heap is linear in the input. */
  readonly heapMiB: number;
}

/**
 * Why a task has no result: it exceeded a limit or crashed, no thread could be started, too many tasks are waiting, or
 * `close` was called.
 */
export type Undone = 'stopped' | 'unstarted' | 'full' | 'closed';
export type Outcome<Result> = { readonly result: Result } | { readonly undone: Undone };

/** The message of a task, and who waits for its answer. */
interface Job {
  readonly task: unknown;
  settle(outcome: Outcome<unknown>): void;
}

/** Maximum number of waiting tasks; more are refused. */
const MOST_WAITING = 100;

/**
 * Runs tasks on untrusted bytes in one worker thread, one at a time, without blocking the event loop. The thread starts
 * with the first task, and again after it was stopped. A single allocation that exceeds the heap ends the whole process,
 * so tasks must be linear in their input (tested in test/explain).
 *
 * @param thread The module that the thread runs. It answers each message with one message.
 * @param holdsProcess Whether a running task keeps this process from ending.
 */
export function createConfined(thread: URL, limits: Limits, holdsProcess = true) {
  const waiting: Job[] = [];
  let running: Job | undefined;
  let worker: Worker | undefined;
  let isOnline = false;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function start(): Worker {
    const { NODE_OPTIONS } = process.env;
    const started = new Worker(thread, {
      resourceLimits: { maxOldGenerationSizeMb: limits.heapMiB, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
      // Without secrets. NODE_OPTIONS may load a package manager's resolver.
      env: NODE_OPTIONS === undefined ? {} : { NODE_OPTIONS },
      execArgv: [],
      stdout: true,
      stderr: true,
    });
    const ended = (why: Undone) => {
      if (started === worker) stop(why);
    };
    // Tasks make no system calls, but starting a thread does.
    started.on('error', ({ code = '' }: NodeJS.ErrnoException) =>
      ended(/^(ERR_WORKER_INIT_FAILED|E[A-Z]+)$/.test(code) ? 'unstarted' : 'stopped'),
    );
    started.on('exit', () => ended('stopped'));
    started.on('online', () => {
      if (started !== worker) return;
      isOnline = true;
      limitTime();
    });
    started.on('message', (result: unknown) => {
      if (started === worker) finish({ result });
    });
    return started;
  }

  function limitTime(): void {
    timer = setTimeout(stop, limits.timeMs, 'stopped');
    if (!holdsProcess) timer.unref();
  }

  function next(): void {
    if (running !== undefined) return;
    running = waiting.shift();
    if (running === undefined) return;
    try {
      worker ??= start();
      if (holdsProcess) worker.ref();
      else worker.unref();
      worker.postMessage(running.task);
      if (isOnline) limitTime();
    } catch {
      // The system is out of memory or threads.
      stop('unstarted');
    }
  }

  function finish(outcome: Outcome<unknown>): void {
    const job = running;
    running = undefined;
    clearTimeout(timer);
    worker?.unref();
    job?.settle(outcome);
    next();
  }

  function stop(undone: Undone): void {
    const ended = worker;
    worker = undefined;
    isOnline = false;
    void ended?.terminate();
    finish({ undone });
  }

  return {
    /** Never rejects. With `first`, the task runs before those that wait. */
    run: (task: unknown, first = false) =>
      new Promise<Outcome<unknown>>((settle) => {
        if (isClosed) return settle({ undone: 'closed' });
        if (waiting.length >= MOST_WAITING && !first) return settle({ undone: 'full' });
        if (first) waiting.unshift({ task, settle });
        else waiting.push({ task, settle });
        next();
      }),
    /** Stops the running task. */
    close() {
      isClosed = true;
      for (const { settle } of waiting.splice(0)) settle({ undone: 'closed' });
      stop('closed');
    },
  };
}

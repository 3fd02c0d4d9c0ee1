import { type ChildProcess, fork } from 'node:child_process';
import { processFile } from './explain-files.js';

/** What one task may take before it is stopped. */
export interface Limits {
  readonly timeMs: number;
  /** Of the JavaScript heap of the thread, in MiB. */
  readonly heapMiB: number;
  /** Of the whole process, buffers outside of the heap included, in MiB. */
  readonly memoryMiB: number;
}

/**
 * Why a task has no result: it exceeded a limit, or crashed; no process could be started; too many are waiting; or all of it
 * was closed.
 */
export type Undone = 'stopped' | 'unstarted' | 'full' | 'closed';

/** Runs tasks that strangers' bytes are part of, one at a time, where they can delay and crash nothing else. */
export interface Confined<Task, Result> {
  /** Never rejects. With `first`, it goes before those that wait without. */
  run(task: Task, first?: boolean): Promise<{ result: Result } | { undone: Undone }>;
  /** Ends at once what is running. */
  close(): void;
}

interface Job<Task, Result> {
  readonly task: Task;
  settle(outcome: { result: Result } | { undone: Undone }): void;
}

/** Tasks that wait; more are refused. */
const MOST_WAITING = 100;

/**
 * Runs tasks in a worker thread of a separate process, started with the first task and again when it was ended.
 * A thread alone would not do: when its heap cannot hold a single large allocation, V8 ends the whole process, and
 * `terminate` waits for native code such as JSON.parse. A process can always be killed.
 *
 * @param thread The file that the thread runs: it answers each message with one.
 */
export function createConfined<Task, Result>(thread: URL, limits: Limits): Confined<Task, Result> {
  const urgent: Job<Task, Result>[] = [];
  const waiting: Job<Task, Result>[] = [];
  let running: Job<Task, Result> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let child: ChildProcess | undefined;
  let isClosed = false;

  function start(): ChildProcess {
    const started = fork(processFile, [JSON.stringify({ thread, ...limits })], {
      // It gets neither the secret that may be in the environment nor a debugger's port, but what a package manager loads files with.
      env: { NODE_OPTIONS: process.env.NODE_OPTIONS },
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    });
    const ended = (undone: Undone) => () => {
      if (started === child) stop(undone);
    };
    started.on('error', ended('unstarted')).on('exit', ended('stopped'));
    started.on('message', (result) => {
      if (started === child) finish({ result: result as Result });
    });
    // It keeps this process alive while it works for it, and no longer.
    started.unref();
    return started;
  }

  function next(): void {
    if (running !== undefined) return;
    running = urgent.shift() ?? waiting.shift();
    if (running === undefined) return;
    timer = setTimeout(stop, limits.timeMs, 'stopped');
    try {
      child ??= start();
      child.channel?.ref();
      // A process that is gone tells so itself.
      child.send(running.task as object, () => {});
    } catch {
      // There are no file descriptors left, or no memory.
      stop('unstarted');
    }
  }

  function finish(outcome: { result: Result } | { undone: Undone }): void {
    const job = running;
    running = undefined;
    clearTimeout(timer);
    child?.channel?.unref();
    job?.settle(outcome);
    next();
  }

  function stop(undone: Undone): void {
    const ended = child;
    child = undefined;
    // Without a process, it would kill the group that this one is in.
    if (ended?.pid !== undefined) ended.kill('SIGKILL');
    finish({ undone });
  }

  return {
    run: (task, first = false) =>
      new Promise((resolve) => {
        const queue = first ? urgent : waiting;
        if (isClosed) return resolve({ undone: 'closed' });
        if (queue.length >= MOST_WAITING) return resolve({ undone: 'full' });
        queue.push({ task, settle: resolve });
        next();
      }),
    close() {
      isClosed = true;
      for (const { settle } of [...urgent.splice(0), ...waiting.splice(0)]) settle({ undone: 'closed' });
      stop('closed');
    },
  };
}

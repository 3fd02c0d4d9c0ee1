import { type ChildProcess, fork } from 'node:child_process';
import { processFile } from './explain-files.js';

/** Limits of one task. Beyond them it is stopped. */
export interface Limits {
  readonly timeMs: number;
  /** JavaScript heap of the thread, in MiB. */
  readonly heapMiB: number;
  /** Whole process, including buffers outside the heap, in MiB. */
  readonly memoryMiB: number;
}

/**
 * Why a task has no result: it exceeded a limit or crashed; no process could be started; too many tasks are waiting; or
 * `close` was called.
 */
export type Undone = 'stopped' | 'unstarted' | 'full' | 'closed';

/** Runs tasks on untrusted bytes, one at a time, where they cannot delay or crash anything else. */
export interface Confined<Task, Result> {
  /** Never rejects. With `first`, the task goes before waiting tasks without it. */
  run(task: Task, first?: boolean): Promise<{ result: Result } | { undone: Undone }>;
  /** Stops the running task at once. */
  close(): void;
}

interface Job<Task, Result> {
  readonly task: Task;
  settle(outcome: { result: Result } | { undone: Undone }): void;
}

/** Limit of waiting tasks; more are refused. */
const MOST_WAITING = 100;
/** Time limit for the process to start, which takes longer on a busy machine. */
const START_MS = 30_000;

/**
 * Runs tasks in a worker thread of a separate process, which starts with the first task and restarts after it was
 * stopped. A thread alone would not do: when a large allocation does not fit its heap, V8 ends the whole process, and
 * `terminate` waits for native code such as JSON.parse. A process can always be killed.
 *
 * @param thread The module that the thread runs. It answers each message with one message.
 * @param holdsProcess Whether a running task keeps this process from ending.
 */
export function createConfined<Task, Result>(thread: URL, limits: Limits, holdsProcess = true): Confined<Task, Result> {
  const urgent: Job<Task, Result>[] = [];
  const waiting: Job<Task, Result>[] = [];
  let running: Job<Task, Result> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let child: ChildProcess | undefined;
  let isClosed = false;

  function start(): ChildProcess {
    const started = fork(processFile, [JSON.stringify({ thread, ...limits })], {
      // Passes on neither secrets in the environment nor a debugger's port; NODE_OPTIONS may load a package manager's resolver.
      env: { NODE_OPTIONS: process.env.NODE_OPTIONS },
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    });
    const ended = (undone: Undone) => () => {
      if (started === child) stop(undone);
    };
    started.on('error', ended('unstarted')).on('exit', ended('stopped'));
    // Its first message says that it runs: only from then on does the time of the task count.
    let runs = false;
    started.on('message', (result) => {
      if (started !== child) return;
      if (runs) finish({ result: result as Result });
      else limitTo(limits.timeMs, 'stopped');
      runs = true;
    });
    // The child keeps this process alive only while a task runs, if at all.
    started.unref();
    started.channel?.unref();
    return started;
  }

  function limitTo(ms: number, undone: Undone): void {
    clearTimeout(timer);
    timer = setTimeout(stop, ms, undone);
    if (!holdsProcess) timer.unref();
  }

  function next(): void {
    if (running !== undefined) return;
    running = urgent.shift() ?? waiting.shift();
    if (running === undefined) return;
    if (child) limitTo(limits.timeMs, 'stopped');
    else limitTo(START_MS, 'unstarted');
    try {
      child ??= start();
      if (holdsProcess) child.channel?.ref();
      // If the process is gone, its exit event reports it.
      child.send(running.task as object, () => {});
    } catch {
      // Out of file descriptors or memory.
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
    // Without a pid, the signal would go to this process's own group.
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

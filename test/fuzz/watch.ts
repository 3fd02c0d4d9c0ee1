import { Worker } from 'node:worker_threads';
import type { Bundle } from './bundle.js';
import { type Done, type Message, Progress, type Request } from './messages.js';

const POLL_MS = 100;
/** A thread is ended when one input takes so many times its limit. */
const PATIENCE = 5;
const MOST_HEAP_MB = 512;
/** Growth of the process by one input: buffers are outside the heap of the thread. */
const MOST_RSS = 1.5 * 1024 ** 3;

/** Why a thread ended before its time, and the input that it ran. */
export interface Lost {
  readonly message: string;
  readonly input: Buffer;
  readonly executions: number;
}

export type Task = Omit<Request, 'shared' | 'edges' | 'words'>;

/**
 * Runs a bundle in a thread with a bounded heap. The thread is ended when an input does not end, or takes the memory of
 * the process. Resolves with what it tells at its end, or with the input that it did not survive.
 */
export function watch(bundle: Bundle, task: Task, tell: (message: Message) => void): Promise<Done | Lost> {
  const { program, edges, literals: words } = bundle;
  const progress = new Progress();
  const worker = new Worker(program, {
    eval: true,
    workerData: { ...task, edges, words, shared: progress.shared } satisfies Request,
    execArgv: ['--no-deprecation', '--no-warnings'],
    resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB },
  });
  return new Promise((resolve, reject) => {
    let mostMs = Infinity;
    let [before, since, rss] = [-1, performance.now(), process.memoryUsage.rss()];
    const timer = setInterval(look, POLL_MS);

    function settle(outcome: Done | Lost): void {
      clearInterval(timer);
      resolve(outcome);
    }
    function lose(message: string): void {
      settle({ message, input: progress.input, executions: progress.executions });
      void worker.terminate();
    }

    function look(): void {
      const now = progress.executions;
      if (now !== before || !progress.isRunning) {
        [before, since, rss] = [now, performance.now(), process.memoryUsage.rss()];
      } else if (performance.now() - since > PATIENCE * mostMs) {
        lose(`does not end within ${PATIENCE * mostMs} ms`);
      } else if (process.memoryUsage.rss() - rss > MOST_RSS) {
        lose('takes the memory of the process');
      }
    }
    worker.on('message', (message: Message) => {
      if (message.kind === 'ready') mostMs = message.mostMs;
      else if (message.kind === 'done') {
        // It ends by itself, and removes its files.
        worker.postMessage('end');
        settle(message);
      } else if (message.kind === 'broken') {
        clearInterval(timer);
        reject(new Error(message.message));
        void worker.terminate();
      } else tell(message);
    });
    worker.on('error', (error: NodeJS.ErrnoException) => {
      lose(
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? 'takes the memory of its thread'
          : `ends its thread: ${error.stack}`,
      );
    });
    worker.on('exit', (code) => lose(`ends its thread with code ${code}`));
  });
}

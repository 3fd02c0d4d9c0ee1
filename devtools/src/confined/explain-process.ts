import { setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Limits } from './confined.js';

// The process that confined.ts starts. It watches the thread that does the work, and stays responsive so that it ends with
// its parent, whatever the thread does.

const { thread, heapMiB, memoryMiB } = JSON.parse(process.argv[2] ?? '') as Limits & { thread: string };
/** How often memory is looked at while a task runs. */
const WATCH_MS = 20;

/** Ends at once: `process.exit` waits for native code that the thread is in. */
const end = () => process.kill(process.pid, 'SIGKILL');

try {
  // Deliveries come first where processors are few.
  setPriority(10);
} catch {
  // Not everywhere is that allowed.
}
// A signal for the whole group, such as Ctrl+C, is for the parent, which closes this.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('disconnect', end);
// It may have ended before this was loaded.
if (!process.connected) end();

const worker = new Worker(new URL(thread), {
  resourceLimits: { maxOldGenerationSizeMb: heapMiB, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
});
worker.on('error', end).on('exit', end);

let watch: NodeJS.Timeout | undefined;
process.on('message', (task) => {
  watch ??= setInterval(() => {
    if (process.memoryUsage.rss() > memoryMiB * 1024 * 1024) end();
  }, WATCH_MS);
  worker.postMessage(task);
});
worker.on('message', (result) => {
  clearInterval(watch);
  watch = undefined;
  process.send?.(result);
});

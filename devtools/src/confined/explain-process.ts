import { setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Limits } from './confined.js';

// The process that confined.ts starts. It watches the thread that does the work, and stays responsive so that it ends with
// its parent, whatever the thread does.

const { thread, heapMiB, memoryMiB } = JSON.parse(process.argv[2] ?? '') as Limits & { thread: string };
/** How often memory is checked while a task runs. */
const WATCH_MS = 20;

/** Exits at once: `process.exit` would wait for native code in the thread. */
const end = () => process.kill(process.pid, 'SIGKILL');

try {
  // Receiving deliveries has priority when processors are busy.
  setPriority(10);
} catch {
  // Not allowed everywhere.
}
// Ctrl+C signals the whole group. The parent handles it and closes this process.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('disconnect', end);
// The parent may have exited while this module was loading.
if (!process.connected) end();

const worker = new Worker(new URL(thread), {
  resourceLimits: { maxOldGenerationSizeMb: heapMiB, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
});
worker.on('error', end).on('exit', end);
worker.once('online', () => process.send?.('online'));

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

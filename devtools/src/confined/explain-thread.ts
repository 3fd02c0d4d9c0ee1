import { parentPort } from 'node:worker_threads';
import { type Tasks, tasks } from './explain-tasks.js';

// The thread of confined.ts. It does all slow work on untrusted bytes.
parentPort?.on('message', ([name, ...args]: [keyof Tasks, ...never[]]) => {
  const task: (...args: never[]) => unknown = tasks[name];
  parentPort?.postMessage(task(...args));
});

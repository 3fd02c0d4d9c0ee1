import { parentPort } from 'node:worker_threads';
import { perform, type Task } from './explain-tasks.js';

// The thread of confined.ts. It does all slow work on untrusted bytes.
parentPort?.on('message', (task: Task) => parentPort?.postMessage(perform(task)));

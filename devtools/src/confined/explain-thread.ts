import { parentPort } from 'node:worker_threads';
import { perform, type Task } from './explain-tasks.js';

// The thread in which src/workbench/explain-process.ts has everything done that takes long on bytes of strangers.
parentPort?.on('message', (task: Task) => parentPort?.postMessage(perform(task)));

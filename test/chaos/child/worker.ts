import { startWorker } from './engines.js';
import { ready } from './steps.js';

await startWorker();
ready();

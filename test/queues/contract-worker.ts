// The worker that queueContract kills.
import { contractWorker } from '../../devtools/src/queue-contract/index.js';
import { engines } from './engines.js';

const [, , name, url = ''] = process.argv;
await contractWorker((queue, settings) => engines[name as keyof typeof engines](url, queue, settings, 400));

// The worker that queueContract kills.
import { contractWorker } from '../../devtools/src/queue-contract/index.js';
import { type EngineName, opener } from './engines.js';

const [, , name, url = ''] = process.argv;
const open = await opener(name as EngineName);
await contractWorker((queue, settings) => open(url, queue, settings, 400));

// The worker that queueContract kills.
import { contractWorker } from '../../devtools/src/queue-contract/index.js';
import { type EngineName, opener } from './engines.js';
import { type Defect, openTable } from './table-queue.js';

const [, , name, url = '', defect] = process.argv;
const open = await opener(name as EngineName);
await contractWorker((queue, settings) => {
  return defect ? openTable(url, queue, settings, defect as Defect) : open(url, queue, settings, 400);
});

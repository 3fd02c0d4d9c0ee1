// A processor that BullMQ runs in a separate process.
import { finalityOf } from '../../../src/chain/finality/stage.js';
import { memoryStore } from '../../../src/index.js';
import { bullmqWorker } from '../../../src/queues/bullmq/index.js';

let checks = 0;

const processor: ReturnType<typeof bullmqWorker> = bullmqWorker({
  store: memoryStore(),
  finality: finalityOf({
    check: async (events) =>
      events.map(() => (++checks < 3 ? { status: 'pending', retryAfterMs: 100 } : { status: 'final' })),
  }),
  onEvent() {
    if (checks !== 3) throw new Error(`handled after ${checks} checks`);
  },
});

export default processor;

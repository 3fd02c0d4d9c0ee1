import { type Cases, deliveryCases, failureCases, fullCases, serverCases, workerCases } from './cases.js';
import type { OpenQueue, QueueContractOptions } from './options.js';
import { Trial } from './trial.js';

export type {
  ContractQueue,
  ContractServer,
  ContractSettings,
  ContractTransaction,
  ContractWorker,
  DeadMessage,
  OpenQueue,
  QueueContractOptions,
} from './options.js';
export { contractWorker } from './worker.js';

/** Every wait of a case has its own, shorter limit, whose error names what is missing. */
const CASE_TIMEOUT_MS = 240_000;

/**
 * Registers the contract of a queue with a test runner: the suite that BullMQ, pg-boss and the programs of the queue
 * pages pass. Between a receiver with your `enqueue` and your worker, it repeats, copies and breaks messages, fails
 * handlers, and kills the engine and the worker. Every acknowledged event must take effect once, in a transactional store of the suite.
 *
 * It does not test how fast the queue is, or whether its server survives a power failure.
 *
 * @example
 * ```ts
 * import { test } from 'node:test';
 * import { type OpenQueue, queueContract } from 'event-webhooks/queue-contract';
 *
 * declare const openQueue: OpenQueue; // opens your queue
 *
 * queueContract(openQueue, { test, worker: () => ['node', 'contract-worker.js'] });
 * ```
 * @param open Opens your queue.
 * @param options `test`, and what the suite can do to the engine and the worker.
 */
export function queueContract(open: OpenQueue, options: QueueContractOptions): void {
  const { server, worker, full } = options;
  const groups: Readonly<Record<string, Cases>> = {
    deliveries: deliveryCases,
    failures: failureCases,
    ...(server && { 'a crash of the engine': serverCases }),
    ...(worker && { 'a killed worker': workerCases }),
    ...(full && { 'a full engine': fullCases }),
  };
  for (const [group, cases] of Object.entries(groups)) {
    for (const [title, run] of Object.entries(cases)) {
      const test = async () => {
        const trial = new Trial(open, options);
        await trial.start();
        try {
          await run(trial);
        } finally {
          await trial.end();
        }
      };
      options.test(`${group}: ${title}`, test, CASE_TIMEOUT_MS);
    }
  }
}

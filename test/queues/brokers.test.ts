import { describe } from 'vitest';
import { hasNats, hasRabbitmq, startNats, startRabbitmq } from '../servers/brokers.js';
import { engineContract } from './contract.js';
import { hasExamples, testing } from './engines.js';

describe.skipIf(!hasNats || !hasExamples)('examples/queues/nats.ts', () => {
  const full = async (url: string, queue: string) => (await testing()).fillNats(url, queue);
  engineContract({ start: startNats, name: 'openNatsQueue', deduplicates: false, full });
});

describe.skipIf(!hasRabbitmq || !hasExamples)('examples/queues/rabbitmq.ts', () => {
  let control: (...args: string[]) => void;
  const start = async () => {
    const server = await startRabbitmq();
    ({ control } = server);
    return server;
  };
  const full = async (_: string, queue: string) => {
    const limit = (length: number) =>
      control('set_policy', 'full', `^${queue}$`, JSON.stringify({ 'max-length': length, overflow: 'reject-publish' }));
    limit(100);
    return async () => limit(100_000);
  };
  engineContract({ start, name: 'openRabbitmqQueue', deduplicates: false, full });
});

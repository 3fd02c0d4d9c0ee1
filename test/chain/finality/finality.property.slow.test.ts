import { expect, it } from 'vitest';
import { chainFinality } from '../../../src/chain/index.js';
import { logIdentity } from '../../../src/evm/index.js';
import { createReceiver, type EventEmitted, type WebhookEvent } from '../../../src/index.js';
import { createTestDelivery } from '../../../src/testing/index.js';
import { createRandom } from '../../chaos/random.js';
import { fc } from '../../fixtures/property.js';
import { secret } from '../../helpers.js';
import { nodeWith } from './checking.js';
import { History, nameOf } from './history.js';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** Lives through a history; returns what was handled and dropped, and what was wrong at that moment. */
async function live(seed: number, lies: number) {
  const random = createRandom(seed);
  const node = await nodeWith(0, 0);
  const history = new History(node, random);
  const [handled, dropped, wrong] = [[] as string[], [] as string[], [] as string[]];
  let ms = Date.now();

  const receiver = createReceiver({
    secret,
    logger: quiet,
    idempotencyKey: (event: WebhookEvent) => logIdentity(event, { chainId: 31337 }),
    finality: chainFinality({
      rpcUrl: node.url,
      level: 'finalized',
      chainId: 31337,
      wait: 'redelivery',
      logger: quiet,
      now: () => ms,
    }),
    onEvent(event) {
      handled.push(nameOf(event as EventEmitted));
      if (!history.isFinal(event as EventEmitted)) wrong.push(`handled too early: ${nameOf(event as EventEmitted)}`);
    },
    onDropped(event) {
      dropped.push(nameOf(event as EventEmitted));
      if (!history.isReplaced(event as EventEmitted)) wrong.push(`dropped: ${nameOf(event as EventEmitted)}`);
    },
  });
  const waiting: EventEmitted[][] = [];

  async function deliver(events: EventEmitted[]): Promise<void> {
    const { body, signature, timestamp } = createTestDelivery(events, { secret });
    const { status } = await receiver.handle({ rawBody: body, signature, timestamp });
    if (status !== 200) waiting.push(events);
  }

  history.misbehave(lies);
  for (let step = 0; step < 25; step++) {
    const events = history.step();
    while (events.length > 0) {
      const delivery = events.splice(0, random.int(1, 4));
      waiting.push(delivery);
      if (random.chance(0.2)) waiting.push(delivery.map((event) => ({ ...event, id: random.uuid() })));
    }
    ms += random.int(500, 20_000);
    const now = random.shuffle(waiting.splice(0));
    waiting.push(...now.splice(8));
    while (now.length > 0) await Promise.all(now.splice(0, 3).map(deliver));
  }
  history.end();
  for (let rounds = 0; rounds < 20 && waiting.length > 0; rounds++) {
    ms += 20_000;
    for (const delivery of random.shuffle(waiting.splice(0))) await deliver(delivery);
  }
  await node.stop();
  return { handled, dropped, wrong, waiting, expected: history.finalLogs() };
}

it('handles exactly the events of the final chain, each once and none too early, whatever nodes and re-orgs do', {
  timeout: 240_000,
}, async () => {
  let drops = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.constantFrom(0, 0.02, 0.1, 0.3), async (seed, lies) => {
      const { handled, dropped, wrong, waiting, expected } = await live(seed, lies);
      expect(wrong).toEqual([]);
      expect(waiting).toEqual([]);
      expect(handled.toSorted()).toEqual(expected.toSorted());
      drops += dropped.length;
    }),
    { numRuns: Number(process.env.FINALITY_RUNS ?? 8) },
  );
  expect(drops).toBeGreaterThan(0);
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chainSource, type ReconcileOptions, type ReconcileReport, reconcile } from '../../../src/chain/index.js';
import { logIdentity } from '../../../src/evm/index.js';
import { createReceiver, memoryStore, type Receiver, type WebhookEvent } from '../../../src/index.js';
import { createRandom } from '../../chaos/random.js';
import { secret, signed } from '../../helpers.js';
import { type Chain, openChain } from '../../real-chain/chain.js';
import { sendTraffic } from '../../real-chain/traffic.js';
import { hasAnvil, needsAnvil } from '../../servers/anvil.js';
import { createRecorder, watch } from '../watching.js';
import { chainId, keptCursor } from './reconciling.js';

const SEED = Number(process.env.CHAIN_SEED ?? 4231);
/** How far anvil's `finalized` block is behind. */
const FINAL_DEPTH = 64;
const identity = (event: WebhookEvent) => logIdentity(event, { chainId });

describe.skipIf(!hasAnvil)(`reconcile on a real chain${needsAnvil}`, { timeout: 90_000 }, () => {
  const random = createRandom(SEED);
  let chain: Chain;
  /** What watchChain passes on, which is what the service would deliver. */
  let sent: WebhookEvent[];

  beforeAll(async () => {
    chain = await openChain();
    await sendTraffic(chain, random, 300);
    await chain.client.mine({ blocks: FINAL_DEPTH });
    sent = await watched();
  }, 90_000);
  afterAll(() => chain?.close());

  const contracts = () => chain.deployed.map((contract) => ({ ...contract, name: contract.label }));
  const rpcUrl = () => chain.client.transport.url ?? '';

  async function watched(): Promise<WebhookEvent[]> {
    const recorder = createRecorder();
    const head = Number(await chain.client.getBlockNumber({ cacheTime: 0 }));
    const watcher = await watch(recorder, { rpcUrl: rpcUrl(), contracts: contracts() });
    await recorder.until(() => watcher.blockNumber === head);
    await watcher.close();
    return recorder.groups.flat();
  }

  function start(): { receiver: Receiver; handled: string[] } {
    const handled: string[] = [];
    const store = { ...memoryStore(), rememberedSince: () => 0 };
    const onEvents = (entries: readonly { event: WebhookEvent }[]) => {
      for (const { event } of entries) handled.push(identity(event));
    };
    return { receiver: createReceiver({ secret, idempotencyKey: identity, store, onEvents }), handled };
  }

  function run(receiver: Receiver, options: Partial<ReconcileOptions> = {}): Promise<ReconcileReport> {
    const source = chainSource({ rpcUrl: rpcUrl(), contracts: contracts(), chainId, maxRange: 25, minAgeSeconds: 0 });
    return reconcile({ source, receiver, from: 0, cursor: keptCursor(), ...options });
  }

  it('makes good every log up to the finalized block, once, in the order of the chain', async () => {
    const { receiver, handled } = start();
    const report = await run(receiver);
    expect(report.stopped).toBeUndefined();
    expect(handled).toEqual(sent.map(identity));
    expect(report).toMatchObject({ found: sent.length, repaired: sent.length, present: 0, failed: 0 });
    expect(report.final).toBe((report.head ?? 0) - FINAL_DEPTH);
    expect(report.to).toBe(report.final);
  });

  it('finds what was delivered, in any order and repeatedly, and handles the rest', async () => {
    const { receiver, handled } = start();
    const delivered = sent.filter(() => random.int(0, 2) > 0).map((event) => ({ ...event, id: crypto.randomUUID() }));
    for (let at = 0; at < 40; at++) {
      const some = Array.from({ length: 10 }, () => random.pick(delivered));
      const { status } = await receiver.handle(signed(some, { timestamp: Math.floor(Date.now() / 1000) }));
      expect(status).toBe(200);
    }
    const before = new Set(handled).size;
    expect(before).toBe(handled.length);
    const look = await run(receiver, { handle: false, cursor: undefined });
    expect(look).toMatchObject({ present: before, missing: sent.length - before, repaired: 0 });
    const report = await run(receiver);
    expect(report).toMatchObject({ present: before, repaired: sent.length - before, failed: 0 });
    expect([...handled].sort()).toEqual(sent.map(identity).sort());
  });
});

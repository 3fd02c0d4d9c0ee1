import type { Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chainSource, reconcile, type WatchChainOptions } from '../../src/chain/index.js';
import { decodeTransaction, isRemoved, logIdentity, rawLog } from '../../src/evm/index.js';
import {
  createReceiver,
  type EventEmitted,
  memoryStore,
  type TransactionIncluded,
  type WebhookEvent,
} from '../../src/index.js';
import { createRandom } from '../chaos/random.js';
import { plain } from '../evm/arbitrary-wire.js';
import { secret, signed } from '../helpers.js';
import { type Chain, type Happened, openChain } from '../real-chain/chain.js';
import { functionOf } from '../real-chain/decoded.js';
import { type SentCall, sendTraffic } from '../real-chain/traffic.js';
import { createWire } from '../real-chain/wire.js';
import { hasAnvil, needsAnvil } from '../servers/anvil.js';
import { eventOf, finalityOf } from './finality/checking.js';
import { chainId, keptCursor } from './reconcile/reconciling.js';
import { createRecorder, isEmitted, type Recorder, received, watch } from './watching.js';

const SEED = Number(process.env.CHAIN_SEED ?? 4231);
const identity = (event: WebhookEvent) => logIdentity(event, { chainId });

describe.skipIf(!hasAnvil)(`on a real chain${needsAnvil}`, { timeout: 60_000 }, () => {
  const random = createRandom(SEED);
  let chain: Chain;
  let recorder: Recorder;
  let calls: SentCall[];
  let happened: Happened[];
  /** As a receiver gets them, log by log in the order of the chain. */
  let emitted: EventEmitted[];
  let included: TransactionIncluded[];

  const rpcUrl = () => chain.client.transport.url as string;
  const contracts = () => chain.deployed.map((contract) => ({ ...contract, name: `${contract.label}Contract` }));
  const numberOf = async (blockTag: 'safe' | 'finalized' | 'latest') =>
    Number((await chain.client.getBlock({ blockTag })).number);

  /** Follows the chain, and waits until everything that there is was passed on. */
  async function follow(options: Partial<WatchChainOptions> = {}) {
    const recorder = createRecorder();
    const watcher = await watch(recorder, { rpcUrl: rpcUrl(), contracts: contracts(), ...options });
    const settled = async () => {
      const head = await numberOf('latest');
      await recorder.until(() => watcher.blockNumber === head);
    };
    await settled();
    return { recorder, watcher, settled };
  }

  beforeAll(async () => {
    chain = await openChain(0, '--slots-in-an-epoch', '2');
    calls = await sendTraffic(chain, random, 500);
    await chain.client.mine({ blocks: 8 });
    happened = await chain.happened(0n);
    const followed = await follow({ wallets: chain.accounts.slice(0, 2) });
    await followed.watcher.close();
    ({ recorder } = followed);
    const events = received(recorder.groups.flat());
    emitted = events.filter(isEmitted);
    included = events.filter((event) => event.event === 'transaction.included');
  }, 60_000);
  afterAll(() => chain?.close());

  it('watchChain sends every log once, in the order of the chain, those of a transaction together', () => {
    expect(recorder.lines).toEqual([]);
    expect(emitted.length).toBe(happened.length);
    const placeOf = (log: { blockHash: unknown; logIndex: unknown }) => `${log.blockHash} ${Number(log.logIndex)}`;
    expect(emitted.map((event) => placeOf(rawLog(event) as never))).toEqual(happened.map(({ log }) => placeOf(log)));
    const groups = recorder.groups.map((group) => group.filter(isEmitted)).filter(({ length }) => length > 0);
    const hashes = groups.map((group) => new Set(group.map(({ data }) => data.transaction?.txHash)));
    for (const each of hashes) expect(each.size).toBe(1);
    expect(new Set(hashes.flatMap((each) => [...each])).size).toBe(hashes.length);
    expect(new Set(emitted.map(({ id }) => id)).size).toBe(emitted.length);
  });

  it('watchChain writes what an independent sender writes, wherever that is determined', () => {
    const contractAt: Chain['contractAt'] = (address) => {
      const contract = chain.contractAt(address);
      // A watcher knows no decimals.
      return contract && { ...contract, decimals: 0 };
    };
    const wire = createWire({ contractAt }, createRandom(1), plain);
    let compared = 0;
    for (const [at, event] of emitted.entries()) {
      const each = happened[at] as Happened;
      const other = wire.emitted(each);
      const called = functionOf(chain.contractAt(each.transaction.to), each.transaction.input)?.name;
      if (isAmbiguous(called, event.data.event.name, other.data.event.name)) continue;
      compared++;
      expect(determined(event), other.data.event.signature).toEqual(determined(other));
    }
    expect(compared).toBeGreaterThan(500);
  });

  it('watchChain sends the transactions of the wallets, as an independent sender does', async () => {
    const [first, second] = chain.accounts;
    const own = calls.filter(({ from }) => from === first || from === second).map(({ hash }) => hash);
    const hashes = new Set(included.map(({ data }) => data.tx?.hash));
    for (const hash of own) expect(hashes).toContain(hash);
    expect(included.some(({ data }) => data.failed)).toBe(true);
    const wire = createWire(chain, createRandom(1));
    for (const event of included) {
      const mined = await chain.mined(event.data.tx?.hash as Hex);
      const other = wire.included(mined);
      const { createdAt, updatedAt, ...data } = event.data;
      const { createdAt: _, updatedAt: __, ...expected } = other.data;
      expect(data).toEqual(expected);
      expect(Date.parse(String(createdAt))).toBe(1000 * Number(mined.block.timestamp));
      expect(updatedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      expect(decodeTransaction(event).hash).toBe(event.data.tx?.hash);
    }
  });

  it('reconcile finds what was delivered, in any order and repeatedly, and handles the rest up to the finalized block', async () => {
    const logs = recorder.groups.flat().filter(isEmitted);
    const handled: string[] = [];
    const receiver = createReceiver({
      ...{ secret, idempotencyKey: identity, store: { ...memoryStore(), rememberedSince: () => 0 } },
      onEvent: (event) => void handled.push(identity(event)),
    });
    const delivered = logs.filter(() => random.int(0, 2) > 0).map((event) => ({ ...event, id: crypto.randomUUID() }));
    for (let at = 0; at < 40; at++) {
      const some = Array.from({ length: 10 }, () => random.pick(delivered));
      const { status } = await receiver.handle(signed(some, { timestamp: Math.floor(Date.now() / 1000) }));
      expect(status).toBe(200);
    }
    const present = handled.length;
    const source = chainSource({
      ...{ rpcUrl: rpcUrl(), contracts: contracts(), chainId, maxRange: 25, minAgeSeconds: 0 },
    });
    const report = await reconcile({ source, receiver, from: 0, cursor: keptCursor() });
    const to = await numberOf('finalized');
    expect(report).toMatchObject({ to, final: to, present, repaired: logs.length - present, stopped: undefined });
    expect([...handled].sort()).toEqual(logs.map(identity).sort());
    expect(handled.slice(present)).toEqual(
      logs.map(identity).filter((key) => !handled.slice(0, present).includes(key)),
    );
  });

  it.each(['finalized', 'safe', { confirmations: 3 }] as const)(
    'chainFinality takes blocks up to the level %j as final',
    async (level) => {
      const last = typeof level === 'object' ? (await numberOf('latest')) - 2 : await numberOf(level);
      const { verdict } = finalityOf({ rpcUrl: rpcUrl(), level });
      for (const [number, status] of [
        [last, 'final'],
        [last + 1, 'pending'],
      ] as const) {
        const { hash } = await chain.client.getBlock({ blockNumber: BigInt(number) });
        const block = { number: `0x${number.toString(16)}`, hash: hash as Hex };
        expect(await verdict(eventOf({ block } as never))).toMatchObject({ status });
      }
    },
  );

  it('watchChain removes each log of replaced blocks once, and chainFinality drops its event', async () => {
    const first = (await numberOf('latest')) + 1;
    const { recorder, watcher, settled } = await follow({ fromBlock: first });
    for (const isReverted of [false, true, false]) {
      const id = await chain.client.snapshot();
      const before = await numberOf('latest');
      await sendTraffic(chain, random, 20);
      await settled();
      const depth = (await numberOf('latest')) - before;
      if (isReverted) await chain.client.revert({ id });
      else await chain.client.request({ method: 'anvil_reorg' as never, params: [depth, []] as never });
      await sendTraffic(chain, random, 20);
      // Only a chain that is higher than before has nothing left to replace.
      await chain.client.mine({ blocks: depth + 1 });
      await settled();
    }
    await watcher.close();
    const counts = new Map<string, number>();
    const events = recorder.groups.flat().filter(isEmitted);
    for (const event of events) {
      const key = identity(event).replace(':removed', '');
      counts.set(key, (counts.get(key) ?? 0) + (isRemoved(event) ? -1 : 1));
    }
    const canonical = (await chain.happened(BigInt(first))).map(
      ({ log }) => `${chainId}:${log.blockHash}:${log.transactionHash}:${Number(log.logIndex)}`,
    );
    expect(events.filter(isRemoved).length).toBeGreaterThan(30);
    expect(new Map([...counts].filter(([, count]) => count !== 0))).toEqual(new Map(canonical.map((key) => [key, 1])));
    const { verdict } = finalityOf({ rpcUrl: rpcUrl() });
    const gone = events.find((event) => counts.get(identity(event)) === 0) as EventEmitted;
    expect(await verdict(gone)).toEqual({ status: 'dropped' });
    expect(await verdict(events.find((event) => identity(event) === canonical[0]) as EventEmitted)).toEqual({
      status: 'final',
    });
  });
});

/** Whether nothing but what was called tells which of two events a log is: the chain does not, and the first fits. */
function isAmbiguous(called: string | undefined, name: string, other: string): boolean {
  return other === 'Pair' || (called === 'masked' && name !== other);
}

/** What of an event does not depend on how a sender happens to write it. */
function determined(event: WebhookEvent) {
  if (!isEmitted(event)) throw new Error('No event of a log.');
  const { triggeredAt, event: emitted, transaction } = event.data;
  const { blockTimestamp: _, ...log } = JSON.parse(emitted.rawFields ?? '');
  const contractOf = <T extends { addressLabel: string; addressAlias?: string | null | undefined }>(contract: T) => {
    const { addressLabel, addressAlias = addressLabel, ...rest } = contract;
    return { ...rest, label: addressAlias };
  };
  const named = <T extends { name: string }>(input: T, at: number) => ({ ...input, name: input.name || `arg${at}` });
  const { method } = transaction ?? {};
  return {
    ...{ time: Date.parse(triggeredAt), name: emitted.name, signature: emitted.signature, log },
    ...{ inputs: emitted.inputs.map(named), indexInLog: emitted.indexInLog, contract: contractOf(emitted.contract) },
    transaction: {
      ...transaction,
      contract: transaction?.contract ? contractOf(transaction.contract) : null,
      method: method && { ...method, inputs: method.inputs.map(named) },
    },
  };
}

import type { Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventInput } from '../../src/events/types.js';
import { decodeTransaction, rawLog } from '../../src/evm/index.js';
import type { EventEmitted, TransactionIncluded, WebhookEvent } from '../../src/index.js';
import { createRandom } from '../chaos/random.js';
import { type Chain, type Happened, openChain } from '../real-chain/chain.js';
import { functionOf } from '../real-chain/decoded.js';
import { type SentCall, sendTraffic } from '../real-chain/traffic.js';
import { createWire } from '../real-chain/wire.js';
import { hasAnvil, needsAnvil } from '../servers/anvil.js';
import { createRecorder, isEmitted, type Recorder, received, watch } from './watching.js';

const SEED = Number(process.env.CHAIN_SEED ?? 4231);

describe.skipIf(!hasAnvil)(`watchChain on a real chain${needsAnvil}`, { timeout: 60_000 }, () => {
  let chain: Chain;
  let recorder: Recorder;
  let calls: SentCall[];
  let happened: Happened[];
  /** As a receiver gets them, log by log in the order of the chain. */
  let emitted: EventEmitted[];
  let included: TransactionIncluded[];

  beforeAll(async () => {
    chain = await openChain();
    calls = await sendTraffic(chain, createRandom(SEED), 500);
    happened = await chain.happened(0n);
    recorder = createRecorder();
    const head = Number(await chain.client.getBlockNumber());
    const watcher = await watch(recorder, {
      rpcUrl: chain.client.transport.url ?? '',
      contracts: chain.deployed.map((contract) => ({ ...contract, name: `${contract.label}Contract` })),
      wallets: chain.accounts.slice(0, 2),
    });
    await recorder.until(() => watcher.blockNumber === head);
    await watcher.close();
    const events = received(recorder.groups.flat());
    emitted = events.filter(isEmitted);
    included = events.filter((event) => event.event === 'transaction.included');
  }, 60_000);
  afterAll(() => chain?.close());

  it('sends every log once, in the order of the chain, those of a transaction together', () => {
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

  it('writes what an independent sender writes, wherever that is determined', () => {
    const wire = createWire(chain, createRandom(1));
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

  it('sends the transactions of the wallets, as an independent sender does', async () => {
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
  const inputOf = ({ name, type, ...input }: Pick<EventInput, 'name' | 'type' | 'value'>, at: number) => {
    const isText = typeof input.value === 'string' && /^(string|address|bool|u?int\d+|bytes\d*)$/.test(type);
    // Arrays and tuples have no one form on the wire; converted amounts are those of a service that knows the decimals.
    const isDetermined = isText && !(type === 'uint256' && emitted.contract.label === 'coins');
    return { ...input, name: name.replace(/^$/, `arg${at}`), type, value: isDetermined ? input.value : '' };
  };
  return {
    ...{ time: Date.parse(triggeredAt), name: emitted.name, signature: emitted.signature, log },
    ...{ inputs: emitted.inputs.map(inputOf), indexInLog: emitted.indexInLog, contract: contractOf(emitted.contract) },
    transaction: {
      ...transaction,
      contract: transaction?.contract ? contractOf(transaction.contract) : null,
      method: transaction?.method && { ...transaction.method, inputs: transaction.method.inputs.map(inputOf) },
    },
  };
}

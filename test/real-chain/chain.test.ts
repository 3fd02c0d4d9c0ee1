import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeEvent, logIdentity, rawLog } from '../../src/evm/index.js';
import { type EventEmitted, parseEventEmitted } from '../../src/index.js';
import { createRandom } from '../chaos/random.js';
import { signatureOf } from '../evm/encode.js';
import { loggedArgs } from '../evm/expected.js';
import { hasAnvil, needsAnvil } from '../servers/anvil.js';
import { type Chain, type Deployed, type Happened, openChain } from './chain.js';
import { eventOf, functionOf, goText, utf8, valuesOf } from './decoded.js';
import { type Handled, routeAll, startReceiver } from './receiving.js';
import { sendTraffic } from './traffic.js';
import { createWire } from './wire.js';

/** The same chain on every run; another seed tries another. */
const SEED = Number(process.env.CHAIN_SEED ?? 4231);

/** One log of the chain: what the node says, what went over the wire, and what a handler was given. */
interface Case {
  readonly happened: Happened;
  readonly contract: Deployed;
  readonly item: ReturnType<typeof eventOf>;
  /** The arguments, by viem. */
  readonly args: unknown;
  readonly handled: Handled;
}

describe.skipIf(!hasAnvil)(`events of a real chain${needsAnvil}`, { timeout: 60_000 }, () => {
  let chain: Chain;
  let cases: Case[];
  let sent: EventEmitted[];
  let handled: Handled[];
  let errors: Error[];
  let statuses: number[];

  beforeAll(async () => {
    chain = await openChain();
    const random = createRandom(SEED);
    await sendTraffic(chain, random, 500);
    const happened = await chain.happened(0n);
    const wire = createWire(chain, random);
    sent = happened.map((each) => wire.emitted(each));

    const routed = routeAll(chain.deployed);
    const receiver = await startReceiver(routed.onEvent);
    ({ handled } = routed);
    ({ errors } = receiver);
    statuses = await receiver.post(wire.deliveries(sent));
    await receiver.close();

    const byId = new Map(handled.map((each) => [each.event.id, each]));
    cases = happened.map((each, at) => {
      const contract = chain.contractAt(each.log.address) as Deployed;
      const called = functionOf(chain.contractAt(each.transaction.to), each.transaction.input);
      const item = eventOf(contract, each.log, called?.name);
      const args = loggedArgs(item, valuesOf(item, each.log, utf8));
      return { happened: each, contract, item, args, handled: byId.get(sent[at]?.id ?? '') as Handled };
    });
  }, 60_000);
  afterAll(() => chain?.close());

  it('are at least 500, of at least 30 signatures, with several logs and transactions to a block', () => {
    expect(cases.length).toBeGreaterThanOrEqual(500);
    expect(new Set(cases.map(({ item }) => signatureOf(item))).size).toBeGreaterThanOrEqual(30);
    const logs = cases.map(({ happened }) => happened.log);
    expect(logs.filter(({ logIndex }) => Number(logIndex) > 0).length).toBeGreaterThan(200);
    expect(logs.filter(({ transactionIndex }) => Number(transactionIndex) > 0).length).toBeGreaterThan(200);
  });

  it('are each handled once by the route of their contract, however often they are sent', () => {
    expect(errors).toEqual([]);
    expect(statuses).toEqual([200]);
    expect(handled.map(({ event }) => event.id).sort()).toEqual(sent.map(({ id }) => id).sort());
    for (const { handled, contract } of cases) expect(handled.label).toBe(contract.label);
  });

  it('have the name and the arguments that are on the chain', () => {
    for (const { handled, contract, item, args } of cases) {
      const decoded = { eventName: item.name, args, log: rawLog(handled.event) };
      expect(handled, signatureOf(item)).toMatchObject({ eventName: item.name, log: decoded.log });
      expect(handled.args, signatureOf(item)).toEqual(decoded.args);
      expect(decodeEvent(handled.event, contract.abi), signatureOf(item)).toEqual(decoded);
    }
  });

  it('have the arguments that viem reads from the chain, except where viem loses some', async () => {
    const read = new Map<string, unknown>();
    for (const { abi, address } of chain.deployed) {
      for (const { blockHash, logIndex, args } of await chain.client.getContractEvents({
        abi,
        address,
        fromBlock: 0n,
      })) {
        read.set(`${blockHash} ${logIndex}`, args);
      }
    }
    const others = cases.filter(({ happened: { log }, handled }) => {
      const key = `${log.blockHash} ${Number(log.logIndex)}`;
      return !read.has(key) || !isDeepStrictEqual(unmarked(handled.args), unmarked(read.get(key)));
    });
    // Anonymous ones; a name __proto__; two events of the same topic.
    const lost = ['Hidden', 'Masked', 'Silent', 'Whisper', 'Proto', 'ProtoStruct', 'Pair'];
    expect(new Set(others.map(({ item }) => item.name))).toEqual(new Set(lost));
  });

  it('have the log that viem reads from the chain', async () => {
    const logs = await chain.client.getLogs({ fromBlock: 0n });
    for (const [at, { handled }] of cases.entries()) {
      const { blockTimestamp, ...log } = logs[at] as (typeof logs)[number];
      const { blockTimestamp: ours = blockTimestamp, ...raw } = rawLog(handled.event) ?? {};
      expect(raw).toEqual(log);
      expect(ours).toBe(blockTimestamp);
    }
  });

  it('have the same arguments without the log, unless the amounts are converted', () => {
    const exact = cases.filter(({ contract }) => contract.decimals === undefined);
    for (const { happened, handled, contract, item } of exact) {
      const { eventName, args, log } = decodeEvent(withoutLog(handled.event), contract.abi);
      expect({ eventName, log }).toEqual({ eventName: item.name, log: undefined });
      // The bytes of a text that is no UTF-8 are in the log alone.
      expect(args, signatureOf(item)).toEqual(loggedArgs(item, valuesOf(item, happened.log, goText)));
    }
  });

  it('are refused without the log where the amount is a fraction, and wherever the log is asked for', () => {
    const converted = cases.filter(({ contract }) => contract.decimals !== undefined);
    const fractions = converted.filter(({ handled }) =>
      String(handled.event.data.event.inputs[2]?.value).includes('.'),
    );
    expect(fractions.length).toBeGreaterThan(5);
    for (const { handled, contract } of fractions) {
      const refused = expect.objectContaining({ code: 'ERR_WEBHOOK_INPUT_VALUE', input: 'value' });
      expect(() => decodeEvent(withoutLog(handled.event), contract.abi)).toThrow(refused);
    }
    for (const { handled, contract } of converted) {
      const refused = expect.objectContaining({ name: 'DecodeError', input: 'rawFields' });
      expect(() => decodeEvent(withoutLog(handled.event), contract.abi, { requireLog: true })).toThrow(refused);
    }
  });

  it('each have a name of their own on the chain, which a delivery of the same log under another id has too', () => {
    const options = { chainId: chain.client.chain.id };
    const identities = cases.map(({ handled }) => logIdentity(handled.event, options));
    expect(new Set(identities).size).toBe(cases.length);
    const again = createWire(chain, createRandom(SEED + 1));
    for (const [at, { happened, handled }] of cases.entries()) {
      const other = again.emitted(happened);
      expect(other.id).not.toBe(handled.event.id);
      expect(logIdentity(other, options)).toBe(identities[at]);
      expect(logIdentity(withoutLog(handled.event), options)).toBe(identities[at]);
    }
  });
});

/** Arguments without byte order marks, which viem drops. */
function unmarked(args: unknown = null): unknown {
  const text = JSON.stringify(args, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
  return JSON.parse(text.replaceAll('\uFEFF', ''));
}

/** The same event as the service sends it when it leaves out the log. */
function withoutLog(event: EventEmitted): EventEmitted {
  const copy = structuredClone(event);
  delete copy.data.event.rawFields;
  return parseEventEmitted(copy);
}

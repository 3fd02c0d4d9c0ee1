import type { Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DecodedTransaction, decodeTransaction } from '../../src/evm/index.js';
import { createRouter, type TransactionIncluded } from '../../src/index.js';
import { createRandom } from '../chaos/random.js';
import { hasAnvil, needsAnvil } from '../servers/anvil.js';
import { type Chain, openChain } from './chain.js';
import { startReceiver } from './receiving.js';
import { type SentCall, sendTraffic } from './traffic.js';
import { createWire } from './wire.js';

describe.skipIf(!hasAnvil)(`transactions of a real chain${needsAnvil}`, { timeout: 60_000 }, () => {
  let chain: Chain;
  let calls: SentCall[];
  const received: TransactionIncluded[] = [];
  const others: Record<'transfer' | 'creation', Hex> = { transfer: '0x', creation: '0x' };

  beforeAll(async () => {
    chain = await openChain();
    const random = createRandom(4231);
    calls = await sendTraffic(chain, random, 150);
    const [from, to] = chain.accounts;
    if (!from || !to) throw new Error('anvil has accounts.');
    others.transfer = await chain.send({ from, to, value: '0xde0b6b3a7640000' });
    others.creation = await chain.send({ from, data: '0x6001600c60003960016000f300' });
    await chain.mine();

    const wire = createWire(chain, random);
    const hashes = [...calls.map(({ hash }) => hash), others.transfer, others.creation];
    const mined = await Promise.all(hashes.map((hash) => chain.mined(hash)));
    const router = createRouter().on('transaction.included', (event) => void received.push(event));
    const receiver = await startReceiver({ onEvent: router.dispatch });
    expect(await receiver.post(wire.deliveries(mined.map((each) => wire.included(each))))).toEqual([200]);
    await receiver.close();
  }, 60_000);
  afterAll(() => chain?.close());

  const eventOf = (hash: Hex) => received.find(({ data }) => data.tx?.hash === hash) as TransactionIncluded;

  /** What viem reads from the chain, with what is the wire's own in its place. */
  async function seen(hash: Hex): Promise<Omit<DecodedTransaction, 'call'>> {
    const tx = await chain.client.getTransaction({ hash });
    const { status } = await chain.client.getTransactionReceipt({ hash });
    const hasFees = tx.maxFeePerGas !== undefined;
    return {
      hash,
      from: tx.from.toLowerCase() as Hex,
      to: tx.to && (tx.to.toLowerCase() as Hex),
      type: BigInt(tx.typeHex ?? 0),
      chainId: BigInt(tx.chainId ?? 0),
      nonce: BigInt(tx.nonce),
      gas: tx.gas,
      gasPrice: hasFees ? null : tx.gasPrice,
      maxPriorityFeePerGas: tx.maxPriorityFeePerGas ?? null,
      maxFeePerGas: tx.maxFeePerGas ?? null,
      value: tx.value,
      v: tx.v,
      yParity: tx.yParity === undefined ? undefined : BigInt(tx.yParity),
      input: tx.input,
      status: 'included',
      failed: status === 'reverted',
      blockNumber: tx.blockNumber ?? undefined,
      blockHash: tx.blockHash ?? undefined,
    };
  }

  it('have the quantities that viem reads from the chain, whatever their type', async () => {
    const decoded = received.map((event) => decodeTransaction(event));
    expect(decoded.length).toBe(calls.length + 2);
    expect(new Set(decoded.map(({ type }) => type))).toEqual(new Set([0n, 1n, 2n]));
    await Promise.all(
      decoded.map(async ({ call, ...transaction }) => {
        expect(call).toBeUndefined();
        expect(transaction).toEqual(await seen(transaction.hash as Hex));
      }),
    );
  });

  it('have the call that was sent', () => {
    for (const { hash, contract, item, args } of calls) {
      const { call } = decodeTransaction(eventOf(hash), contract.abi);
      expect(call).toEqual({ functionName: item.name, args: item.inputs.length === 0 ? undefined : args });
    }
  });

  it('say that they failed, and what they called, when they were reverted', async () => {
    const failed = calls.filter(({ hash }) => decodeTransaction(eventOf(hash)).failed);
    expect(failed.length).toBeGreaterThan(2);
    for (const { hash, contract, item } of failed) {
      expect((await chain.client.getTransactionReceipt({ hash })).logs).toEqual([]);
      expect(decodeTransaction(eventOf(hash), contract.abi).call?.functionName).toBe(item.name);
    }
  });

  it('have no call when they create a contract, send value alone, or call what the ABI does not have', () => {
    const { deeds, points } = chain.contracts;
    expect(decodeTransaction(eventOf(others.creation), points.abi)).toMatchObject({ to: null, call: undefined });
    expect(decodeTransaction(eventOf(others.transfer), points.abi)).toMatchObject({
      value: 10n ** 18n,
      input: '0x',
      call: undefined,
    });
    const burn = calls.find(({ item }) => item.name === 'burn') as SentCall;
    expect(decodeTransaction(eventOf(burn.hash), deeds.abi).call).toBeUndefined();
  });
});

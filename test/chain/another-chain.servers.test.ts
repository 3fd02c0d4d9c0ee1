import { encodeFunctionData } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChainWatcher } from '../../src/chain/index.js';
import { rawLog } from '../../src/evm/index.js';
import type { EventEmitted } from '../../src/index.js';
import { type Chain, openChain } from '../real-chain/chain.js';
import { hasAnvil, needsAnvil } from '../servers/anvil.js';
import { createRecorder, isEmitted, type Recorder, watch } from './watching.js';

describe.skipIf(!hasAnvil)(`watchChain when a chain restarts${needsAnvil}`, { timeout: 60_000 }, () => {
  let chain: Chain;
  let recorder: Recorder;
  let watcher: ChainWatcher | undefined;

  beforeEach(async () => {
    // Two that start within a second have the same block 0.
    chain = await openChain(0, '--timestamp', '1700000000');
    recorder = createRecorder();
  }, 60_000);
  afterEach(async () => {
    await watcher?.close();
    await chain?.close();
  });

  async function mint(...amounts: number[]): Promise<void> {
    const { points } = chain.contracts;
    const [from = '0x'] = chain.accounts;
    for (const amount of amounts) {
      const data = encodeFunctionData({ ...points, functionName: 'mint', args: [from, BigInt(amount)] });
      await chain.send({ from, to: points.address, data });
      await chain.mine();
    }
  }
  const sent = () => recorder.groups.flat().filter(isEmitted);
  const placeOf = (log: { blockHash: unknown; logIndex: unknown }) => `${log.blockHash} ${Number(log.logIndex)}`;
  const placesOf = (events: readonly EventEmitted[]) => events.map((event) => placeOf(rawLog(event) as never));
  const happened = async (fromBlock: bigint) =>
    (await chain.happened(fromBlock)).map(({ log }) => placeOf(log as never));

  it.each([
    ['shorter', [101]],
    ['longer', [101, 102, 103, 104, 105, 106]],
  ])('undoes the old chain, and passes on each log of the new one, which is %s', async (_, amounts) => {
    const start = await chain.client.getBlockNumber();
    watcher = await watch(recorder, {
      rpcUrl: chain.client.transport.url ?? '',
      contracts: chain.deployed.map((contract) => ({ ...contract, name: contract.label })),
      fromBlock: 'latest',
    });
    await mint(1, 2, 3);
    const old = await happened(start + 1n);
    await recorder.until(() => sent().length === old.length);

    const { port } = chain;
    await chain.close();
    chain = await openChain(port, '--timestamp', '1700000100');
    await mint(...amounts);
    const fresh = await happened(0n);
    expect(fresh.length).toBeGreaterThan(amounts.length);
    await recorder.until(() => sent().length >= 2 * old.length + fresh.length);

    expect(placesOf(sent())).toEqual([...old, ...old.toReversed(), ...fresh]);
    const removed = sent().filter((event) => rawLog(event)?.removed);
    expect(removed).toEqual(sent().slice(old.length, 2 * old.length));
    expect(recorder.lines.filter(({ message }) => message.includes('another block 0'))).toHaveLength(1);
  });
});

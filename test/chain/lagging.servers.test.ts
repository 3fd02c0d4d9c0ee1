import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Address, encodeFunctionData, type Hex, numberToHex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalAnvil, startAnvil } from '../../examples/servers/anvil.js';
import { chainSource, type ReconcileReport, reconcile } from '../../src/chain/index.js';
import { logIdentity } from '../../src/evm/index.js';
import { createReceiver, memoryStore, type WebhookEvent } from '../../src/index.js';
import { createRandom } from '../chaos/random.js';
import { secret } from '../helpers.js';
import { type Chain, openChain } from '../real-chain/chain.js';
import { hasAnvil, needsAnvil } from '../servers/anvil.js';
import { chainId, keptCursor } from './reconcile/reconciling.js';
import { createRecorder, watch } from './watching.js';

const SEED = Number(process.env.CHAIN_SEED ?? 4231);
/** Of block 0 of both nodes, which makes their chains the same. */
const GENESIS = '1700000000';
/** Fields of a transaction that decide its hash. */
const SIGNED = ['from', 'to', 'nonce', 'gas', 'value', 'input', 'maxFeePerGas', 'maxPriorityFeePerGas'];
const identity = (event: WebhookEvent) => logIdentity(event, { chainId });

describe.skipIf(!hasAnvil)(`two real nodes of which one is behind${needsAnvil}`, { timeout: 90_000 }, () => {
  const random = createRandom(SEED);
  let chain: Chain;
  let follower: LocalAnvil;
  let balancer: Server;
  let people: Address[];
  /** Block that the follower has. */
  let done = 0;

  beforeAll(async () => {
    chain = await openChain(0, '--timestamp', GENESIS);
    follower = await startAnvil(0, '--timestamp', GENESIS, '--no-mining');
    people = chain.accounts.slice(0, 3);
    balancer = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request.setEncoding('utf8')) body += chunk;
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(random.pick(urls()), { method: 'POST', headers, body }).catch(() => undefined);
      response.writeHead(answer?.status ?? 502, headers).end(await answer?.text());
    }).listen(0, '127.0.0.1');
    await once(balancer, 'listening');
  }, 90_000);
  afterAll(async () => {
    balancer?.closeAllConnections();
    balancer?.close();
    await follower?.stop();
    await chain?.close();
  });

  const urls = () => [chain.client.transport.url as string, follower.url];
  const balanced = () => `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`;
  const height = () => chain.client.getBlockNumber({ cacheTime: 0 }).then(Number);
  const contracts = () => chain.deployed.map((contract) => ({ ...contract, name: contract.label }));
  const canonical = async () =>
    (await chain.happened(0n)).map(
      ({ log }) => `${chainId}:${log.blockHash}:${log.transactionHash}:${Number(log.logIndex)}`,
    );

  async function ask(method: string, ...params: unknown[]): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(follower.url, { method: 'POST', headers, body });
    const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } };
    if (error) throw new Error(error.message);
    return result;
  }

  /** Gives the follower the leader's blocks up to a number: the same transactions at the same time make the same block. */
  async function follow(to: number): Promise<void> {
    for (; done < to; done++) {
      const block = await chain.client.request({
        method: 'eth_getBlockByNumber',
        params: [numberToHex(done + 1), true],
      });
      for (const transaction of block?.transactions ?? []) {
        const fields = Object.entries(transaction).filter(([name]) => SIGNED.includes(name));
        await ask('eth_sendTransaction', Object.fromEntries(fields));
      }
      await ask('evm_setNextBlockTimestamp', Number(block?.timestamp));
      await ask('evm_mine');
      expect(await ask('eth_getBlockByNumber', 'latest', false)).toMatchObject({ hash: block?.hash });
    }
  }

  async function mine(): Promise<void> {
    const { points, coins } = chain.contracts;
    for (let call = random.int(0, 3); call > 0; call--) {
      const { address, abi } = random.pick([points, coins]);
      const args = [random.pick(people), BigInt(random.int(1, 1000))] as const;
      const data: Hex = encodeFunctionData({ abi, functionName: 'mint', args });
      await chain.send({ from: people[0] as Address, to: address, data });
    }
    await chain.mine();
  }

  it('behind one URL do not make watchChain miss, repeat or undo a log', async () => {
    const recorder = createRecorder();
    const watcher = await watch(recorder, { rpcUrl: balanced(), contracts: contracts(), pollIntervalMs: 5 });
    for (let block = 0; block < 40; block++) {
      await mine();
      await follow((await height()) - random.int(0, 3));
    }
    const head = await height();
    await follow(head);
    await recorder.until(() => watcher.blockNumber === head);
    await watcher.close();
    expect(recorder.groups.flat().map(identity)).toEqual(await canonical());
  });

  it.each([
    ['behind one URL', () => [balanced()]],
    ['of two URLs', () => urls().reverse()],
  ])('%s do not make reconcile miss or repeat a log', async (_, rpcUrl) => {
    const handled: string[] = [];
    const receiver = createReceiver({
      secret,
      idempotencyKey: identity,
      store: { ...memoryStore(), rememberedSince: () => 0 },
      onEvent: (event) => void handled.push(identity(event)),
    });
    const source = chainSource({
      ...{ rpcUrl: rpcUrl(), contracts: contracts(), chainId, maxRange: 10, minAgeSeconds: 0 },
      ...{ level: { confirmations: 2 }, logger: createRecorder().logger },
    });
    const cursor = keptCursor();
    const run = (): Promise<ReconcileReport> =>
      reconcile({ source, receiver, from: 0, cursor, retryDelayMs: 1, logger: createRecorder().logger });
    for (let block = 0; block < 30; block++) {
      await mine();
      await follow((await height()) - random.int(0, 3));
      if (block % 5 === 0) await run();
    }
    await follow(await height());
    await mine();
    await follow(await height());
    const report = await run();
    expect(report).toMatchObject({ to: (await height()) - 1, unproven: undefined, stopped: undefined });
    const last = (await chain.happened(BigInt(await height()))).length;
    const all = await canonical();
    expect(handled).toEqual(all.slice(0, all.length - last));
  });
});

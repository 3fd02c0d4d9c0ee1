// What happens on the chain: transfers of a token, and re-orgs, one of which puts back what an earlier one removed.
import {
  type Address,
  createPublicClient,
  encodeFunctionData,
  getAddress,
  type Hex,
  http,
  type RpcLog,
  type RpcTransaction,
  testActions,
  walletActions,
} from 'viem';
import type { Random } from './random.js';
import { tokenAbi, tokenBytecode } from './token.js';

/** A log as the node gives it, with its transaction and the time of its block. */
export interface Notice {
  readonly log: RpcLog;
  readonly transaction: RpcTransaction;
  /** Unix seconds, as hex text. */
  readonly timestamp: Hex;
}

interface Call {
  readonly account: Address;
  readonly to: Address;
  readonly data: Hex;
}

/** What a service that follows the chain sees next. */
export interface Step {
  /** In order: after a re-org the removed logs, the last first, then those of the blocks that took their place. */
  readonly notices: readonly Notice[];
  /** The re-org, in words. */
  readonly reorg?: string;
}

/** A block to mine: the same parent, calls and time give the same block, down to its hash. */
interface Plan {
  readonly calls: readonly Call[];
  /** Unix seconds. */
  readonly timestamp: bigint;
}

// Given, so that a transaction that is sent again after a re-org is the same one, down to its hash.
const FEES = { gas: 200_000n, maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1n, chain: null };
const BASE_FEE = 1_000_000_000n;
/** Blocks from the head to the finalized block; no re-org is as deep. */
export const FINALITY_DEPTH = 8;
/** For `startAnvil`. Its finalized block is two epochs behind the head. */
export const ANVIL_OPTIONS = [
  ...['--slots-in-an-epoch', String(FINALITY_DEPTH / 2)],
  // The first blocks, a second apart, are then in the past.
  ...['--timestamp', String(Math.floor(Date.now() / 1000) - 60)],
];

export function connect(url: string) {
  return createPublicClient({ transport: http(url) })
    .extend(testActions({ mode: 'anvil' }))
    .extend(walletActions);
}

type Client = ReturnType<typeof connect>;

/** Deploys the token and a namesake, whose events the service sends too. */
export async function deployTokens(client: Client) {
  const [account] = (await client.getAddresses()) as [Address];
  await client.setAutomine(false);
  // So that there is a finalized block, and a pace at which blocks come.
  await client.mine({ blocks: 2 * FINALITY_DEPTH, interval: 1 });
  const deploy = async () => {
    const hash = await client.sendTransaction({ ...FEES, account, data: tokenBytecode, gas: 2_000_000n });
    await client.mine({ blocks: 1 });
    return getAddress((await client.getTransactionReceipt({ hash })).contractAddress as Address);
  };
  return { token: await deploy(), namesake: await deploy() };
}

/** Makes the history of the chain, step by step: a new block, or a re-org. */
export async function* makeHistory(
  client: Client,
  random: Random,
  { token, namesake }: Awaited<ReturnType<typeof deployTokens>>,
): AsyncGenerator<Step> {
  const accounts = await client.getAddresses();
  const [owner] = accounts as [Address];

  const now = () => BigInt(Math.floor(Date.now() / 1000));
  const mint = (to: Address, value: bigint) =>
    encodeFunctionData({ abi: tokenAbi, functionName: 'mint', args: [to, value] });
  const burn = (value: bigint) => encodeFunctionData({ abi: tokenAbi, functionName: 'burn', args: [value] });
  const transfer = (to: Address, value: bigint) =>
    encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [to, value] });

  /** A call at random. One that asks for more than there is fails, and leaves no log. */
  function anyCall(): Call {
    const account = random.pick(accounts);
    const to = random.below(8) === 0 ? namesake : token;
    const value = random.bits(random.below(201));
    const kind = random.below(12);
    if (kind === 0) return { account: owner, to, data: mint(account, value) };
    return { account, to, data: kind === 1 ? burn(value) : transfer(random.pick(accounts), value) };
  }
  const anyCalls = () => Array.from({ length: 1 + random.below(9) }, anyCall);
  const plans = (...blocks: Call[][]): Plan[] => blocks.map((calls) => ({ calls, timestamp: now() }));

  async function mine({ calls, timestamp }: Plan): Promise<Notice[]> {
    for (const call of calls) await client.sendTransaction({ ...FEES, ...call });
    await client.setNextBlockTimestamp({ timestamp });
    await client.setNextBlockBaseFeePerGas({ baseFeePerGas: BASE_FEE });
    await client.mine({ blocks: 1 });
    const block = await client.request({ method: 'eth_getBlockByNumber', params: ['latest', true] });
    if (block?.transactions.length !== calls.length) throw new Error('The block lacks some of its transactions.');
    const logs = await client.request({ method: 'eth_getLogs', params: [{ blockHash: block.hash as Hex }] });
    const transactions = block.transactions as RpcTransaction[];
    return logs.map((log) => ({
      log,
      transaction: transactions[Number(log.transactionIndex)] as RpcTransaction,
      timestamp: block.timestamp,
    }));
  }

  async function mineAll(blocks: readonly Plan[]): Promise<Notice[]> {
    const notices: Notice[] = [];
    for (const block of blocks) notices.push(...(await mine(block)));
    return notices;
  }

  const removed = (notices: readonly Notice[]) =>
    notices.map((notice) => ({ ...notice, log: { ...notice.log, removed: true } })).reverse();

  /** Two blocks are removed. Most of their transactions are mined again, behind another one. */
  async function* replace(): AsyncGenerator<Step> {
    const [first, second] = [anyCalls(), anyCalls()];
    const id = await client.snapshot();
    const before = await mineAll(plans(first, second));
    yield { notices: before };
    await client.revert({ id });
    const after = await mineAll(plans([anyCall(), ...first], second, anyCalls()));
    yield { notices: [...removed(before), ...after], reorg: `removed ${before.length} logs` };
  }

  /** Two blocks are removed, and put back after other blocks have had their place for a while. */
  async function* putBack(): AsyncGenerator<Step> {
    const blocks = plans(anyCalls(), anyCalls());
    const id = await client.snapshot();
    const before = await mineAll(blocks);
    yield { notices: before };
    await client.revert({ id });
    const again = await client.snapshot();
    const between = await mineAll(plans(anyCalls(), anyCalls(), anyCalls()));
    yield { notices: [...removed(before), ...between], reorg: `removed ${before.length} logs` };
    await client.revert({ id: again });
    const after = await mineAll(blocks);
    if (after.some(({ log }, at) => log.blockHash !== before[at]?.log.blockHash)) throw new Error('Other blocks.');
    const next = await mineAll(plans(anyCalls(), anyCalls()));
    yield { notices: [...removed(between), ...after, ...next], reorg: `put back ${after.length} logs` };
  }

  for (const to of [token, namesake]) {
    const mints = accounts.map((account) => ({ account: owner, to, data: mint(account, 2n ** 201n) }));
    yield { notices: await mineAll(plans(mints)) };
  }
  for (const reorg of [replace, putBack, replace]) {
    for (let blocks = 0; blocks < 14; blocks++) yield { notices: await mineAll(plans(anyCalls())) };
    yield* reorg();
  }
  // Empty blocks, behind which everything becomes final.
  for (let blocks = 0; blocks < FINALITY_DEPTH; blocks++) yield { notices: await mineAll(plans([])) };
}

// What happens on the chain: transfers of a token, and re-orgs that take some of them back.
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

/** A log as the node gives it, with what stands around it. */
export interface Notice {
  readonly log: RpcLog;
  readonly transaction: RpcTransaction;
  /** Of the block, in Unix seconds as hex text. */
  readonly timestamp: Hex;
}

interface Call {
  readonly account: Address;
  readonly to: Address;
  readonly data: Hex;
}

// Given, so that a transaction that is sent again after a re-org is the same one, down to its hash.
const FEES = { gas: 200_000n, maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1n, chain: null };

export function connect(url: string) {
  return createPublicClient({ transport: http(url) })
    .extend(testActions({ mode: 'anvil' }))
    .extend(walletActions);
}

/** Has things happen on a new chain, and gives all the logs that a service which follows it gets to see, in order. */
export async function makeHistory(client: ReturnType<typeof connect>, random: Random) {
  const accounts = await client.getAddresses();
  const [owner] = accounts as [Address];
  const seen: Notice[] = [];
  await client.setAutomine(false);

  const deploy = async () => {
    const hash = await client.sendTransaction({ ...FEES, account: owner, data: tokenBytecode, gas: 2_000_000n });
    await client.mine({ blocks: 1 });
    return getAddress((await client.getTransactionReceipt({ hash })).contractAddress as Address);
  };
  const token = await deploy();
  // The service sends the events of every contract; those of this one are not to be counted.
  const namesake = await deploy();

  async function mineBlock(calls: readonly Call[]): Promise<Notice[]> {
    for (const call of calls) await client.sendTransaction({ ...FEES, ...call });
    await client.mine({ blocks: 1 });
    const block = await client.request({ method: 'eth_getBlockByNumber', params: ['latest', true] });
    if (block?.transactions.length !== calls.length) throw new Error('The block lacks some of its transactions.');
    const logs = await client.request({ method: 'eth_getLogs', params: [{ blockHash: block.hash as Hex }] });
    const transactions = block.transactions as RpcTransaction[];
    const notices = logs.map((log) => ({
      log,
      transaction: transactions[Number(log.transactionIndex)] as RpcTransaction,
      timestamp: block.timestamp,
    }));
    seen.push(...notices);
    return notices;
  }

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
  const someCalls = () => Array.from({ length: 1 + random.below(9) }, anyCall);

  /** Three blocks are taken back. Most of their transactions are mined again, behind another one. */
  async function reorg(): Promise<void> {
    const id = await client.snapshot();
    const [first, second, third] = [someCalls(), someCalls(), someCalls()];
    const notices: Notice[] = [];
    for (const calls of [first, second, third]) notices.push(...(await mineBlock(calls)));
    await client.revert({ id });
    seen.push(...notices.map((notice) => ({ ...notice, log: { ...notice.log, removed: true } })));
    await mineBlock([anyCall(), ...first]);
    await mineBlock(second);
  }

  for (const to of [token, namesake]) {
    await mineBlock(accounts.map((account) => ({ account: owner, to, data: mint(account, 2n ** 201n) })));
  }
  for (let round = 0; round < 3; round++) {
    for (let blocks = 0; blocks < 8; blocks++) await mineBlock(someCalls());
    await reorg();
  }
  return { token, accounts, seen };
}

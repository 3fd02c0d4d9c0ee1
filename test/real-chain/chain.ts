import {
  type Abi,
  type Address,
  createClient,
  encodeDeployData,
  getAddress,
  type Hex,
  http,
  numberToHex,
  publicActions,
  type RpcBlock,
  type RpcLog,
  type RpcTransaction,
  testActions,
  walletActions,
} from 'viem';
import { foundry } from 'viem/chains';
import { startAnvil } from '../../examples/servers/anvil.js';
import { deedsAbi, deedsBytecode } from './artifacts/deeds.js';
import { goodsAbi, goodsBytecode } from './artifacts/goods.js';
import { oddEventsAbi, oddEventsBytecode } from './artifacts/odd-events.js';
import { tokenAbi, tokenBytecode } from './artifacts/token.js';

/** A contract that is on the chain, and what the service has been told of it. */
export interface Deployed<ContractAbi extends Abi = Abi> {
  readonly label: string;
  readonly abi: ContractAbi;
  readonly address: Address;
  /** The decimals by which the service converts its amounts. (Default: it sends them as they are.) */
  readonly decimals?: number;
}

/** A transaction as a node takes it for `eth_sendTransaction`. */
export interface Sending {
  readonly from: Address;
  readonly to?: Address;
  readonly data?: Hex;
  readonly value?: Hex;
  readonly [option: string]: unknown;
}

/** A log with the transaction and the block that hold it, all just as the node gives them. */
export interface Happened {
  readonly log: RpcLog;
  readonly transaction: RpcTransaction;
  readonly block: RpcBlock<'latest', true>;
}

/** A chain of its own with the contracts on it, which mines when it is told to. */
export type Chain = Awaited<ReturnType<typeof openChain>>;

/** On a free port, unless one is given; the options are those of anvil's command line. */
export async function openChain(port?: number, ...options: readonly string[]) {
  const anvil = await startAnvil(port, ...options);
  const client = createClient({ chain: foundry, transport: http(anvil.url) })
    .extend(publicActions)
    .extend(walletActions)
    .extend(testActions({ mode: 'anvil' }));
  const accounts = await client.getAddresses();
  const [owner] = accounts as [Address, ...Address[]];
  await client.setAutomine(false);

  /** The gas is given, so that a transaction that will fail is sent like any other. */
  const send = (sending: Sending) =>
    client.request({ method: 'eth_sendTransaction', params: [{ gas: '0x2dc6c0', ...sending } as never] });
  const mine = () => client.mine({ blocks: 1 });

  async function deploy(data: Hex): Promise<Address> {
    const hash = await send({ from: owner, data });
    await mine();
    const { contractAddress, status } = await client.getTransactionReceipt({ hash });
    if (!contractAddress || status !== 'success') throw new Error('The contract was not deployed.');
    return getAddress(contractAddress);
  }
  const token = async (decimals: number, supply: bigint) =>
    deploy(encodeDeployData({ abi: tokenAbi, bytecode: tokenBytecode, args: [decimals, supply] }));

  const contracts = {
    points: { label: 'points', abi: tokenAbi, address: await token(0, 1_000_000n) },
    coins: { label: 'coins', abi: tokenAbi, address: await token(18, 10n ** 24n), decimals: 18 },
    deeds: { label: 'deeds', abi: deedsAbi, address: await deploy(deedsBytecode) },
    goods: { label: 'goods', abi: goodsAbi, address: await deploy(goodsBytecode) },
    odd: { label: 'odd', abi: oddEventsAbi, address: await deploy(oddEventsBytecode) },
  } as const satisfies Record<string, Deployed>;
  const deployed: readonly Deployed[] = Object.values(contracts);

  const blocks = new Map<Hex, Promise<Happened['block']>>();

  /** A block with its transactions, which its hash is the hash of: it is asked for once. */
  function rawBlock(hash: Hex): Promise<Happened['block']> {
    const block =
      blocks.get(hash) ??
      client.request({ method: 'eth_getBlockByHash', params: [hash, true] }).then((found) => {
        if (!found) throw new Error('There is no such block.');
        return found as Happened['block'];
      });
    blocks.set(hash, block);
    return block;
  }

  return {
    client,
    port: anvil.port,
    accounts,
    contracts,
    deployed,
    send,
    mine,
    close: () => anvil.stop(),
    /** The contract of an address, in whatever case. */
    contractAt(address: string | null): Deployed | undefined {
      return deployed.find((contract) => contract.address.toLowerCase() === address?.toLowerCase());
    },
    /** The logs of all contracts since a block, with their transactions and blocks. */
    async happened(fromBlock: bigint): Promise<Happened[]> {
      const filter = { fromBlock: numberToHex(fromBlock), toBlock: 'latest' } as const;
      const logs = await client.request({ method: 'eth_getLogs', params: [filter] });
      return Promise.all(
        logs.map(async (log) => {
          const block = await rawBlock(log.blockHash as Hex);
          const transaction = block.transactions[Number(log.transactionIndex)];
          if (transaction?.hash !== log.transactionHash) throw new Error('The block does not have the transaction.');
          return { log, transaction, block };
        }),
      );
    },
    /** A transaction in the same way, though it may have no log, and whether it failed. */
    async mined(hash: Hex): Promise<Omit<Happened, 'log'> & { failed: boolean }> {
      const receipt = await client.request({ method: 'eth_getTransactionReceipt', params: [hash] });
      if (!receipt) throw new Error('There is no such transaction.');
      const block = await rawBlock(receipt.blockHash);
      const transaction = block.transactions[Number(receipt.transactionIndex)];
      if (!transaction) throw new Error('The block does not have it.');
      return { block, transaction, failed: receipt.status === '0x0' };
    },
  };
}

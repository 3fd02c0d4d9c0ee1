// Writes recorded-logs.json: what anvil answers about a few blocks of the sample token.
// npx tsx --tsconfig examples/tsconfig.json examples/record-chain.ts
import { writeFileSync } from 'node:fs';
import { type Address, encodeFunctionData, numberToHex } from 'viem';
import { connect } from './erc20-ledger/chain.js';
import { tokenAbi, tokenBytecode } from './erc20-ledger/token.js';
import type { RecordedBlock, Recording } from './recorded-chain.js';
import { startAnvil } from './servers/anvil.js';

const UNIT = 1_000_000n;

const anvil = await startAnvil();
try {
  const client = connect(anvil.url);
  const accounts = (await client.getAddresses()).slice(0, 4) as [Address, Address, Address, Address];
  const [owner, alice, bob, carol] = accounts;
  const fees = { gas: 200_000n, maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1n, chain: null };
  await client.setAutomine(false);
  await client.setBlockTimestampInterval({ interval: 12 });

  const deployment = await client.sendTransaction({ ...fees, account: owner, data: tokenBytecode, gas: 2_000_000n });
  await client.mine({ blocks: 1 });
  const { contractAddress } = await client.getTransactionReceipt({ hash: deployment });
  const token = contractAddress as Address;

  const mint = (to: Address, value: bigint) => ({
    account: owner,
    data: encodeFunctionData({ abi: tokenAbi, functionName: 'mint', args: [to, value] }),
  });
  const transfer = (account: Address, to: Address, value: bigint) => ({
    account,
    data: encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [to, value] }),
  });
  const plan = [
    [mint(alice, 1000n * UNIT), mint(bob, 500n * UNIT)],
    [transfer(alice, bob, 25n * UNIT)],
    [transfer(bob, carol, 123_456_000n), transfer(alice, carol, UNIT / 2n)],
    [],
    // More than there is, so that it fails.
    [transfer(carol, alice, 10_000n * UNIT), transfer(carol, alice, 20n * UNIT)],
    [transfer(alice, bob, 1n), transfer(bob, alice, 2n), transfer(carol, bob, 3n * UNIT)],
    [transfer(bob, alice, 75n * UNIT)],
  ];
  for (const calls of plan) {
    for (const call of calls) await client.sendTransaction({ ...fees, ...call, to: token });
    await client.mine({ blocks: 1 });
  }

  const blocks: RecordedBlock[] = [];
  for (let number = 0; number <= plan.length + 1; number++) {
    const block = await client.request({ method: 'eth_getBlockByNumber', params: [numberToHex(number), true] });
    if (!block?.hash) throw new Error('There is no such block.');
    const { hash, parentHash, timestamp } = block;
    const transactions = block.transactions as { hash: `0x${string}` }[];
    const receipts = await Promise.all(
      transactions.map(async (transaction) => {
        const receipt = await client.request({ method: 'eth_getTransactionReceipt', params: [transaction.hash] });
        if (!receipt) throw new Error('There is no such transaction.');
        const { transactionHash, transactionIndex, blockHash, blockNumber, status } = receipt;
        return { transactionHash, transactionIndex, blockHash, blockNumber, status };
      }),
    );
    // Without what is long and nobody here reads, such as the filter of the logs.
    blocks.push({
      block: { number: numberToHex(number), hash, ...{ parentHash, timestamp }, transactions },
      logs: await client.request({ method: 'eth_getLogs', params: [{ blockHash: hash }] }),
      receipts,
    });
  }
  const balances: Record<string, string> = {};
  for (const account of accounts) {
    const contract = { abi: tokenAbi, address: token, functionName: 'balanceOf' } as const;
    balances[account] = String(await client.readContract({ ...contract, args: [account] }));
  }
  const chainId = await client.request({ method: 'eth_chainId' });
  const recording: Recording = { chainId, token, accounts, balances, blocks };
  writeFileSync(new URL('./recorded-logs.json', import.meta.url), `${JSON.stringify(recording, null, 2)}\n`);
  console.log(`${blocks.length} blocks with ${blocks.flatMap(({ logs }) => logs).length} logs`);
} finally {
  await anvil.stop();
}

// A chain that was recorded (record-chain.ts), played back by a node that gives one block after another: for where no
// anvil can be had. What it answers is what anvil answered, so a watcher cannot tell, but nothing can be sent to it.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What stands in recorded-logs.json: the answers of a node, block by block. */
export interface Recording {
  readonly chainId: string;
  /** Address of the sample token (../erc20-ledger/token.ts). */
  readonly token: string;
  /** Whose transactions are in it. */
  readonly accounts: readonly string[];
  /** What each account holds at its end. */
  readonly balances: Readonly<Record<string, string>>;
  readonly blocks: readonly RecordedBlock[];
}

export interface RecordedBlock {
  readonly block: {
    readonly number: string;
    readonly hash: string;
    readonly transactions: readonly { hash: string }[];
  };
  readonly logs: readonly { readonly address: string; readonly transactionHash: string }[];
  readonly receipts: readonly { readonly transactionHash: string }[];
}

export interface RecordedChain {
  /** Where its JSON-RPC is. */
  readonly url: string;
  readonly recording: Recording;
  /** Lets one more block happen. False when there is none. */
  release(): boolean;
  close(): Promise<void>;
}

/** @param blockMs How often a block happens, in milliseconds; 0 for when `release` is called alone. */
export async function startRecordedChain({ blockMs = 1000 } = {}): Promise<RecordedChain> {
  const recording: Recording = JSON.parse(readFileSync(new URL('./recorded-logs.json', import.meta.url), 'utf8'));
  let released = 1;

  function answer(method: string, [first, withTransactions]: readonly unknown[]): unknown {
    const blocks = recording.blocks.slice(0, released);
    if (method === 'eth_chainId') return recording.chainId;
    if (method === 'eth_blockNumber') return blocks.at(-1)?.block.number;
    if (method === 'eth_getBlockByNumber') {
      const found = first === 'latest' ? blocks.at(-1) : blocks.find(({ block }) => block.number === first);
      if (!found) return null;
      const hashes = found.block.transactions.map(({ hash }) => hash);
      return withTransactions ? found.block : { ...found.block, transactions: hashes };
    }
    if (method === 'eth_getLogs') {
      const { blockHash, address } = first as { blockHash?: string; address?: string | string[] };
      const found = blocks.find(({ block }) => block.hash === blockHash);
      if (!found) throw new Error('Only the logs of a block that is there can be had, by its blockHash.');
      const addresses = [address ?? []].flat().map((each) => each.toLowerCase());
      return found.logs.filter((log) => addresses.length === 0 || addresses.includes(log.address.toLowerCase()));
    }
    if (method === 'eth_getBlockReceipts') {
      const found = blocks.find(({ block }) => block.hash === first);
      const receipts = found?.receipts.map((receipt) => {
        const logs = found.logs.filter(({ transactionHash }) => transactionHash === receipt.transactionHash);
        return { ...receipt, logs };
      });
      return receipts ?? null;
    }
    if (method === 'eth_getTransactionReceipt') {
      const receipts = blocks.flatMap((block) => block.receipts);
      return receipts.find(({ transactionHash }) => transactionHash === first) ?? null;
    }
    throw new Error('A recorded chain can only be watched.');
  }

  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const reply: Record<string, unknown> = { jsonrpc: '2.0', id: null };
    try {
      const { id, method, params } = JSON.parse(text);
      reply.id = id;
      reply.result = answer(method, params);
    } catch (error) {
      reply.error = { code: -32601, message: (error as Error).message };
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  function release(): boolean {
    if (released === recording.blocks.length) return false;
    released++;
    return true;
  }
  const timer = blockMs > 0 ? setInterval(release, blockMs) : undefined;

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    recording,
    release,
    async close() {
      clearInterval(timer);
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

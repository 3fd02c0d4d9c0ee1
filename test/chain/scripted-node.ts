import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Hex, hexToBytes, keccak256, padHex, toHex } from 'viem';

/** A log as a test gives it: the node says where it is. */
export interface ScriptedLog {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

export interface ScriptedTransaction {
  readonly from?: Hex;
  readonly to?: Hex | null;
  readonly input?: Hex;
  readonly failed?: boolean;
  readonly logs?: readonly ScriptedLog[];
}

/** What a node would answer; a test may give anything else. */
type Answering = (method: string, params: readonly unknown[], answer: unknown) => unknown;

/** What is not the result of a call: sent as it is. */
export class Raw {
  constructor(
    readonly body: string,
    readonly status = 200,
    readonly headers: Record<string, string> = {},
  ) {}
}

export type ScriptedNode = Awaited<ReturnType<typeof startNode>>;
export type Mined = ReturnType<typeof blockOf>;

/** What one of the nodes behind the URL sees of the chain. */
export interface NodeView {
  readonly chain: readonly Mined[];
  readonly finalized?: number | undefined;
  readonly safe?: number | undefined;
  readonly chainId?: number | undefined;
}

const NOBODY = padHex('0x', { size: 20 });

/** A node with the chain that a test gives it, over real HTTP. */
export async function startNode() {
  let chain: Mined[] = [];
  let minted = 0;
  let tags: Pick<NodeView, 'finalized' | 'safe' | 'chainId'> = {};
  let viewing = (): NodeView => ({ ...tags, chain });
  let answering: Answering = (_, __, answer) => answer;
  const blocks = new Map<string, Mined['block']>();
  const calls: { readonly method: string; readonly params: readonly unknown[] }[] = [];
  const waiting: ServerResponse[] = [];

  function answerOf(method: string, params: readonly unknown[]): unknown {
    const [first] = params;
    const { chain, chainId = 0x7a69, finalized = -1, safe = -1 } = viewing();
    if (method === 'eth_chainId') return toHex(chainId);
    if (method === 'eth_blockNumber') return toHex(chain.length - 1);
    if (method === 'eth_getBlockByNumber') {
      const numbers: Record<string, number> = { latest: chain.length - 1, finalized, safe };
      const mined = chain[numbers[String(first)] ?? Number(first)];
      return mined ? (params[1] ? mined.block : { ...mined.block, transactions: [] }) : null;
    }
    if (method === 'eth_getBlockByHash') {
      // A node also has blocks that a re-org replaced.
      const block = blocks.get(String(first));
      return block && Number(block.number) < chain.length ? { ...block, transactions: [] } : null;
    }
    if (method === 'eth_getLogs') {
      const { blockHash, address, fromBlock, toBlock } = first as Record<string, Hex> & { address: Hex[] };
      const found = chain.filter(({ block: { hash, number } }) =>
        blockHash ? hash === blockHash : Number(number) >= Number(fromBlock) && Number(number) <= Number(toBlock),
      );
      if (blockHash && found.length === 0) throw new Error('unknown block');
      return found.flatMap(({ logs }) => logs.filter((log) => address.includes(log.address)));
    }
    if (method === 'eth_getTransactionReceipt') {
      return chain.flatMap(({ receipts }) => receipts).find(({ transactionHash }) => transactionHash === first) ?? null;
    }
    throw new Error(`no method ${method}`);
  }

  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const { id, method, params } = JSON.parse(text);
    calls.push({ method, params });
    let result: unknown;
    try {
      result = await answering(method, params, answerOf(method, params));
    } catch (error) {
      const { message } = error as Error;
      result = new Raw(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message } }));
    }
    if (result === undefined) return void waiting.push(response);
    const raw = result instanceof Raw ? result : new Raw(JSON.stringify({ jsonrpc: '2.0', id, result }));
    response.writeHead(raw.status, { 'content-type': 'application/json', ...raw.headers }).end(raw.body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  function mine(...transactions: readonly ScriptedTransaction[]): Mined {
    const parent = chain.at(-1)?.block.hash ?? padHex('0x', { size: 32 });
    const mined = blockOf(chain.length, parent, ++minted, transactions);
    chain.push(mined);
    blocks.set(mined.block.hash, mined.block);
    return mined;
  }
  mine();

  return {
    origin,
    url: `${origin}/`,
    calls,
    mine,
    /** Takes blocks away; what is mined then stands in their place. */
    drop(depth: number) {
      chain = chain.slice(0, chain.length - depth);
    },
    get chain(): readonly Mined[] {
      return chain;
    },
    /** Goes on with blocks that there have been before. */
    set chain(blocks: readonly Mined[]) {
      chain = [...blocks];
    },
    /** The blocks of the tags and the chain ID; a tag without a number is a block that the node does not have. */
    set(given: typeof tags) {
      tags = { ...tags, ...given };
    },
    /** Lets one of several nodes answer each request: a load balancer. */
    behind(pick: () => NodeView) {
      viewing = pick;
    },
    /** Answers otherwise: undefined lets a caller wait, an error is one of the node. */
    answer(how: Answering) {
      answering = how;
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function blockOf(number: number, parentHash: Hex, seed: number, transactions: readonly ScriptedTransaction[]) {
  // Of another number, a block has another hash.
  const hash = padHex(toHex(number * 2 ** 32 + 0xb0000000 + seed), { size: 32 });
  const where = { blockNumber: toHex(number), blockHash: hash };
  let logIndex = 0;
  const each = transactions.map(({ from = NOBODY, to = NOBODY, input = '0x', failed = false, logs = [] }, at) => {
    const transactionHash = padHex(toHex(0x7a000000 + seed * 1000 + at), { size: 32 });
    const place = { ...where, transactionHash, transactionIndex: toHex(at) };
    const written = logs.map((log) => ({ ...log, ...place, logIndex: toHex(logIndex++), removed: false }));
    return {
      transaction: {
        ...{ ...where, hash: transactionHash, transactionIndex: toHex(at), from, to, input, type: '0x2' },
        ...{ chainId: '0x7a69', nonce: toHex(at), gas: '0x5208', gasPrice: '0x1', maxFeePerGas: '0x2' },
        ...{ maxPriorityFeePerGas: '0x1', value: '0x0', accessList: [], v: '0x0', r: '0x1', s: '0x2', yParity: '0x0' },
      },
      receipt: { ...place, status: failed ? '0x0' : '0x1' },
      logs: written,
    };
  });
  const logsBloom = bloomOf(each.flatMap(({ logs }) => logs.map(({ address }) => address)));
  const block = {
    ...{ number: toHex(number), hash, parentHash, timestamp: toHex(1_800_000_000 + number), logsBloom },
    transactions: each.map(({ transaction }) => transaction),
  };
  return { block, logs: each.flatMap(({ logs }) => logs), receipts: each.map(({ receipt }) => receipt) };
}

/** The bloom filter of a block, by the addresses of its logs alone. */
function bloomOf(addresses: readonly Hex[]): Hex {
  let bloom = 0n;
  for (const address of new Set(addresses)) {
    const hash = hexToBytes(keccak256(address));
    for (const at of [0, 2, 4]) bloom |= 1n << BigInt(((hash[at] as number) * 256 + (hash[at + 1] as number)) % 2048);
  }
  return padHex(toHex(bloom), { size: 256 });
}

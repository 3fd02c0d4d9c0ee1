import { isHash } from '../evm/hex.js';
import type { Hex } from '../evm/types.js';
import { isRecord } from '../internal/guards.js';
import {
  type Block,
  fieldsOf,
  hexOf,
  type Log,
  malformed,
  placeLogs,
  readBlock,
  readFailed,
  readLog,
  readTransaction,
  sendersOf,
  uniqueLogs,
} from './answers.js';
import type { BlockContents } from './block-events.js';
import { Blooms, type Emitted } from './blooms.js';
import type { Habits, Oddities } from './habits.js';
import type { ChainNode } from './node.js';
import { RangeFlaw } from './range-flaw.js';
import { createTurns, ifRefused, RpcError } from './rpc.js';
import type { Watched } from './watched.js';

type Caller = Pick<ChainNode, 'call'>;

interface Sent extends Emitted {
  readonly raw: unknown;
  readonly where: string;
}

/** The logs of watched contracts in a block. */
interface BlockLogs {
  readonly logs: readonly Log[];
  /** Whether there are provably no others. */
  readonly isProven: boolean;
  readonly oddities: Oddities;
}

/**
 * Reads the logs of blocks through one URL and proves that none is missing, because a node that does not have a block
 * yet may answer that the block has no logs. Proof is one of: a log of the block, which shows that the node has the
 * block; a bloom filter that excludes the watched contracts; a block without transactions; a receipt for each
 * transaction. The last two prove nothing on chains with logs outside transactions and without usable filters.
 */
export class Evidence {
  readonly #addresses: readonly string[];
  readonly blooms: Blooms;
  readonly #inTurn = createTurns(1);
  /** Whether the node has ever returned the receipts of a block. */
  #hasReceipts = false;
  #lacksReceipts = false;

  constructor(
    readonly watched: Watched,
    readonly habits: Habits,
  ) {
    this.#addresses = [...watched.contracts.keys()];
    this.blooms = new Blooms(watched);
  }

  /**
   * Reads a block with its logs and transactions. Requests the logs at once if the block is known to have some
   * (`hasLogs`), otherwise only if its header does not prove that it has none.
   *
   * @returns Undefined if the node does not have the block.
   * @throws RangeFlaw `absent` if the node refuses the request for the block, `changed` if the block was replaced between
   * two calls, `odd` if an answer is odd and the chain is not known to give such answers.
   */
  async contentsOf(node: Caller, number: number, hasLogs: boolean): Promise<BlockContents | undefined> {
    const read = async (isFull: boolean) =>
      readBlock(await node.call('eth_getBlockByNumber', [hexOf(number), isFull]).catch(refusedBlock), number);
    const isFull = hasLogs || this.watched.wallets.size > 0;
    const header = await read(isFull);
    if (!header) return undefined;
    const { logs, isProven, oddities } = await this.#logsOf(node, header, hasLogs);
    const block = isFull || logs.length === 0 ? header : await read(true);
    if (block?.hash !== header.hash) throw replaced(number);
    const placed = placeLogs(logs, block, oddities);
    const failed = new Map<number, boolean | undefined>();
    const { wallets } = this.watched;
    const senders = wallets.size > 0 ? sendersOf(block, oddities) : [];
    for (const [index, sender] of senders.entries()) {
      if (!sender || !wallets.has(sender)) continue;
      const { hash } = readTransaction(block, index);
      failed.set(index, readFailed(await node.call('eth_getTransactionReceipt', [hash]), block, hash));
    }
    this.habits.settle(block, oddities);
    return { block, logs: placed, isProven, failed };
  }

  async #logsOf(node: Caller, block: Block, hasLogs: boolean): Promise<BlockLogs> {
    const oddities: Oddities = new Map();
    const ask = async () => {
      const sent = await this.#logs(node, block, oddities, this.#addresses);
      this.blooms.test(block.bloom, sent);
      return sent;
    };
    let own = hasLogs && this.#addresses.length > 0 ? await ask() : undefined;
    const prove = async (): Promise<BlockLogs> => {
      own ??= this.#proves(block, []) ? [] : await ask();
      const had = this.#watched(own, oddities);
      if (this.#proves(block, own)) return { logs: had, isProven: true, oddities };
      const all =
        (await this.#unfiltered(node, block, oddities).catch(none)) ??
        (await this.#receipts(node, block, oddities).catch(none));
      const found = all ? this.#watched(all, oddities) : had;
      // Another node may have answered, so the logs are merged.
      if (found.length < had.length) return { logs: had, isProven: false, oddities };
      return { logs: found, isProven: all !== undefined, oddities };
    };
    // One block can show that bloom filters are reliable, which saves the requests for others.
    const isOpen = this.blooms.isOpen(block.bloom) && !this.#proves(block, own ?? []);
    return isOpen ? this.#inTurn(prove) : prove();
  }

  /**
   * Accepts an unproven block if the node can never prove it.
   *
   * @returns Whether the block is proven after all.
   * @throws RangeFlaw `unproven` if the node is only behind.
   */
  async accept(node: Caller, block: Block): Promise<boolean> {
    const { number, hash, bloom } = block;
    const unproven = new RangeFlaw('unproven', `The node did not prove which logs block ${number} (${hash}) has`);
    if (!this.blooms.isUseless(bloom)) throw unproven;
    if (!this.#hasReceipts && !this.#lacksReceipts) {
      const latest = await node.call('eth_getBlockByNumber', ['latest', false]);
      const receipts = await node.call('eth_getBlockReceipts', ['latest']).catch(none);
      const { transactions } = Object(latest);
      const isEmpty = Array.isArray(transactions) && transactions.length === 0;
      this.#lacksReceipts = !Array.isArray(receipts) || (receipts.length === 0 && !isEmpty);
      this.blooms.trustsZeros ||= this.#lacksReceipts;
    }
    if (this.blooms.excludes(bloom)) return true;
    if (!this.#lacksReceipts && this.#trustsTransactions) throw unproven;
    this.habits.warnUnprovable(block);
    return false;
  }

  #watched(sent: readonly Sent[], oddities: Oddities): Log[] {
    const own = sent.filter(({ address }) => this.#addresses.includes(address));
    return uniqueLogs(
      own.map(({ raw, where }) => readLog(raw, where)),
      oddities,
    );
  }

  #proves(block: Block, own: readonly Sent[]): boolean {
    if (this.#addresses.length === 0) return true;
    const { bloom, transactions } = block;
    const hasAll = this.blooms.hits(bloom).every((hit) => own.some(({ address }) => address === hit));
    if (this.blooms.excludes(bloom)) return hasAll;
    if (own.length > 0 || transactions.length > 0) return own.length > 0;
    return this.blooms.isUseless(bloom) ? this.#trustsTransactions || this.blooms.state === 'held' : hasAll;
  }

  /** Whether every log seen so far belongs to a transaction. */
  get #trustsTransactions(): boolean {
    return !this.habits.has('transaction');
  }

  /** The logs in the receipts of the block's transactions; undefined unless all are there. */
  async #receipts(node: Caller, block: Block, oddities: Oddities): Promise<Sent[] | undefined> {
    const answer = await node.call('eth_getBlockReceipts', [block.hash]);
    if (!Array.isArray(answer) || answer.length === 0) return undefined;
    const missing = new Set(block.transactions.map((each) => String(isRecord(each) ? each.hash : each).toLowerCase()));
    const logs = answer.flatMap((receipt, at) => {
      missing.delete(fieldsOf(receipt, `receipts[${at}]`).hash('transactionHash'));
      return ofBlock(receipt.logs, block, oddities);
    });
    if (missing.size > 0 || answer.some(({ blockHash }) => String(blockHash).toLowerCase() !== block.hash))
      return undefined;
    this.#hasReceipts = true;
    this.blooms.trustsZeros ||= logs.length === 0;
    this.blooms.test(block.bloom, logs);
    const isOf = this.blooms.isOf(block.bloom, logs);
    // A log without a transaction may equal one that has one.
    const isAll = this.#trustsTransactions
      ? isOf || this.blooms.isUseless(block.bloom)
      : isOf && logs.length === 0 && this.blooms.state === 'held';
    return isAll ? logs : undefined;
  }

  /** All logs of the block, if it has any and they match its bloom filter. */
  async #unfiltered(node: Caller, block: Block, oddities: Oddities): Promise<Sent[] | undefined> {
    const logs = await this.#logs(node, block, oddities);
    if (logs.length === 0) return undefined;
    this.blooms.test(block.bloom, logs);
    if (this.blooms.isUseless(block.bloom) || this.blooms.isOf(block.bloom, logs)) return logs;
    this.habits.settle(block, new Map([['filter', logs]]));
    this.blooms.state = 'broken';
    return logs;
  }

  async #logs(node: Caller, block: Block, oddities: Oddities, address?: readonly string[]): Promise<Sent[]> {
    // By hash, because a re-org may have put another block at this number.
    return ofBlock(await node.call('eth_getLogs', [{ blockHash: block.hash, address }]), block, oddities);
  }
}

/** Some nodes return an error for a number without a block. */
function refusedBlock(error: unknown): never {
  ifRefused(error);
  throw new RangeFlaw('absent', (error as Error).message.replace(/\.$/, ''));
}

export function replaced(number: number): RangeFlaw {
  return new RangeFlaw('changed', `Block ${number} was replaced while it was read`);
}

/** A refused request for proof counts as missing proof. */
function none(error: unknown): undefined {
  if (!(error instanceof RpcError) || error.reason === 'aborted' || error.reason === 'rate-limited') throw error;
}

/** The logs of an answer that belong to the block. */
function ofBlock(answer: unknown, { hash }: Block, oddities: Oddities): Sent[] {
  if (!Array.isArray(answer)) return malformed('logs', 'an array');
  const own = answer.flatMap((raw, at): Sent[] => {
    const where = `logs[${at}]`;
    const read = fieldsOf(raw, where);
    if (read.hash('blockHash') !== hash) return [];
    const { topics } = raw;
    if (!Array.isArray(topics) || !topics.every(isHash)) return malformed(`${where}.topics`, 'an array of hashes');
    const lower = topics.map((topic) => topic.toLowerCase() as Hex);
    return [{ raw, where, address: read.address('address'), topics: lower }];
  });
  // A re-org may have happened between the two answers.
  if (own.length < answer.length) oddities.set('foreign', answer);
  return own;
}

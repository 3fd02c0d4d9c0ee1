import { isHash } from '../evm/hex.js';
import { isRecord } from '../internal/guards.js';
import { type Block, fieldsOf, malformed } from './answers.js';
import { Blooms, type Emitted } from './blooms.js';
import { RangeFlaw } from './range-flaw.js';
import { createTurns, type Rpc, RpcError } from './rpc.js';
import type { Watched } from './watched.js';

interface Sent extends Emitted {
  readonly raw: unknown;
}

/** The logs of watched contracts in a block. */
export interface BlockLogs {
  /** As the node sent them: only what proves them is checked. */
  readonly raw: readonly unknown[];
  /** Whether it is proven that there are no others. */
  readonly isProven: boolean;
}

/**
 * Reads the logs of blocks through one URL, and what proves them: a node that does not have a block yet may answer that it has no
 * logs. Proof is a log of the block that the node returned, since then it has the block; a bloom filter that excludes what is
 * watched; no transactions; or a receipt of each transaction.
 */
export class Evidence {
  readonly #addresses: readonly string[];
  readonly #blooms: Blooms;
  readonly #inTurn = createTurns(1);
  /** Whether the receipts of a block ever came. */
  #hasReceipts = false;
  #lacksReceipts = false;

  constructor(watched: Watched) {
    this.#addresses = [...watched.contracts.keys()];
    this.#blooms = new Blooms(watched);
  }

  /** Whether a bloom filter did not contain a log of its block. */
  get isBroken(): boolean {
    return this.#blooms.isBroken;
  }

  /** The logs of a block. Unless `isKnown`, they are not asked for where it is clear that there are none. */
  async logsOf(call: Rpc, block: Block, isKnown: boolean): Promise<BlockLogs> {
    let own: readonly Sent[] = [];
    let isAsked = this.#addresses.length === 0;
    const ask = async () => {
      isAsked = true;
      own = await this.#logs(call, block, this.#addresses);
      this.#blooms.test(block.bloom, own);
    };
    if (isKnown && !isAsked) await ask();
    const prove = async (): Promise<BlockLogs> => {
      if (!isAsked && !this.#proves(block, own)) await ask();
      let all = this.#proves(block, own) ? own : await this.#receipts(call, block).catch(none);
      all ??= await this.#unfiltered(call, block).catch(none);
      const [found, had] = [all ?? own, own].map((logs) => this.#watched(logs)) as [unknown[], unknown[]];
      // Another node may have answered: no log is left out.
      if (found.length < had.length) return { raw: had, isProven: false };
      return { raw: found, isProven: all !== undefined || this.#proves(block, own) };
    };
    // One block may show what the bloom filters are worth, which spares the requests for others.
    const isOpen = this.#blooms.isOpen(block.bloom) && !this.#proves(block, own);
    return isOpen ? this.#inTurn(prove) : prove();
  }

  /** What a block counts as that was not proven, where the node cannot prove it: undefined if it can, and is behind. */
  async lastResort(call: Rpc, block: Block): Promise<'proven' | 'unproven' | undefined> {
    if (this.#hasReceipts || !this.#blooms.isUseless(block.bloom)) return undefined;
    if (!this.#lacksReceipts) {
      // Every node has the block that is its last.
      const latest = await call('eth_getBlockByNumber', ['latest', false]);
      const receipts = await call('eth_getBlockReceipts', ['latest']).catch(none);
      const { transactions } = Object(latest);
      const isEmpty = Array.isArray(transactions) && transactions.length === 0;
      this.#lacksReceipts = !Array.isArray(receipts) || (receipts.length === 0 && !isEmpty);
      this.#blooms.trustsZeros ||= this.#lacksReceipts;
    }
    if (!this.#lacksReceipts) return undefined;
    return this.#blooms.excludes(block.bloom) ? 'proven' : 'unproven';
  }

  #watched(logs: readonly Sent[]): unknown[] {
    return logs.filter(({ address }) => this.#addresses.includes(address)).map(({ raw }) => raw);
  }

  #proves({ bloom, transactions }: Block, own: readonly Sent[]): boolean {
    if (this.#addresses.length === 0) return true;
    const hasAll = this.#blooms.hits(bloom).every((hit) => own.some(({ address }) => address === hit));
    if (this.#blooms.excludes(bloom)) return hasAll;
    return own.length > 0 || (transactions.length === 0 && (hasAll || this.#blooms.isUseless(bloom)));
  }

  /** The logs in the receipts of the block's transactions; undefined unless all are there. */
  async #receipts(call: Rpc, block: Block): Promise<Sent[] | undefined> {
    const answer = await call('eth_getBlockReceipts', [block.hash]);
    if (!Array.isArray(answer) || answer.length === 0) return undefined;
    const missing = new Set(block.transactions.map((each) => String(isRecord(each) ? each.hash : each).toLowerCase()));
    const logs = answer.flatMap((receipt, at) => {
      missing.delete(fieldsOf(receipt, `receipts[${at}]`).hash('transactionHash'));
      return sentOf(receipt.logs, block);
    });
    if (missing.size > 0 || answer.some(({ blockHash }) => String(blockHash).toLowerCase() !== block.hash))
      return undefined;
    this.#hasReceipts = true;
    this.#blooms.trustsZeros ||= logs.length === 0;
    this.#blooms.test(block.bloom, logs);
    return logs;
  }

  /** All logs of the block, if there are any and they are those of its bloom filter, where that says something. */
  async #unfiltered(call: Rpc, block: Block): Promise<Sent[] | undefined> {
    const logs = await this.#logs(call, block);
    this.#blooms.test(block.bloom, logs);
    const isAll = this.#blooms.isUseless(block.bloom) || this.#blooms.isOf(block.bloom, logs);
    return logs.length > 0 && isAll ? logs : undefined;
  }

  async #logs(call: Rpc, block: Block, address?: readonly string[]): Promise<Sent[]> {
    // By hash: after a re-org, another block has this number.
    return sentOf(await call('eth_getLogs', [{ blockHash: block.hash, address }]), block);
  }
}

/** The error for a block whose logs are not proven. */
export function unproven({ number, hash }: Block): RangeFlaw {
  return new RangeFlaw('unproven', `The node did not prove which logs block ${number} (${hash}) has`);
}

/** The warning for the first block that is processed without proof. */
export function unprovable(which: string): string {
  return `The node cannot prove which logs block ${which} has: bloom filters of this chain cannot be used, and eth_getBlockReceipts is not offered. Such blocks are processed after another try, but a node that lags may hide their events. Use another node to be certain.`;
}

/** Proof that a node refuses is missing, as if it did not have it. */
function none(error: unknown): undefined {
  if (!(error instanceof RpcError) || error.reason === 'aborted' || error.reason === 'rate-limited') throw error;
}

function sentOf(answer: unknown, { hash, number }: Block): Sent[] {
  if (!Array.isArray(answer)) return malformed('logs', 'an array');
  return answer.map((raw, at) => {
    const where = `logs[${at}]`;
    const read = fieldsOf(raw, where);
    // A re-org may have happened between the two answers.
    if (read.hash('blockHash') !== hash) malformed(where, `a log of the requested block ${number}`);
    const { topics } = raw;
    if (!Array.isArray(topics) || !topics.every(isHash)) return malformed(`${where}.topics`, 'an array of hashes');
    return { raw, address: read.address('address'), topics: topics.map((topic) => topic.toLowerCase() as never) };
  });
}

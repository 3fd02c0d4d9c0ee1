import type { WebhookEvent } from '../../events/types.js';
import {
  type Block,
  hexOf,
  type Log,
  readBlock,
  readFailed,
  readLogs,
  readTransaction,
  sendersOf,
} from '../answers.js';
import { eventsOf, type OnUnknown } from '../block-events.js';
import { RpcError } from '../rpc.js';
import type { Watched } from '../watched.js';
import type { BloomTest } from './bloom.js';
import { type ChainNode, CONCURRENCY } from './chain-node.js';
import { type FoundLogs, readSealed, type SealedHeader, sortLogs } from './range-answers.js';
import { RangeFlaw } from './range-flaw.js';

/** The events of a block. */
export interface BlockEvents {
  readonly header: SealedHeader;
  readonly events: readonly WebhookEvent[];
  /** Returns the same text for each node that has the same logs. */
  digest(): string;
}

/** What is read, and how. */
export interface RangeSettings {
  readonly watched: Watched;
  readonly bloomTest: BloomTest;
  readonly onUnknown: OnUnknown;
}

/** Logs of a range of several blocks. Bounds memory: their events are kept until they are handled. */
const MOST_LOGS = 10_000;

/**
 * Reads the blocks of a range from a node, each linked to the one before. A range only tells which blocks have logs: nodes cut
 * their answers, in any order and within a block, so the logs themselves are asked for by the hash of their block. With
 * `isExact`, those of each block are.
 */
export async function readRange(
  node: ChainNode,
  [from, to]: readonly [number, number],
  isExact: boolean,
  settings: RangeSettings,
): Promise<BlockEvents[]> {
  const { watched } = settings;
  const asked = new Set(watched.contracts.keys());
  let found: ReadonlyMap<number, FoundLogs> = new Map();
  if (!isExact && asked.size > 0) {
    const filter = { fromBlock: hexOf(from), toBlock: hexOf(to), address: [...asked] };
    const answer = await node.call('eth_getLogs', [filter]);
    if (Array.isArray(answer) && answer.length > MOST_LOGS && from < to) {
      throw new RpcError(`The range has more than ${MOST_LOGS} logs.`, { reason: 'too-long' });
    }
    found = sortLogs(answer, asked, from, to);
  }
  const blocks: BlockEvents[] = [];
  let failure: { error: unknown } | undefined;
  let next = from;
  async function work(): Promise<void> {
    while (next <= to && !failure) {
      const number = next++;
      try {
        blocks[number - from] = await readOne(node, number, found.get(number), isExact, settings);
      } catch (error) {
        failure ??= { error };
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, to - from + 1) }, work));
  if (failure) throw failure.error;
  const broken = blocks.find(({ header }, at) => at > 0 && header.parentHash !== blocks[at - 1]?.header.hash);
  if (broken) throw new RangeFlaw('changed', `Block ${broken.header.number} does not follow the block before it`);
  return blocks;
}

async function readOne(
  node: ChainNode,
  number: number,
  found: FoundLogs | undefined,
  isExact: boolean,
  settings: RangeSettings,
): Promise<BlockEvents> {
  const { watched, bloomTest, onUnknown } = settings;
  const ask = async (isFull: boolean) => node.call('eth_getBlockByNumber', [hexOf(number), isFull]);
  let isFull = found !== undefined || watched.wallets.size > 0;
  let answer = await ask(isFull);
  const header = readSealed(answer, number);
  if (!header) throw new RangeFlaw('changed', `The node does not have block ${number}, which is final`);
  if (found && found.blockHash !== header.hash)
    throw new RangeFlaw('changed', `Block ${number} was replaced while it was read`);
  let raw: readonly unknown[] = [];
  if (watched.contracts.size > 0 && (isExact || mayHave(header, found, bloomTest))) {
    raw = await logsOf(node, header, watched);
    const inRange = found?.raw.length ?? 0;
    if (!isExact && raw.length > inRange) {
      throw new RangeFlaw('cut', `The node left out logs of block ${number} when it returned a range of blocks`);
    }
    // Another node may have answered: no log is left out.
    if (raw.length < inRange) throw new RangeFlaw('changed', `A node no longer has all logs of block ${number}`);
  }
  if (raw.length > 0 && !isFull) {
    isFull = true;
    answer = await ask(true);
  }
  if (!isFull) return { header, events: [], digest: () => header.hash };

  const block = readBlock(answer, number);
  if (block?.hash !== header.hash) throw new RangeFlaw('changed', `Block ${number} was replaced while it was read`);
  const logs = readLogs(raw, block);
  const failed = await failedOf(node, block, watched);
  const events = eventsOf({ block, logs, failed }, watched, onUnknown).flat();
  return { header, events, digest: () => digestOf(header, logs, failed) };
}

/** Whether the block may have logs, found or not. */
function mayHave({ number, bloom }: SealedHeader, found: FoundLogs | undefined, bloomTest: BloomTest): boolean {
  const possible = bloomTest.matches(bloom);
  if (!possible || [...(found?.addresses ?? [])].some((address) => !possible.includes(address))) {
    throw new RangeFlaw('bloom', `Block ${number} has a log that its bloom filter excludes, or has no bloom filter`);
  }
  return possible.length > 0;
}

/** The logs of the block by its hash: a node that does not have the block answers with an error. */
async function logsOf(node: ChainNode, { hash, number }: SealedHeader, { contracts }: Watched) {
  const answer = await node.call('eth_getLogs', [{ blockHash: hash, address: [...contracts.keys()] }]);
  return sortLogs(answer, new Set(contracts.keys()), number, number).get(number)?.raw ?? [];
}

/** Whether the transactions of watched wallets failed, by position in the block. */
async function failedOf(node: ChainNode, block: Block, { wallets }: Watched) {
  const failed = new Map<number, boolean | undefined>();
  if (wallets.size === 0) return failed;
  for (const [index, sender] of sendersOf(block).entries()) {
    if (!wallets.has(sender)) continue;
    const { hash } = readTransaction(block, index);
    failed.set(index, readFailed(await node.call('eth_getTransactionReceipt', [hash]), block, hash));
  }
  return failed;
}

function digestOf({ hash }: SealedHeader, logs: readonly Log[], failed: ReadonlyMap<number, boolean | undefined>) {
  const places = logs.map(({ address, topics, data, logIndex, transactionIndex }) =>
    [logIndex, transactionIndex, address, topics, data].join(),
  );
  return [hash, ...places, ...[...failed].map(String)].join(' ');
}

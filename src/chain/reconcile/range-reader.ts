import type { WebhookEvent } from '../../events/types.js';
import { fieldsOf, type Header, hexOf, type Log, malformed, placeLogs, readBlock } from '../answers.js';
import { eventsOf, type OnUnknown } from '../block-events.js';
import { failedOf } from '../chain-reader.js';
import { unproven } from '../evidence.js';
import { type Habits, type Oddities, untilSure } from '../habits.js';
import { RangeFlaw } from '../range-flaw.js';
import { ifRefused, RpcError } from '../rpc.js';
import type { Watched } from '../watched.js';
import { type ChainNode, CONCURRENCY } from './chain-node.js';

/** The events of a block. */
export interface BlockEvents {
  readonly header: Header;
  readonly events: readonly WebhookEvent[];
  /** Whether the node could not prove that the block has no other events. */
  readonly isUnproven: boolean;
  /** A digest of the logs, to compare nodes. */
  digest(): string;
}

export interface RangeSettings {
  readonly watched: Watched;
  readonly onUnknown: OnUnknown;
  readonly habits: Habits;
  /** Whether to accept blocks that the node cannot prove. */
  readonly acceptsUnproven: boolean;
}

/** Maximum number of logs in a range of several blocks. Bounds memory: their events are kept until they are handled. */
const MOST_LOGS = 10_000;

/**
 * Reads the blocks of a range from a node, each linked to the previous one, the first to `last` if given. Numbers
 * without a block are skipped if the next block follows the previous one; such numbers at the end are left for the next
 * range.
 *
 * A range request only shows which blocks have logs, because nodes truncate such answers. The logs are requested by
 * block hash.
 */
export async function readRange(
  node: ChainNode,
  [from, to]: readonly [number, number],
  settings: RangeSettings,
  last?: Header,
): Promise<BlockEvents[]> {
  const { watched } = settings;
  const { blooms } = node.evidence;
  const wasBroken = blooms.state === 'broken';
  const asked = new Set(watched.contracts.keys());
  let found: ReadonlyMap<number, FoundLogs> = new Map();
  if (from < to && !wasBroken && asked.size > 0) {
    const filter = { fromBlock: hexOf(from), toBlock: hexOf(to), address: [...asked] };
    const answer = await node.call('eth_getLogs', [filter]);
    if (Array.isArray(answer) && answer.length > MOST_LOGS) {
      throw new RpcError(`The range has more than ${MOST_LOGS} logs.`, { reason: 'too-long' });
    }
    found = countLogs(answer, asked, from, to);
  }
  const read: (BlockEvents | RangeFlaw)[] = [];
  let failure: { error: unknown } | undefined;
  // Blocks with logs first: they show if bloom filters are reliable.
  const rest = Array.from({ length: to - from + 1 }, (_, at) => from + at).filter((number) => !found.has(number));
  const numbers = [...found.keys(), ...rest].values();
  async function work(): Promise<void> {
    for (const number of numbers) {
      if (failure) return;
      try {
        read[number - from] = await untilSure(() => readOne(node, number, found.get(number), settings));
      } catch (error) {
        failure ??= { error };
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, to - from + 1) }, work));
  if (failure) throw failure.error;
  const blocks: BlockEvents[] = [];
  let [before, gap]: [Header | undefined, RangeFlaw | undefined] = [last, undefined];
  for (const block of read) {
    if (block instanceof RangeFlaw) {
      gap ??= block;
      continue;
    }
    const { header } = block;
    if (gap && from > 0) before ??= await node.header(from - 1);
    if (before ? header.parentHash !== before.hash : gap) {
      throw gap ?? new RangeFlaw('changed', `Block ${header.number} does not follow the block before it`);
    }
    gap = undefined;
    before = header;
    blocks.push(block);
  }
  if (gap && blocks.length === 0) throw new RangeFlaw('empty', gap.what);
  // Some blocks may have been read because of their filters.
  if (blooms.state === 'broken' && !wasBroken) {
    throw new RangeFlaw(
      'bloom',
      `A block from ${from} to ${to} has a log that its bloom filter excludes, or no such filter`,
    );
  }
  return blocks;
}

async function readOne(
  node: ChainNode,
  number: number,
  found: FoundLogs | undefined,
  { watched, onUnknown, habits, acceptsUnproven }: RangeSettings,
): Promise<BlockEvents | RangeFlaw> {
  const ask = async (isFull: boolean) =>
    readBlock(await node.call('eth_getBlockByNumber', [hexOf(number), isFull]), number);
  const isFull = found !== undefined || watched.wallets.size > 0;
  const header = await ask(isFull).catch(absent);
  if (!header || header instanceof RangeFlaw) {
    const flaw = header ?? new RangeFlaw('absent', `The node does not have block ${number}, which is final`);
    if (found) throw flaw;
    return flaw;
  }
  const replaced = () => new RangeFlaw('changed', `Block ${number} was replaced while it was read`);
  const count = found ? found.get(header.hash) : 0;
  if (count === undefined) throw replaced();
  const oddities: Oddities = new Map();
  const { logs: own, isProven } = await node.evidence.logsOf(node.call, header, found !== undefined, oddities);
  const resort = isProven || !acceptsUnproven ? undefined : await node.evidence.lastResort(node.call, header);
  if (!isProven && !resort) throw unproven(header);
  const isUnproven = resort === 'unproven';
  // Another node may have answered, so logs that only the range request listed are missing.
  if (own.length < count) throw new RangeFlaw('changed', `A node no longer has all logs of block ${number}`);

  const block = isFull || own.length === 0 ? header : await ask(true);
  if (block?.hash !== header.hash) throw replaced();
  const logs = placeLogs(own, block, oddities);
  const failed = await failedOf(node.call, block, watched, oddities);
  habits.settle(block, oddities);
  const events = eventsOf({ block, logs, failed }, watched, onUnknown).flat();
  return { header, events, isUnproven, digest: () => digestOf(header, logs, failed) };
}

/** Some nodes return an error for a number without a block. */
function absent(error: unknown): RangeFlaw {
  ifRefused(error);
  return new RangeFlaw('absent', (error as Error).message.replace(/\.$/, ''));
}

function digestOf({ hash }: Header, logs: readonly Log[], failed: ReadonlyMap<number, boolean | undefined>) {
  const places = logs.map(({ address, topics, data, logIndex, transactionHash }) =>
    [logIndex, transactionHash, address, topics, data].join(),
  );
  return [hash, ...places, ...[...failed].map(String)].join(' ');
}

/** Number of logs by block hash. */
type FoundLogs = ReadonlyMap<string, number>;

/**
 * Counts the logs in an answer to `eth_getLogs` by block number and hash. Ignores logs outside the request (other
 * addresses, other blocks, removed logs) and repeats.
 */
function countLogs(answer: unknown, addresses: ReadonlySet<string>, from: number, to: number): Map<number, FoundLogs> {
  if (!Array.isArray(answer)) return malformed('logs', 'an array');
  const blocks = new Map<number, Map<string, number>>();
  const counted = new Set<string>();
  for (const [at, log] of answer.entries()) {
    const read = fieldsOf(log, `logs[${at}]`);
    const number = read.position('blockNumber');
    if (Object(log).removed === true || !addresses.has(read.address('address')) || number < from || number > to)
      continue;
    const blockHash = read.hash('blockHash');
    const key = [blockHash, read.hash('transactionHash'), read.position('logIndex')].join();
    if (counted.has(key)) continue;
    counted.add(key);
    const found = blocks.get(number) ?? new Map<string, number>();
    blocks.set(number, found.set(blockHash, (found.get(blockHash) ?? 0) + 1));
  }
  return blocks;
}

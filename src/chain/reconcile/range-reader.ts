import { fieldsOf, type Header, hexOf, malformed } from '../answers.js';
import type { BlockContents } from '../block-events.js';
import { replaced } from '../evidence.js';
import { untilSure } from '../habits.js';
import { ifAbsent, RangeFlaw } from '../range-flaw.js';
import { CONCURRENCY, RpcError } from '../rpc.js';
import type { SourceNode } from './source-node.js';

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
  node: SourceNode,
  range: readonly [number, number],
  acceptsUnproven: boolean,
  last?: Header,
): Promise<BlockContents[]> {
  const [from, to] = range;
  const { blooms } = node.evidence;
  const wasBroken = blooms.state === 'broken';
  const found = from < to && !wasBroken ? await findLogs(node, range) : new Map<number, FoundLogs>();
  const read: (BlockContents | RangeFlaw)[] = [];
  let failure: { error: unknown } | undefined;
  // Blocks with logs first: they show if bloom filters are reliable.
  const rest = Array.from({ length: to - from + 1 }, (_, at) => from + at).filter((number) => !found.has(number));
  const numbers = [...found.keys(), ...rest].values();
  async function work(): Promise<void> {
    for (const number of numbers) {
      if (failure) return;
      try {
        read[number - from] = await untilSure(() => readOne(node, number, found.get(number), acceptsUnproven));
      } catch (error) {
        failure ??= { error };
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, to - from + 1) }, work));
  if (failure) throw failure.error;
  const blocks: BlockContents[] = [];
  let [before, gap]: [Header | undefined, RangeFlaw | undefined] = [last, undefined];
  for (const contents of read) {
    if (contents instanceof RangeFlaw) {
      gap ??= contents;
      continue;
    }
    const { block } = contents;
    if (gap && from > 0) before ??= await node.upTo(from - 1);
    if (before ? block.parentHash !== before.hash : gap) {
      throw gap ?? new RangeFlaw('changed', `Block ${block.number} does not follow the block before it`);
    }
    gap = undefined;
    before = block;
    blocks.push(contents);
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

/** @param found Its logs in the answer to a range request. */
async function readOne(
  node: SourceNode,
  number: number,
  found: FoundLogs | undefined,
  acceptsUnproven: boolean,
): Promise<BlockContents | RangeFlaw> {
  const { evidence } = node;
  const contents = await evidence.contentsOf(node, number, found !== undefined).catch(ifAbsent);
  if (!contents || contents instanceof RangeFlaw) {
    const flaw = contents ?? new RangeFlaw('absent', `The node does not have block ${number}, which is final`);
    if (found) throw flaw;
    return flaw;
  }
  const { block, logs } = contents;
  // A node that lags may prove it when it is asked again.
  if (!contents.isProven && !acceptsUnproven) throw new RangeFlaw('unproven', `Block ${number} is not proven`);
  const isProven = contents.isProven || (await evidence.accept(node, block));
  const count = found ? found.get(block.hash)?.size : 0;
  if (count === undefined) throw replaced(number);
  // Another node may have answered, so logs that only the range request listed are missing.
  if (logs.length < count) throw new RangeFlaw('changed', `A node no longer has all logs of block ${number}`);
  return { ...contents, isProven };
}

/** A digest of the logs of a block, to compare nodes. */
export function digestOf({ block, logs, failed }: BlockContents) {
  const places = logs.map(({ address, topics, data, logIndex, transactionHash }) =>
    [logIndex, transactionHash, address, topics, data].join(),
  );
  return [block.hash, ...places, ...[...failed].map(String)].join(' ');
}

/** The identities of logs by block hash. */
type FoundLogs = Map<string, Set<string>>;

/** Asks for the logs of a range, by block number. Ignores other addresses, other blocks and removed logs. */
async function findLogs(node: SourceNode, [from, to]: readonly [number, number]) {
  const { contracts } = node.evidence.watched;
  const blocks = new Map<number, FoundLogs>();
  if (contracts.size === 0) return blocks;
  const filter = { fromBlock: hexOf(from), toBlock: hexOf(to), address: [...contracts.keys()] };
  const answer = await node.call('eth_getLogs', [filter]);
  if (!Array.isArray(answer)) return malformed('logs', 'an array');
  if (answer.length > MOST_LOGS) {
    throw new RpcError(`The range has more than ${MOST_LOGS} logs.`, { reason: 'too-long' });
  }
  for (const [at, log] of answer.entries()) {
    const read = fieldsOf(log, `logs[${at}]`);
    const number = read.position('blockNumber');
    if (Object(log).removed === true || !contracts.has(read.address('address')) || number < from || number > to)
      continue;
    const hash = read.hash('blockHash');
    const found: FoundLogs = blocks.get(number) ?? new Map();
    const logs = found.get(hash) ?? new Set();
    blocks.set(number, found.set(hash, logs.add(`${read.hash('transactionHash')} ${read.position('logIndex')}`)));
  }
  return blocks;
}

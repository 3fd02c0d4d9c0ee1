import { isRecord } from '../../internal/guards.js';
import { fieldsOf, malformed } from '../answers.js';

/** How many logs a range has of a block, by the block's hash. */
export type FoundLogs = ReadonlyMap<string, number>;

/**
 * Counts the logs of an answer to `eth_getLogs` by the numbers and hashes of their blocks. Logs that were not asked for (other
 * addresses, other blocks, removed ones) are left out, and a log that is repeated counts once.
 */
export function countLogs(
  answer: unknown,
  addresses: ReadonlySet<string>,
  from: number,
  to: number,
): Map<number, FoundLogs> {
  if (!Array.isArray(answer)) return malformed('logs', 'an array');
  const blocks = new Map<number, Map<string, number>>();
  const counted = new Set<string>();
  for (const [at, log] of answer.entries()) {
    const read = fieldsOf(log, `logs[${at}]`);
    const number = read.position('blockNumber');
    const isRemoved = isRecord(log) && log.removed === true;
    if (isRemoved || !addresses.has(read.address('address')) || number < from || number > to) continue;
    const blockHash = read.hash('blockHash');
    const key = [blockHash, read.hash('transactionHash'), read.position('logIndex')].join();
    if (counted.has(key)) continue;
    counted.add(key);
    const found = blocks.get(number) ?? new Map<string, number>();
    blocks.set(number, found.set(blockHash, (found.get(blockHash) ?? 0) + 1));
  }
  return blocks;
}

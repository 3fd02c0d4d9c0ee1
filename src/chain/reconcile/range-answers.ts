import { isRecord } from '../../internal/guards.js';
import { fieldsOf, malformed } from '../answers.js';

/** Number of logs by block hash. */
export type FoundLogs = ReadonlyMap<string, number>;

/**
 * Counts the logs in an answer to `eth_getLogs` by block number and hash. Ignores logs outside the request (other
 * addresses, other blocks, removed logs) and repeats.
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

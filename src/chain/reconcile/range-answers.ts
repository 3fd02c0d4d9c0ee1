import type { Hex } from '../../evm/types.js';
import { isRecord } from '../../internal/guards.js';
import { fieldsOf, malformed } from '../answers.js';

/** The logs of a block that a range has. */
export interface FoundLogs {
  readonly blockHash: Hex;
  readonly count: number;
}

/**
 * Sorts the logs of an answer to `eth_getLogs` by the numbers of their blocks. Logs that were not asked for (other addresses,
 * other blocks, removed ones) are left out, and a log that is repeated counts once.
 */
export function sortLogs(
  answer: unknown,
  addresses: ReadonlySet<string>,
  from: number,
  to: number,
): Map<number, FoundLogs> {
  if (!Array.isArray(answer)) return malformed('logs', 'an array');
  const blocks = new Map<number, { blockHash: Hex; raw: Map<number, unknown> }>();
  for (const [at, log] of answer.entries()) {
    const where = `logs[${at}]`;
    const read = fieldsOf(log, where);
    const [number, blockHash, address] = [
      read.position('blockNumber'),
      read.hash('blockHash'),
      read.address('address'),
    ];
    const isRemoved = isRecord(log) && log.removed === true;
    if (isRemoved || !addresses.has(address) || number < from || number > to) continue;
    const block = blocks.get(number) ?? { blockHash, raw: new Map() };
    if (block.blockHash !== blockHash) malformed(where, `a log of the same block ${number} as the others`);
    blocks.set(number, block);
    const index = read.position('logIndex');
    const other = block.raw.get(index);
    if (other !== undefined && JSON.stringify(other) !== JSON.stringify(log)) {
      malformed(where, `the log that the answer already gave for logIndex ${index} of block ${number}`);
    }
    block.raw.set(index, log);
  }
  return new Map([...blocks].map(([number, { blockHash, raw }]) => [number, { blockHash, count: raw.size }]));
}

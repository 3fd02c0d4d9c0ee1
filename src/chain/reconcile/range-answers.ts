import type { Hex } from '../../evm/types.js';
import { isRecord } from '../../internal/guards.js';
import { fieldsOf, type Header, malformed, readHeader } from '../answers.js';

/** A header that tells which logs its block may have. */
export interface SealedHeader extends Header {
  /** Bloom filter of the block's logs as hex text; some chains have none. */
  readonly bloom: string;
}

/** Reads the header of a block; undefined when the node does not have it. */
export function readSealed(answer: unknown, number?: number): SealedHeader | undefined {
  const header = readHeader(answer, number);
  if (header === undefined) return undefined;
  const read = fieldsOf(answer, 'block');
  return { ...header, bloom: read.optional('logsBloom', read.bytes) ?? '' };
}

/** The logs of a block, as a node sent them. */
export interface FoundLogs {
  readonly blockHash: Hex;
  /** The addresses that emitted them. */
  readonly addresses: ReadonlySet<Hex>;
  /** Checked only as far as needed to sort them: `readLogs` checks the rest. */
  readonly raw: readonly unknown[];
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
  const blocks = new Map<number, { blockHash: Hex; addresses: Set<Hex>; raw: Map<number, unknown> }>();
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
    const block = blocks.get(number) ?? { blockHash, addresses: new Set(), raw: new Map() };
    if (block.blockHash !== blockHash) malformed(where, `a log of the same block ${number} as the others`);
    blocks.set(number, block);
    const index = read.position('logIndex');
    const other = block.raw.get(index);
    if (other !== undefined && JSON.stringify(other) !== JSON.stringify(log)) {
      malformed(where, `the log that the answer already gave for logIndex ${index} of block ${number}`);
    }
    block.raw.set(index, log);
    block.addresses.add(address);
  }
  return new Map([...blocks].map(([number, block]) => [number, { ...block, raw: [...block.raw.values()] }]));
}

import { RpcError } from './rpc.js';

const ABSENT = 'It lags, or has dropped the block. If this persists, use a node that keeps all blocks.';
const ENDINGS = {
  absent: ABSENT,
  empty: ABSENT,
  changed: 'The chain has changed, or the nodes behind the URL disagree.',
  bloom: 'Bloom filters of this chain cannot be used.',
  odd: 'A third identical answer is accepted.',
  unproven:
    'It may not have the block yet. If this persists, use another node, or one that offers eth_getBlockReceipts.',
};

/**
 * Why a range could not be read: its block was replaced, or only one of two nodes has it (`changed`); a bloom filter
 * does not match the logs of its block (`bloom`); the absence of logs is not proven (`unproven`); a block is missing
 * that the next one follows (`absent`); all blocks are missing (`empty`); or the answer is one that Ethereum does not
 * give (`odd`).
 */
export class RangeFlaw extends RpcError {
  constructor(
    readonly flaw: keyof typeof ENDINGS,
    readonly what: string,
  ) {
    super(`${what}. ${ENDINGS[flaw]}`, { reason: 'malformed' });
  }
}

/** Returns the error for a missing block. Other errors are thrown. */
export function ifAbsent(error: unknown): RangeFlaw {
  if (error instanceof RangeFlaw && error.flaw === 'absent') return error;
  throw error;
}

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
 * Answers that contradict each other: a block that was replaced, or that only one of two nodes has (`changed`); a bloom filter
 * that does not match the logs of its block (`bloom`). Or an answer without logs, which is not proven (`unproven`); without a
 * block that the next one does not pass over (`absent`), without blocks at all (`empty`), or one that
 * chains like Ethereum do not give (`odd`).
 */
export class RangeFlaw extends RpcError {
  constructor(
    readonly flaw: keyof typeof ENDINGS,
    readonly what: string,
  ) {
    super(`${what}. ${ENDINGS[flaw]}`, { reason: 'malformed' });
  }
}

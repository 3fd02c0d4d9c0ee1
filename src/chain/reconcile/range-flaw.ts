import { RpcError } from '../rpc.js';

const ENDINGS = {
  changed: 'The chain has changed, or the nodes behind the URL disagree.',
  cut: 'It may cut long answers.',
  bloom: 'Bloom filters of this chain cannot be used.',
};

/**
 * Answers that contradict each other: a block that was replaced, or that only one of two nodes has (`changed`); a range without
 * logs that its blocks have (`cut`); a bloom filter that does not match the logs of its block (`bloom`).
 */
export class RangeFlaw extends RpcError {
  constructor(
    readonly flaw: keyof typeof ENDINGS,
    what: string,
  ) {
    super(`${what}. ${ENDINGS[flaw]}`, { reason: 'malformed' });
  }
}

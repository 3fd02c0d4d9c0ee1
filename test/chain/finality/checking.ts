import { type Hex, padHex, toHex } from 'viem';
import { chainVerdicts } from '../../../src/chain/finality/chain-finality.js';
import type { FinalityVerdict } from '../../../src/chain/finality/stage.js';
import type { ChainFinalityOptions } from '../../../src/chain/index.js';
import type { EventEmitted, TransactionIncluded } from '../../../src/index.js';
import { sampleEventEmitted, sampleTransactionIncluded } from '../../../src/testing/index.js';
import { createNode, type Mined, type ScriptedNode } from '../scripted-node.js';
import { createRecorder } from '../watching.js';

export const FINAL = { status: 'final' };
export const at = (chain: readonly Mined[], number: number) => chain[number] as Mined;

/** A node with a number of blocks after block 0. */
export function nodeWith(blocks: number, finalized?: number): ScriptedNode {
  const node = createNode();
  for (let block = 0; block < blocks; block++) node.mine();
  node.set({ finalized });
  return node;
}

/** A finality with a clock that a test moves, and what it logs. */
export function finalityOf(options: Partial<ChainFinalityOptions> & Pick<ChainFinalityOptions, 'rpcUrl'>) {
  const clock = { ms: 1_800_000_000_000 };
  const { lines, logger } = createRecorder();
  const finality = chainVerdicts({ level: 'finalized', chainId: 31337, now: () => clock.ms, logger, ...options });
  return {
    lines,
    check: finality.check,
    /** The verdict of one event, asked for two seconds later than the last one. */
    async verdict(event: EventEmitted | TransactionIncluded): Promise<FinalityVerdict> {
      clock.ms += 2000;
      return (await finality.check([event]))[0] as FinalityVerdict;
    },
    pass(ms: number) {
      clock.ms += ms;
    },
  };
}

/** An event in a block. */
export function eventOf({ block }: Pick<Mined, 'block'>, { logIndex = 0, removed = false } = {}): EventEmitted {
  const rawFields = {
    ...{ address: padHex('0x1', { size: 20 }), topics: [], data: '0x' },
    ...{ blockNumber: block.number, blockHash: block.hash, logIndex: toHex(logIndex), removed },
    ...{ transactionHash: padHex('0x7', { size: 32 }), transactionIndex: '0x0' },
  };
  return sampleEventEmitted({
    id: crypto.randomUUID(),
    data: { event: { rawFields: JSON.stringify(rawFields), indexInLog: logIndex } },
  });
}

export function inclusionOf(data: Record<string, unknown>): TransactionIncluded {
  return sampleTransactionIncluded({ data: { blockHash: undefined, blockNumber: undefined, tx: undefined, ...data } });
}

/** How often each method was called. */
export function countsOf({ calls }: ScriptedNode): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { method, params } of calls) {
    const name = typeof params[0] === 'string' && /^[a-z]+$/.test(params[0]) ? `${method} ${params[0]}` : method;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** The block with another hash, as of another fork. */
export function forkOf({ block }: Mined, hash: Hex = padHex('0xf0', { size: 32 })): Pick<Mined, 'block'> {
  return { block: { ...block, hash } };
}

/** The block of a number with another number: only one of the two can be true. */
export const misplaced = ({ block }: Mined, number: number) => ({ block: { ...block, number: toHex(number) } });

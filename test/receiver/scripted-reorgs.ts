import { padHex, toHex } from 'viem';
import { reorgsOf } from '../../src/chain/reorgs/chain-reorgs.js';
import type { BlockVerdict, ChainView } from '../../src/chain/reorgs/chain-view.js';
import { logIdentity } from '../../src/evm/index.js';
import type { EventEmitted, ReceiverOptions, WebhookEvent } from '../../src/index.js';
import { createReceiver, memoryStore } from '../../src/index.js';
import { sampleEventEmitted } from '../../src/testing/index.js';
import { seconds, secret, signed } from '../helpers.js';

const CHAIN_ID = 31337;

/** The log of a block: `A` and `B` are blocks of the same number. */
export function logOf(block: string, { number = 10, logIndex = 0, removed = false } = {}): EventEmitted {
  const rawFields = {
    address: padHex('0x1', { size: 20 }),
    topics: [],
    data: '0x',
    blockNumber: toHex(number),
    blockHash: hashOf(block, number),
    transactionHash: padHex('0x7', { size: 32 }),
    transactionIndex: '0x0',
    logIndex: toHex(logIndex),
    removed,
  };
  return sampleEventEmitted({
    id: `${block}${number}#${logIndex}${removed ? ' removed' : ''}`,
    data: { event: { rawFields: JSON.stringify(rawFields), indexInLog: logIndex } },
  });
}

export function hashOf(block: string, number = 10) {
  return padHex(toHex(`${block}${number}`), { size: 32 });
}

/** A chain whose blocks a test sets, for a receiver with `reorgs`. */
export function scriptedChain(chainId = CHAIN_ID) {
  /** Hash of the canonical block by number; a number without one is unknown. */
  const canonical = new Map<number, string>();
  const chain = { canonical, finalNumber: -1, asked: [] as number[], isSilentAtDeliveries: true };
  const view: ChainView = {
    chainId,
    intervalMs: false,
    idempotencyKey: (event) => logIdentity(event, { chainId }),
    placeOf(event) {
      if (event.event !== 'event.emitted' || !event.data.event.rawFields) return undefined;
      const { blockNumber, blockHash, logIndex, removed } = JSON.parse(event.data.event.rawFields);
      return {
        block: { chain: String(chainId), blockNumber: Number(blockNumber), blockHash },
        logIndex: Number(logIndex),
        isRemoval: removed === true,
      };
    },
    async replaced(blocks) {
      if (chain.isSilentAtDeliveries) return new Set();
      const others = blocks.filter(({ blockNumber, blockHash }) => {
        const shown = canonical.get(blockNumber);
        return shown !== undefined && shown !== blockHash;
      });
      return new Set(others.map(({ blockHash }) => blockHash));
    },
    async verdicts(blocks) {
      const verdicts = new Map<string, BlockVerdict>();
      for (const { blockNumber, blockHash } of blocks) {
        chain.asked.push(blockNumber);
        const shown = canonical.get(blockNumber);
        const isFinal = blockNumber <= chain.finalNumber;
        if (shown !== undefined) verdicts.set(blockHash, { isCanonical: shown === blockHash, isFinal });
      }
      return verdicts;
    },
  };
  return { chain, reorgs: reorgsOf(view) };
}

/** A receiver whose effects follow a scripted chain. `effects` has the events whose effect exists. */
export function following(options: Partial<ReceiverOptions> & { failing?: string[]; chainId?: number } = {}) {
  const { failing = [], chainId, ...settings } = options;
  const { chain, reorgs } = scriptedChain(chainId);
  const bad = new Set(failing);
  const calls: string[] = [];
  const reported: string[] = [];
  const change =
    (what: string) =>
    (event: WebhookEvent, { application }: { application?: number | undefined }) => {
      if (bad.has(`${what}${event.id}`)) throw new Error(`${what}${event.id} fails.`);
      calls.push(`${what}${event.id} ${application}`);
    };
  const receiver = createReceiver({
    secret,
    now: () => seconds * 1000,
    store: memoryStore(),
    reorgs,
    onEvent: change('+'),
    onReverted: change('-'),
    onError: (error: { code: string }) => reported.push(error.code),
    ...settings,
  } as ReceiverOptions);
  return {
    ...{ receiver, chain, calls, reported, bad },
    deliver: (...events: readonly EventEmitted[]) => receiver.handle(signed(events)),
    settle: () => receiver.settleReorgs(),
  };
}

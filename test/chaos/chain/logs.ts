import type { ChainBlock, ChainTransaction, History } from './history.js';
import { chainOf } from './history.js';

/** Something that happened in a block: a log of the token, or a transaction of the wallet. */
export interface Happening {
  /** Short and unique; ends with a random hex digit, for the handler. */
  readonly id: string;
  readonly block: ChainBlock;
  readonly transaction: ChainTransaction;
  readonly transactionIndex: number;
  /** Of a log. */
  readonly logIndex?: number;
  readonly amount?: number;
}

/** What happened in a block, in order. */
export function happeningsOf(block: ChainBlock): Happening[] {
  let logIndex = 0;
  return block.transactions.flatMap((transaction, transactionIndex) => {
    const common = { block, transaction, transactionIndex };
    const logs = transaction.logs.map(({ isOfToken, amount }) => ({ isOfToken, amount, logIndex: logIndex++ }));
    const happenings: Happening[] = logs
      .filter(({ isOfToken }) => isOfToken)
      .map(({ amount, logIndex }) => {
        return { ...common, logIndex, amount, id: shortId(block.hash, transaction.hash, logIndex) };
      });
    if (transaction.isOfWallet) happenings.push({ ...common, id: shortId(block.hash, transaction.hash) });
    return happenings;
  });
}

/** What happened in every block that there ever was, and since which step each of those on the final chain is final. */
export function allHappenings({ steps }: History): {
  readonly all: ReadonlyMap<string, Happening>;
  readonly finalSince: ReadonlyMap<string, number>;
} {
  const blocks = new Set(steps.flatMap(({ added }) => added));
  const last = steps.at(-1);
  const final = last ? chainOf(last.head).filter(({ number }) => number <= last.final) : [];
  const byId = (some: Iterable<ChainBlock>) => [...some].flatMap(happeningsOf).map((each) => [each.id, each] as const);
  const since = byId(final).map(([id, { block }]) => {
    return [id, steps.findIndex((step) => step.final >= block.number)] as const;
  });
  return { all: new Map(byId(blocks)), finalSince: new Map(since) };
}

const WIDTH = 14;

function shortId(blockHash: string, transactionHash: string, logIndex?: number | string): string {
  const [block, transaction] = [blockHash, transactionHash].map((hash) => hash.slice(2, 2 + WIDTH));
  return `${block}-${logIndex ?? 't'}-${transaction}`;
}

const KEY = /^\d+:(0x[0-9a-f]{64}):(0x[0-9a-f]{64})(?::(\d+))?(:removed)?$/;

/** The id of the event in a key, or of what it is about on a chain. */
export function idOfKey(key: string): string {
  return shortIdOfKey(key) ?? key.slice(key.lastIndexOf(':') + 1);
}

/** The short id of what a `logIdentity` is about, with `-r` for a removal notice; undefined for another key. */
export function shortIdOfKey(key: string): string | undefined {
  const [, block, transaction, logIndex, removed] = KEY.exec(key) ?? [];
  if (block === undefined || transaction === undefined) return undefined;
  return `${shortId(block, transaction, logIndex)}${removed ? '-r' : ''}`;
}

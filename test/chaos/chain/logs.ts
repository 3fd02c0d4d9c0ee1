import type { Mined } from '../../simulation/models/chain/block.js';
import { type History, TOKEN, WALLET } from './history.js';
import { shortId } from './keys.js';

/** Something that happened in a block: a log of the token, or a transaction of the wallet. */
export interface Happening {
  /** Short and unique; ends with a random hex digit, for the handler. */
  readonly id: string;
  readonly mined: Mined;
  readonly transactionIndex: number;
  /** Of a log. */
  readonly logIndex?: number;
}

/** What happened in a block, in order. */
export function happeningsOf(mined: Mined): Happening[] {
  return mined.block.transactions.flatMap(({ hash, from }, transactionIndex): Happening[] => {
    const idOf = (logIndex?: number) => shortId(mined.block.hash, hash, logIndex);
    const logs = [...mined.logs.entries()].filter(([, log]) => log.transactionHash === hash && log.address === TOKEN);
    const happenings = logs.map(([logIndex]) => ({ id: idOf(logIndex), mined, transactionIndex, logIndex }));
    const isOfWallet = from === WALLET.toLowerCase();
    return isOfWallet ? [...happenings, { id: idOf(), mined, transactionIndex }] : happenings;
  });
}

/** What happened in every block that there ever was, and since which step each of those on the final chain is final. */
export function allHappenings({ steps }: History): {
  readonly all: ReadonlyMap<string, Happening>;
  readonly finalSince: ReadonlyMap<string, number>;
} {
  const blocks = new Set(steps.flatMap(({ added }) => added));
  const { chain = [], final = 0 } = steps.at(-1) ?? {};
  const byId = (some: Iterable<Mined>) => [...some].flatMap(happeningsOf).map((each) => [each.id, each] as const);
  const since = byId(chain.slice(0, final + 1)).map(([id, { mined }]) => {
    return [id, steps.findIndex((step) => step.final >= mined.number)] as const;
  });
  return { all: new Map(byId(blocks)), finalSince: new Map(since) };
}

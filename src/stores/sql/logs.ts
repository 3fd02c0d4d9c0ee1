import { monotonicNow } from '../../internal/deadline.js';
import type { LogStore } from '../log-store.js';
import { storableKey } from '../storable-key.js';
import { DELIVERY } from '../store.js';
import type { RunStatement } from './database.js';
import { explaining, type Statements } from './dialect.js';

/** The key under which the pass over a chain has its lease. */
const leaseOf = (chain: string) => storableKey(`reorgs:${chain}`);

/** Logs in the table of the keys. */
export function sqlLogs(
  plain: RunStatement,
  statements: Statements,
  leaseMs: number,
  inTime: <T>(work: Promise<T>) => Promise<T>,
): LogStore {
  const run = explaining(plain, statements.table);
  const { logs } = statements;
  /** When each owner took its lease. */
  const led = new Map<string, number>();

  const prepared = <T>(work: () => Promise<T>): Promise<T> =>
    inTime(Promise.resolve(statements.prepare?.(run)).then(work));

  const read = (key: string) => prepared(() => logs.read(run, key));
  return {
    list: (page) => prepared(() => logs.list(run, page)),
    read,
    find: (name) => read(storableKey(name)),
    settle: (transitions) => prepared(() => logs.settle(run, transitions)),
    async lead(chain, owner) {
      const since = led.get(owner);
      if (since !== undefined && monotonicNow() - since < leaseMs / 2) return true;
      if (since !== undefined) await this.yield(chain, owner);
      const claimed = await prepared(() => statements.claim(run, [leaseOf(chain)], owner, DELIVERY));
      if (claimed.size > 0) led.set(owner, monotonicNow());
      return claimed.size > 0;
    },
    async yield(chain, owner) {
      led.delete(owner);
      await prepared(() => statements.release(run, [leaseOf(chain)], owner));
    },
  };
}

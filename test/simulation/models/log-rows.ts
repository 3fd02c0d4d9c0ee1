import type { KeptLog, LogStore, OpenLog } from '../../../src/stores/log-store.js';
import type { Step } from '../../../src/stores/store.js';
import type { Process } from '../kernel/process.js';
import type { Server } from '../kernel/server.js';

export type Log = KeptLog & OpenLog;

export interface LogTimes {
  readonly timeoutMs: number;
  /** How long a replica may revise the logs of a chain without extending its lease. */
  readonly leadMs: number;
}

/** The logs of a transactional table, written from the contract of `LogStore`. Left out: locks that wait. */
export class LogRows {
  readonly open = new Map<string, Log>();
  /** Logs that are final, as they were when they became so. */
  readonly final = new Map<string, Log>();
  /** Grows with each log that becomes final. */
  settled = 0;
  /** The last pass that each process has begun. */
  readonly passes = new Map<Process, string>();
  /** Whether a key is a dead letter. */
  isDead: (key: string) => boolean = () => false;
  readonly #leaders = new Map<string, { readonly owner: string; readonly until: number }>();

  constructor(
    private readonly server: Server,
    private readonly times: LogTimes /** Whether a transaction has the key. */,
    private readonly isHeld: (key: string) => boolean,
  ) {}

  has(key: string): boolean {
    return this.open.has(key) || this.final.has(key);
  }

  /** Whether a step from `applied` or `reverted` may have the key. */
  matches(key: string, { from, transitions }: Step): boolean {
    const log = this.open.get(key);
    return log !== undefined && log.transitions === transitions?.get(key) && isApplied(log) === (from === 'applied');
  }

  /** Commits a step. Returns false for a key that has no log. */
  record(key: string, { to, logs }: Step): boolean {
    const kept = logs?.get(key);
    const log = this.open.get(key) ?? (kept && { ...kept, transitions: 0 });
    if (to === 'done' || log === undefined) return false;
    const isChange = isApplied(log) !== (to === 'applied');
    this.open.set(key, { ...log, transitions: log.transitions + Number(isChange) });
    return true;
  }

  /** The store of a process: `call` makes a call to the server. */
  store(process: Process, call: <T>(serve: () => T) => Promise<T>): LogStore {
    return {
      list: (page) => call(() => this.#list(page)),
      read: (key) => call(() => (this.isDead(key) ? undefined : this.open.get(key))),
      find: (key) => call(() => this.open.get(key)),
      settle: (transitions) => call(() => this.#settle(transitions)),
      lead: (chain, owner) => {
        this.passes.set(process, owner);
        return call(() => this.#lead(chain, owner));
      },
      yield: (chain, owner) => call(() => this.#leaders.get(chain)?.owner === owner && this.#leaders.delete(chain)),
    };
  }

  #list({ chain, numbers, after, limit }: Parameters<LogStore['list']>[0]): Map<string, OpenLog> {
    const found = [...this.open].filter(
      ([key, log]) =>
        log.chain === chain &&
        !this.isDead(key) &&
        (numbers?.includes(log.blockNumber) ?? true) &&
        (!after || byPlace([key, log], [after.key, after]) > 0),
    );
    return new Map(found.sort(byPlace).slice(0, limit));
  }

  #settle(transitions: ReadonlyMap<string, number>): void {
    for (const [key, count] of transitions) {
      const log = this.open.get(key);
      if (log?.transitions !== count || this.isHeld(key) || this.isDead(key)) continue;
      this.open.delete(key);
      this.final.set(key, log);
      this.settled++;
    }
  }

  #lead(chain: string, owner: string): boolean {
    const leader = this.#leaders.get(chain);
    const now = this.server.wall();
    if (leader && leader.owner !== owner && leader.until > now) return false;
    this.#leaders.set(chain, { owner, until: now + this.times.leadMs });
    return true;
  }
}

export const isApplied = ({ transitions }: OpenLog) => transitions % 2 === 1;

type Place = readonly [key: string, log: { readonly blockNumber: number }];

function byPlace([key, log]: Place, [other, { blockNumber }]: Place): number {
  return log.blockNumber - blockNumber || Number(key > other) - Number(key < other);
}

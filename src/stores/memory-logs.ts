import { isApplied, type KeptLog, type LogStore, type OpenLog } from './log-store.js';
import type { Step } from './store.js';

type Log = KeptLog & OpenLog;

/** The functions of a memory store that its logs use. */
interface Keys {
  /** Whether the key is a dead letter. */
  isDead(key: string): boolean;
  /** Remembers a key for the usual time. */
  remember(key: string): void;
}

/** Logs whose blocks are not final. */
export function memoryLogs({ isDead, remember }: Keys) {
  const open = new Map<string, Log>();
  const leaders = new Map<string, string>();

  const logs: LogStore = {
    async list({ chain, numbers, after, limit }) {
      const isAfter = ({ blockNumber }: Log, key: string) =>
        !after || blockNumber > after.blockNumber || (blockNumber === after.blockNumber && key > after.key);
      const found = [...open].filter(
        ([key, log]) =>
          log.chain === chain && (numbers?.includes(log.blockNumber) ?? true) && isAfter(log, key) && !isDead(key),
      );
      found.sort(([key, log], [other, { blockNumber }]) => log.blockNumber - blockNumber || (key < other ? -1 : 1));
      return new Map(found.slice(0, limit));
    },
    read: async (key) => open.get(key),
    find: async (key) => open.get(key),
    async settle(transitions) {
      for (const [key, count] of transitions) {
        if (open.get(key)?.transitions !== count || isDead(key)) continue;
        open.delete(key);
        remember(key);
      }
    },
    async lead(chain, owner) {
      if ((leaders.get(chain) ?? owner) !== owner) return false;
      leaders.set(chain, owner);
      return true;
    },
    async yield(chain, owner) {
      if (leaders.get(chain) === owner) leaders.delete(chain);
    },
  };

  return {
    logs,
    has: (key: string) => open.has(key),
    transitionsOf: (key: string) => open.get(key)?.transitions,
    /** Whether a step from `applied` or `reverted` may have the key. */
    matches: (key: string, { from, transitions }: Step) =>
      open.has(key) &&
      !isDead(key) &&
      open.get(key)?.transitions === transitions?.get(key) &&
      isApplied(open.get(key)?.transitions ?? 0) === (from === 'applied'),
    /** Records a step. Returns whether the key has a log, which is then kept instead of the key. */
    record(key: string, { to, logs }: Step): boolean {
      const log = open.get(key) ?? logs?.get(key);
      if (to === 'done' || log === undefined) return false;
      const { transitions = 0 } = log as Partial<OpenLog>;
      open.set(key, { ...log, transitions: transitions + Number(isApplied(transitions) !== (to === 'applied')) });
      return true;
    },
    forget: (key: string) => open.delete(key),
  };
}

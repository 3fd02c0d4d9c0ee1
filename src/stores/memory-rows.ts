import { isApplied, type KeptLog, type LogStore, type OpenLog } from './log-store.js';
import type { RecordStore, SomeRecord, StoredRecord } from './record-store.js';
import { storableArrival } from './storable.js';
import type { Failed, LetterStore, StoredLetter } from './store.js';

/** What a memory store knows about a key. */
export interface Row {
  record: SomeRecord | undefined;
  /** The last owner, unless its run has ended, and the end of its lease. */
  owner: string | undefined;
  until: number;
  claimedAt: number | undefined;
  isDone: boolean;
  doneAt: number | undefined;
  /** When the row is forgotten, unless a run, a dead letter or a log needs it. */
  expiresAt: number;
  failures: Failures | undefined;
  /** The event, if it is a dead letter. */
  letter: string | undefined;
  /** The log of the event, if it is not final. */
  log: (KeptLog & OpenLog) | undefined;
}

interface Failures extends Omit<Failed, 'isDead'> {
  readonly lastFailedAt: number;
  /** Of the last failure, until the event takes effect. */
  readonly code: string | undefined;
  readonly message: string | undefined;
}

/** The functions of a memory store that its letters, logs and records use. */
interface Rows {
  readonly kept: ReadonlyMap<string, Row>;
  rowOf(key: string): Row | undefined;
  isHeld(row: Row): boolean;
  finish(key: string, row: Row, doneAt: number | undefined): void;
}

function letterOf({ letter = '', record, failures, log }: Row): StoredLetter {
  const { code = '', message = '', ...counted } = failures as Failures;
  const failed = { letter, source: record?.source, code, message, ...counted };
  return log ? { ...failed, transitions: log.transitions } : failed;
}

export function memoryLetters({ rowOf, isHeld, finish, kept }: Rows): Omit<LetterStore, 'fail'> {
  const letters = (keys: Iterable<string>) =>
    [...keys].flatMap((key) => {
      const row = rowOf(key);
      return row?.letter === undefined ? [] : [[key, row] as const];
    });
  return {
    look: async (keys) => new Map(letters(keys).map(([key, row]) => [key, letterOf(row)])),
    async list({ source, after, limit }) {
      const found = letters([...kept.keys()].sort())
        .filter(
          ([key, { record }]) => (after === undefined || key > after) && (source ?? record?.source) === record?.source,
        )
        .slice(0, limit)
        .map(([key, row]) => [key, letterOf(row)] as const);
      return { letters: new Map(found), ...(found.length === limit && { next: found.at(-1)?.[0] }) };
    },
    async discard(keys) {
      const discarded = letters(keys).filter(([, row]) => !isHeld(row));
      for (const [key, row] of discarded) finish(key, row, undefined);
      return new Set(discarded.map(([key]) => key));
    },
  };
}

/** Logs whose blocks are not final. */
export function memoryLogs({ rowOf, isHeld, finish, kept }: Rows): LogStore {
  const leaders = new Map<string, string>();
  const find = async (key: string) => rowOf(key)?.log;
  return {
    async list({ chain, numbers, after, limit }) {
      const isAfter = ({ blockNumber }: OpenLog, key: string) =>
        !after || blockNumber > after.blockNumber || (blockNumber === after.blockNumber && key > after.key);
      const found = [...kept].flatMap(([key, { log, letter }]) =>
        log?.chain === chain &&
        letter === undefined &&
        (numbers?.includes(log.blockNumber) ?? true) &&
        isAfter(log, key)
          ? [[key, log] as const]
          : [],
      );
      found.sort(([key, log], [other, { blockNumber }]) => log.blockNumber - blockNumber || (key < other ? -1 : 1));
      return new Map(found.slice(0, limit));
    },
    read: find,
    find,
    async settle(transitions) {
      for (const [key, count] of transitions) {
        const row = rowOf(key);
        if (row?.log?.transitions === count && row.letter === undefined && !isHeld(row)) finish(key, row, row.doneAt);
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
}

export function memoryRecords({ rowOf, isHeld, kept }: Rows, passing: ReadonlyMap<string, Row>): RecordStore {
  function stateOf(row: Row): StoredRecord['state'] {
    if (row.letter !== undefined) return 'dead-lettered';
    if (row.owner !== undefined) return isHeld(row) ? 'in-progress' : 'abandoned';
    if (row.log) return isApplied(row.log.transitions) ? 'handled' : 'reverted';
    if (row.isDone) return row.doneAt === undefined ? 'discarded' : 'handled';
    return 'failed';
  }
  const recordOf = (row: Row): StoredRecord => {
    const { claimedAt, doneAt } = row;
    const { attempts = 0, code, message, lastFailedAt } = row.failures ?? {};
    return { ...row.record, state: stateOf(row), attempts, code, message, claimedAt, doneAt, lastFailedAt };
  };
  return {
    async look(keys) {
      const found = keys.flatMap((key) => {
        const row = rowOf(key);
        return row ? [[key, recordOf(row)] as const] : [];
      });
      return new Map(found);
    },
    async find(id) {
      const { eventId } = storableArrival({ eventId: id });
      const found = new Map<string, StoredRecord>();
      for (const rows of [kept, passing]) {
        for (const [key, { record }] of rows) {
          const row = record?.eventId === eventId ? rowOf(key) : undefined;
          if (row) found.set(key, recordOf(row));
          if (found.size === MOST_FOUND) return found;
        }
      }
      return found;
    },
  };
}

const MOST_FOUND = 100;

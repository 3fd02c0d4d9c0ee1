import { storeError } from '../bounded-calls.js';
import { readableText, storableRecord } from '../storable.js';
import type { Failed, Failure, LetterStore, StoredLetter } from '../store.js';
import { sleep } from './busy.js';
import type { RunStatement } from './database.js';
import type { Statements, Texts } from './dialect.js';
import { unlessConflict } from './errors.js';
import { inChunks, isRowOf, ownedBy, select, send } from './syntax.js';
import { LOG_MS, literal, NEVER_MS } from './table.js';

/** How often counting a failure is tried again because another failure was counted meanwhile. */
const COUNT_TRIES = 20;
/** How long the server may take to end a transaction whose session was closed, in ms. */
const ENDING_MS = 25;
const MOST_PAUSES = 4;

type Six = [number, number, number, number, number, number];

/** The row of a key, as its last failure left it. */
interface Row extends Failed {
  readonly owner: string;
  readonly state: string;
  /** Whether no run has the key, and it has not taken effect. */
  readonly isFree: boolean;
  readonly lastFailedAt: number;
  readonly transitions: number | undefined;
}

/** Failures and dead letters in the table of the keys. */
export function sqlLetters(run: RunStatement, { syntax, status }: Statements, retentionMs: number): LetterStore {
  const { key: KEY, prefix, rows, texts: begin, select: column, read, ms, at } = syntax;

  /** The row of a key, the server's time, and whether no transaction has the key. */
  async function readRow(key: string) {
    const conditions = [syntax.isUnlocked(key), `(${syntax.isOver()}) OR (${syntax.isIdle()})`].map(
      (condition) => `CASE WHEN ${condition} THEN 1 ELSE 0 END`,
    );
    const times = [syntax.now(), 'first_failed_at', 'last_failed_at'].map(ms);
    const columns = [...times, ...conditions, 'attempts', TRANSITIONS, 'owner', 'state'];
    const named = columns.map((each, index) => `${each} AS c${index}`).join(', ');
    const { rows: found } = await send(
      run,
      syntax,
      () =>
        `SELECT ${named} FROM (SELECT 1 AS one) AS one LEFT JOIN ${rows()} ON ${isRowOf(syntax, key)} ${syntax.end()}`,
    );
    const values = found.flatMap((each) => Object.values(each));
    const [now, firstFailedAt, lastFailedAt, unlocked, free, attempts] = values.map(Number) as Six;
    const [transitions, owner, state] = values.slice(6);
    const row: Row | undefined =
      state === null
        ? undefined
        : {
            ...{ owner: String(owner), state: String(state), isDead: state === 'dead', isFree: free === 1 },
            ...{ attempts, firstFailedAt, lastFailedAt },
            transitions: transitions === null ? undefined : Number(transitions),
          };
    return { now, isUnlocked: unlocked === 1, row };
  }

  /** Counts a failure by replacing what was read: every other write changes the owner or the state of a row. */
  async function count(key: string, failure: Failure): Promise<Failed | undefined> {
    for (let tries = 0; tries < COUNT_TRIES; tries++) {
      const { now, isUnlocked, row } = await readRow(key);
      if (!(isUnlocked || failure.isUnknown) || !mayFail(row, failure)) return undefined;
      const failed = counted(row, failure, now, retentionMs);
      if (await write(key, row, failure, failed, now)) return failed;
    }
    return undefined;
  }

  /** Writes a failure, and resolves to whether the row was still as it was read. */
  function write(key: string, row: Row | undefined, failure: Failure, failed: Failed, now: number) {
    const texts = begin();
    const { of } = texts;
    const { source, code, message, letter, via, kind, eventId, receivedAt } = failure;
    const { attempts, firstFailedAt, isDead } = failed;
    const state = isDead ? 'dead' : isLog(row) ? String(row?.state) : 'failed';
    const textOf = (text: string | undefined) => (text === undefined ? 'NULL' : of(text));
    const columns = {
      ...{ attempts: String(attempts), first_failed_at: at(firstFailedAt), last_failed_at: at(now) },
      ...{ error_code: of(code), error_message: of(message), retry_until: 'NULL', owner: of(crypto.randomUUID()) },
      ...{ state: literal(state), expires_at: at(isDead ? NEVER_MS : isLog(row) ? LOG_MS : now) },
      // A log keeps its event until it is final.
      ...((isDead || !isLog(row)) && { letter: isDead ? of(letter) : 'NULL' }),
      ...(!isLog(row) && { source: textOf(source), done_at: 'NULL' }),
      ...(kind !== undefined && {
        ...{ via: textOf(via), kind: of(kind), event_id: of(eventId ?? '') },
        received_at: receivedAt === undefined ? 'NULL' : at(receivedAt),
      }),
    };
    const isFree = row?.isFree ? ` AND ((${syntax.isOver()}) OR (${syntax.isIdle()}))` : '';
    const isAsRead = row && `${prefix}owner = ${of(row.owner)} AND ${prefix}state = ${literal(row.state)}${isFree}`;
    const isUnlocked = failure.isUnknown ? '1 = 1' : syntax.isUnlocked(key);
    return syntax.write(run, { key, columns, texts, isAsRead, isUnlocked });
  }

  const letterColumns = [
    ...[KEY, 'attempts', ms('first_failed_at'), ms('last_failed_at')],
    ...['error_code', 'error_message', 'letter', 'source'].map(column),
    TRANSITIONS,
  ];
  async function lettersOf(condition: (texts: Texts) => string): Promise<Map<string, StoredLetter>> {
    const found = await select(run, syntax, letterColumns, (texts) => `state = 'dead' AND ${condition(texts)}`);
    return new Map(
      found.map(([key, attempts, first, last, code, message, letter, source, transitions]) => [
        String(key),
        {
          letter: read(String(letter)),
          source: source === null ? undefined : read(String(source)),
          code: read(String(code)),
          message: read(String(message)),
          attempts: Number(attempts),
          firstFailedAt: Number(first),
          lastFailedAt: Number(last),
          ...(transitions != null && { transitions: Number(transitions) }),
        },
      ]),
    );
  }

  async function discard(keys: readonly string[]): Promise<string[]> {
    const areFree = (some: readonly string[], texts: Texts) =>
      `${syntax.among(some, texts)} AND (${syntax.isIdle()}) AND ${syntax.isUnlocked()}`;
    const found = await select(run, syntax, [KEY], (texts) => areFree(keys, texts));
    const idle = found.map(([key]) => String(key)).sort();
    if (idle.length === 0) return [];
    const owner = crypto.randomUUID();
    await send(
      run,
      syntax,
      (texts) =>
        `UPDATE ${rows()} SET owner = ${texts.of(owner)}, state = 'done', expires_at = ${syntax.later(retentionMs)},
           letter = NULL, chain = NULL, transitions = 0
         WHERE ${areFree(idle, texts)}`,
    );
    return [...(await ownedBy(run, syntax, idle, owner))];
  }

  return {
    async fail(key, failure) {
      const kept = keepable(failure);
      for (let pauses = 0; ; pauses++) {
        const failed = await unlessConflict(() => count(key, kept));
        if (failed || pauses === MOST_PAUSES || (await status(run, [key])).size > 0) return failed;
        await sleep(ENDING_MS);
      }
    },
    async look(keys) {
      return new Map(await inChunks(syntax, keys, (some) => lettersOf((texts) => syntax.among(some, texts))));
    },
    async list({ source, after, limit }) {
      const found = await lettersOf(({ of }) => {
        const isOf = source === undefined ? '' : ` AND source = ${of(source)}`;
        const isAfter = after === undefined ? '' : ` AND ${KEY} > ${literal(after)}`;
        return `expires_at = ${at(NEVER_MS)}${isOf}${isAfter} ORDER BY ${KEY} LIMIT ${limit}`;
      });
      return { letters: found, ...(found.size === limit && { next: [...found.keys()].at(-1) }) };
    },
    async discard(keys) {
      const discarded = (some: readonly string[]) => unlessConflict(() => discard(some));
      return new Set(await inChunks(syntax, [...keys].sort(), discarded));
    },
  };
}

/** How often a log was applied or reverted; null if the row has none. */
const TRANSITIONS = 'CASE WHEN chain IS NOT NULL THEN transitions END';

const isLog = (row: Row | undefined) => row?.state === 'applied' || row?.state === 'reverted';

/** Whether a failure may be counted in a row, whose key no transaction has. */
function mayFail(row: Row | undefined, { isUnknown, transitions }: Failure): boolean {
  if (isUnknown) return row?.state === 'open';
  if (row?.isDead) return row.isFree;
  if (isLog(row)) return row?.transitions === transitions;
  return transitions === undefined && row?.isFree !== false;
}

/** The count of a row after a failure. */
function counted(row: Row | undefined, failure: Failure, now: number, retentionMs: number): Failed {
  const isKept = row && row.attempts > 0 && (row.isDead || isLog(row) || row.lastFailedAt > now - retentionMs);
  const attempts = isKept ? row.attempts + 1 : 1;
  const firstFailedAt = isKept ? row.firstFailedAt : now;
  const isDue = attempts >= failure.afterAttempts && now - firstFailedAt >= failure.afterMs;
  return { attempts, firstFailedAt, isDead: failure.isUnknown || row?.isDead === true || isDue };
}

/** D1 has rows of up to 2 MB. */
const MOST_BYTES = 1_900_000;

/** A failure with texts that every database can keep. Throws `ERR_WEBHOOK_STORE` for a letter that is too large. */
export function keepable(failure: Failure): Failure {
  const { letter, source, code, message } = failure;
  // In JSON, both occur only inside strings.
  const kept = letter.replaceAll('\0', '\\u0000').replace(LONE, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);
  const bytes = new TextEncoder().encode(kept).length;
  if (bytes > MOST_BYTES) throw storeError(`${TOO_LARGE} (${bytes} bytes, at most ${MOST_BYTES})`);
  return {
    ...storableRecord(failure),
    letter: kept,
    source: source === undefined ? undefined : readableText(source),
    code: readableText(code),
    message: readableText(message),
  };
}

const LONE = /\p{Surrogate}/gu;
const TOO_LARGE = 'The event is too large for a dead letter, so it will be redelivered';

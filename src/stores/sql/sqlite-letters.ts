import type { RunStatement } from './database.js';
import { type Durations, keysOf, type LetterStatements } from './dialect.js';
import { lettersOf } from './letter-texts.js';
import type { Inputs, Texts } from './sqlite-inputs.js';
import { NEVER_MS } from './table.js';

/** Parts that the statements for letters share with the others. */
interface Parts {
  readonly table: string;
  readonly inputs: Inputs;
  /** Condition that a row is free, or a dead letter that is not being retried. */
  isOver(at: string): string;
  isIdle(at: string): string;
}

const COLUMNS =
  'key, attempts, first_failed_at, last_failed_at, error_code, error_message, letter, source, CASE WHEN chain IS NOT NULL THEN transitions END';

/** The columns of records besides the source. */
const LOG = 'chain, block_number, block_hash';
const KEPT = 'via, kind, event_id, received_at';

export function sqliteLetters(
  { table, inputs, isOver, isIdle }: Parts,
  { retentionMs }: Pick<Durations, 'retentionMs'>,
): LetterStatements {
  const select = async (run: RunStatement, { values }: Texts, condition: string, rest = '') =>
    lettersOf(
      await run(`SELECT ${COLUMNS} FROM ${table} WHERE state = 'dead' AND ${condition} ${rest}`, undefined, values()),
    );
  const among = (texts: Texts, keys: readonly string[]) =>
    `key IN (SELECT value FROM json_each(${texts.of(JSON.stringify(keys))}))`;

  return {
    async fail(run, key, { letter, source, code, message, isUnknown, afterAttempts, afterMs, ...record }) {
      const { of, values } = inputs.texts();
      const textOf = (text: string | undefined) => (text === undefined ? 'NULL' : of(text));
      const { via, kind, eventId, receivedAt = 'NULL' } = record;
      const known = kind === undefined ? KEPT : [textOf(via), of(kind), textOf(eventId), receivedAt].join(', ');
      const isDue = isUnknown ? 'true' : `attempts >= ${afterAttempts} AND at - first_at >= ${afterMs}`;
      const { rows } = await run(
        `INSERT OR REPLACE INTO ${table}
           (key, owner, state, expires_at, attempts, first_failed_at, last_failed_at, source, error_code, error_message, letter,
            claimed_at, ${LOG}, transitions, ${KEPT})
         SELECT key, '', CASE WHEN is_dead THEN 'dead' ELSE 'failed' END, CASE WHEN is_dead THEN ${NEVER_MS} ELSE at END,
           attempts, first_at, at, ${textOf(source)}, ${of(code)}, ${of(message)},
           CASE WHEN is_dead THEN ${of(letter)} END, claimed_at, ${LOG}, transitions, ${known}
         FROM (SELECT *, was_dead OR (${isDue}) AS is_dead FROM (
           SELECT given.key, at, was_dead, claimed_at, ${LOG}, COALESCE(transitions, 0) AS transitions, ${KEPT}, CASE WHEN counts THEN held.attempts + 1 ELSE 1 END AS attempts,
             CASE WHEN counts THEN first_failed_at ELSE at END AS first_at
           FROM (SELECT ${of(key)} AS key, ${inputs.now()} AS at) AS given LEFT JOIN
             (SELECT *, state = 'dead' AS was_dead, state = 'dead' OR last_failed_at > ${inputs.now()} - ${retentionMs} AS counts
              FROM ${table}) AS held ON held.key = given.key
           WHERE ${isUnknown ? "state = 'open'" : `held.key IS NULL OR (${isOver('at')}) OR (${isIdle('at')})`}))
         RETURNING attempts, first_failed_at, state`,
        undefined,
        values(),
      );
      const [failed] = rows.map(Object.values);
      return failed && { attempts: Number(failed[0]), firstFailedAt: Number(failed[1]), isDead: failed[2] === 'dead' };
    },
    look(run, keys) {
      const texts = inputs.texts();
      return select(run, texts, among(texts, keys));
    },
    list(run, { source, after, limit }) {
      const texts = inputs.texts();
      const isOf = source === undefined ? '' : ` AND source = ${texts.of(source)}`;
      const isAfter = after === undefined ? '' : ` AND key > ${texts.of(after)}`;
      return select(run, texts, `expires_at = ${NEVER_MS}${isOf}${isAfter}`, `ORDER BY key LIMIT ${limit}`);
    },
    async discard(run, keys) {
      const texts = inputs.texts();
      const discarded = await run(
        `UPDATE ${table} SET owner = '', state = 'done', expires_at = ${inputs.now()} + ${Math.ceil(retentionMs)}, letter = NULL, chain = NULL, transitions = 0
         WHERE ${among(texts, keys)} AND ${isIdle(inputs.now())} RETURNING key`,
        undefined,
        texts.values(),
      );
      return new Set(keysOf(discarded));
    },
  };
}

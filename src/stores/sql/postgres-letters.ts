import type { SomeRecord } from '../record-store.js';
import type { RunStatement } from './database.js';
import { keysOf, type LetterStatements } from './dialect.js';
import { lettersOf } from './letter-texts.js';
import { textLiteral } from './records.js';
import { literal, literals, NEVER_MS } from './table.js';

/** Parts that the statements for letters share with the others. */
interface Parts {
  table(): string;
  /** Condition that the row `held` is free, or a dead letter that is not being retried. */
  readonly isOver: string;
  readonly isIdle: string;
  /** A condition that takes the lock of a key, exclusive or shared, unless a transaction holds it. */
  lock(key: string, how?: '_shared'): string;
  /** The expiry of a key that takes effect now. `retention` is the time until then. */
  readonly retained: string;
  readonly retention: string;
}

const NEVER = `to_timestamp(${NEVER_MS / 1000})`;
const MOST_ATTEMPTS = 2 ** 31 - 1;
const MOST_MS = 1e14;

export function postgresLetters({ table, isOver, isIdle, lock, retained, retention }: Parts): LetterStatements {
  async function select(run: RunStatement, condition: string, rest = '') {
    const columns = `key, attempts::text, ${msOf('first_failed_at')} AS first_ms, ${msOf('last_failed_at')} AS last_ms, error_code, error_message, letter, source, CASE WHEN chain IS NOT NULL THEN transitions END AS transitions`;
    return lettersOf(await run(`SELECT ${columns} FROM ${table()} WHERE state = 'dead' AND ${condition} ${rest}`));
  }

  return {
    async fail(run, key, { letter, source, code, message, isUnknown, ...limits }) {
      const { columns, values, replace } = recordOf(limits);
      const [attempts, ms] = isUnknown
        ? [0, 0]
        : [Math.min(limits.afterAttempts, MOST_ATTEMPTS), Math.min(limits.afterMs, MOST_MS)];
      const isDue = attempts <= 1 && ms <= 0;
      const counts = `held.state = 'dead' OR held.last_failed_at > excluded.last_failed_at - ${retention}`;
      const count = `CASE WHEN ${counts} THEN held.attempts + 1 ELSE 1 END`;
      const first = `CASE WHEN ${counts} THEN held.first_failed_at ELSE excluded.first_failed_at END`;
      const isDead = `held.state = 'dead' OR (${count} >= ${Math.ceil(attempts)} AND excluded.last_failed_at >= ${first} + interval '${Math.ceil(ms)} milliseconds')`;
      const isOpen = `EXISTS (SELECT FROM ${table()} WHERE key = ${literal(key)} AND state = 'open')`;
      const { rows } = await run(
        `WITH given (failed_at, source, code, message, letter) AS (SELECT clock_timestamp(),
           ${source === undefined ? 'NULL' : text(source)}, ${text(code)}, ${text(message)}, ${text(letter)})
         INSERT INTO ${table()} AS held
           (key, owner, state, expires_at, attempts, first_failed_at, last_failed_at, source, error_code, error_message, letter${columns})
         SELECT ${literal(key)}, '', ${isDue ? `'dead', ${NEVER}` : `'failed', failed_at`}, 1, failed_at, failed_at,
           source, code, message, ${isDue ? 'letter' : 'NULL'}${values} FROM given
         WHERE ${isUnknown ? `${isOpen} AND ` : ''}${lock(literal(key), '_shared')}
         ON CONFLICT (key) DO UPDATE SET owner = '', retry_until = NULL, attempts = ${count}, first_failed_at = ${first},
           last_failed_at = excluded.last_failed_at, source = excluded.source, error_code = excluded.error_code,
           error_message = excluded.error_message, done_at = NULL${replace},
           state = CASE WHEN ${isDead} THEN 'dead' ELSE 'failed' END,
           expires_at = CASE WHEN ${isDead} THEN ${NEVER} ELSE excluded.last_failed_at END,
           letter = CASE WHEN ${isDead} THEN (SELECT letter FROM given) END
         WHERE ${isUnknown ? `held.state = 'open'` : `(${isOver}) OR (${isIdle})`}
         RETURNING attempts::text, ${msOf('first_failed_at')} AS first_ms, state`,
      );
      const [failed] = rows.map(Object.values);
      return failed && { attempts: Number(failed[0]), firstFailedAt: Number(failed[1]), isDead: failed[2] === 'dead' };
    },
    look: (run, keys) => select(run, `key IN (${literals(keys)})`),
    list(run, { source, after, limit }) {
      const isOf = source === undefined ? '' : ` AND source = ${text(source)}`;
      const isAfter = after === undefined ? '' : ` AND key > ${literal(after)}`;
      return select(run, `expires_at = ${NEVER}${isOf}${isAfter}`, `ORDER BY key LIMIT ${limit}`);
    },
    async discard(run, keys) {
      const discarded = await run(
        `UPDATE ${table()} AS held SET owner = '', state = 'done', expires_at = ${retained}, letter = NULL, chain = NULL, transitions = 0
         WHERE key IN (${literals(keys)}) AND (${isIdle}) AND ${lock('key')} RETURNING key`,
      );
      return new Set(keysOf(discarded));
    },
  };
}

/** The columns of a failure's record, if it has one. */
function recordOf({ via, kind, eventId, receivedAt }: SomeRecord) {
  if (kind === undefined) return { columns: '', values: '', replace: '' };
  const names = ['via', 'kind', 'event_id', 'received_at'];
  const texts = [via, kind, eventId].map((each) => (each === undefined ? 'NULL' : text(each)));
  return {
    columns: `, ${names.join(', ')}`,
    values: `, ${texts.join(', ')}, to_timestamp(${receivedAt ?? 'NULL'}::float8 / 1000)`,
    replace: names.map((name) => `, ${name} = excluded.${name}`).join(''),
  };
}

/** A text as an expression. */
export function text(value: string): string {
  return textLiteral(value, (hex) => `convert_from(decode('${hex}', 'hex'), 'UTF8')`);
}

/** Epoch milliseconds. */
export function msOf(column: string): string {
  return `floor(extract(epoch FROM ${column}) * 1000)::text`;
}

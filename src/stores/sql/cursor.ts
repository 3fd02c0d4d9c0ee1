import { isWebhookError } from '../../errors.js';
import { optionError } from '../../internal/check-options.js';
import { storeError } from '../bounded-calls.js';
import type { ReconcileCursor } from '../cursor.js';
import { type Answer, type Dialect, type RunStatement, valuesOf } from './database.js';
import type { Statements } from './dialect.js';
import { answered, explained, unlessConflict } from './errors.js';

/** The table of cursors, and how to reach it. */
export interface CursorTable {
  readonly run: RunStatement;
  readonly statements: Statements;
  readonly dialect: Dialect;
  /** Whether texts are sent as parameters: D1 limits a statement to 100 kB. */
  readonly bind: boolean;
  readonly timeoutMs: number;
}

const NAME = /^[\w.:@/+-]{1,200}$/;
/** Longest text in the table, in characters: D1 takes up to 2 MB for a row. */
const LONGEST = 1_900_000;
/** Escapes of characters that no client changes in a literal, as they are no placeholders, quotes or escapes. */
const PLAIN = /%(?:22|2C|2F|3A|40|5B|5D|7B|7D)/g;

/** A cursor in a row of the table, which one atomic statement replaces. */
export function sqlCursor(table: CursorTable, name: string): ReconcileCursor {
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw optionError('name', 'up to 200 letters, digits and _ . : @ / + -', name);
  }
  const { bind, dialect, statements, timeoutMs } = table;

  /** Runs a statement on the table. `values` are the texts of the statement, in order. */
  async function run(statement: (table: string, ...texts: string[]) => string, ...values: string[]): Promise<Answer> {
    const texts = values.map((value, index) => (bind ? `?${index + 1}` : `'${value}'`));
    const text = statement(statements.cursors(), ...texts);
    return table.run(text, timeoutMs, bind ? values : undefined);
  }

  async function work<T>(what: string, steps: () => Promise<T>): Promise<T> {
    const prepared = async () => {
      await statements.prepare?.(table.run);
      return steps();
    };
    try {
      return await answered(prepared(), table);
    } catch (error) {
      const cause = explained(error, `${statements.table}_cursors`);
      throw isWebhookError(cause) ? cause : storeError(`The cursor ${name} could not be ${what}.`, cause);
    }
  }

  return {
    read: () =>
      work('read', async () => {
        const { rows } = await run((cursors, key) => `SELECT value FROM ${cursors} WHERE name = ${key}`, name);
        const [value] = rows.map((row) => valuesOf(row)[0]);
        return value === undefined ? undefined : decode(value);
      }),
    write: (next, expected) =>
      work('written', async () => {
        const texts = [encode(next), ...(expected === undefined ? [] : [encode(expected)])];
        return unlessConflict(() => replace(run, dialect, name, ...(texts as [string, string?])));
      }),
  };
}

type RunCursor = (statement: (table: string, ...texts: string[]) => string, ...values: string[]) => Promise<Answer>;

/** Writes the value if the row has the expected value, or if none is expected and there is no row. */
async function replace(run: RunCursor, dialect: Dialect, name: string, next: string, expected?: string) {
  if (dialect === 'mysql') return replaceInMysql(run, name, next, expected);
  const { rows } =
    expected === undefined
      ? await run(
          (cursors, key, value) =>
            `INSERT INTO ${cursors} (name, value) VALUES (${key}, ${value}) ON CONFLICT (name) DO NOTHING RETURNING 1`,
          name,
          next,
        )
      : await run(
          (cursors, key, value, old) =>
            `UPDATE ${cursors} SET value = ${value} WHERE name = ${key} AND value = ${old} RETURNING 1`,
          name,
          next,
          expected,
        );
  return rows.length > 0;
}

/**
 * MySQL does not return written rows, and not every client counts them. So each write adds a mark to those of the last
 * 20 writes, where it is found even if other writes have followed.
 */
async function replaceInMysql(run: RunCursor, name: string, next: string, expected?: string): Promise<boolean> {
  const mark = crypto.randomUUID();
  if (expected === undefined) {
    await run(
      (cursors, key, value, writer) =>
        `INSERT INTO ${cursors} (name, value, writers) VALUES (${key}, ${value}, ${writer}) ON DUPLICATE KEY UPDATE name = ${key}`,
      name,
      next,
      mark,
    );
  } else {
    await run(
      (cursors, key, value, writer, old) =>
        `UPDATE ${cursors} SET value = ${value}, writers = LEFT(CONCAT(${writer}, ' ', writers), 740)
         WHERE name = ${key} AND value = ${old}`,
      name,
      next,
      mark,
      expected,
    );
  }
  const { rows } = await run(
    (cursors, key, writer) => `SELECT 1 FROM ${cursors} WHERE name = ${key} AND LOCATE(${writer}, writers) > 0`,
    name,
    mark,
  );
  return rows.length > 0;
}

/** Encodes a text in ASCII characters that no dialect or client changes; JSON stays readable. */
function encode(value: string): string {
  const wellFormed = value.replace(/\p{Cs}/gu, '\ufffd');
  const text = encodeURIComponent(wellFormed)
    .replace(/[!'()*~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(PLAIN, decodeURIComponent);
  if (text.length > LONGEST)
    throw storeError(`The value of a cursor is too long: ${text.length} characters in the table.`);
  return text;
}

function decode(text: string): string {
  return decodeURIComponent(text);
}

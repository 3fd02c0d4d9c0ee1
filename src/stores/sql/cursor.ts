import { isWebhookError } from '../../errors.js';
import { optionError } from '../../internal/check-options.js';
import { storeError } from '../bounded-calls.js';
import type { ReconcileCursor } from '../cursor.js';
import { type Dialect, type RunStatement, valuesOf } from './database.js';
import type { Statements, Texts } from './dialect.js';
import { answered, explained, unlessConflict } from './errors.js';
import { hasWritten, REFUSE } from './mysql-table.js';
import { send } from './syntax.js';
import { literal } from './table.js';

/** The table of cursors, and how to reach it. */
export interface CursorTable {
  readonly run: RunStatement;
  readonly statements: Statements;
  readonly dialect: Dialect;
  readonly timeoutMs: number;
}

const NAME = /^[\w.:@/+-]{1,200}$/;
/** Longest text in the table, in characters: D1 takes up to 2 MB for a row. */
const LONGEST = 1_900_000;
/** Escapes of characters that need none. */
const PLAIN = /%(?:22|2C|2F|3A|40|5B|5D|7B|7D)/g;

/** A cursor in a row of the table, which one atomic statement replaces. */
export function sqlCursor({ run, statements, dialect, timeoutMs }: CursorTable, name: string): ReconcileCursor {
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw optionError('name', 'up to 200 letters, digits and _ . : @ / + -', name);
  }
  const { cursors, syntax } = statements;
  const isOfName = `name = ${literal(name)}`;

  async function work<T>(what: string, steps: () => Promise<T>): Promise<T> {
    try {
      return await answered(Promise.resolve(statements.prepare?.(run)).then(steps), { timeoutMs });
    } catch (error) {
      const cause = explained(error, `${statements.table}_cursors`);
      throw isWebhookError(cause) ? cause : storeError(`The cursor ${name} could not be ${what}.`, cause);
    }
  }

  const ask = async (statement: (texts: Texts) => string) => (await send(run, syntax, statement)).rows;

  async function read(): Promise<string | undefined> {
    const [row] = await ask(() => `SELECT value FROM ${cursors()} WHERE ${isOfName}`);
    return row && valuesOf(row)[0];
  }

  /** Writes the value if there is no row. */
  async function insert(next: string): Promise<boolean> {
    const statement = ({ of }: Texts) =>
      `INSERT INTO ${cursors()} (name, value) VALUES (${literal(name)}, ${of(next)})`;
    if (dialect === 'mysql') return hasWritten(ask(statement));
    return (await ask((texts) => `${statement(texts)} ON CONFLICT (name) DO NOTHING RETURNING 1`)).length > 0;
  }

  /** Writes the value if the row has the expected value. MySQL does not return written rows. */
  async function update(next: string, expected: string): Promise<boolean> {
    const set = `UPDATE ${cursors()} SET value =`;
    if (dialect !== 'mysql') {
      const isExpected = ({ of }: Texts) =>
        `${set} ${of(next)} WHERE ${isOfName} AND value = ${of(expected)} RETURNING 1`;
      return (await ask(isExpected)).length > 0;
    }
    if ((await read()) !== expected) return false;
    return hasWritten(ask(({ of }) => `${set} IF(value = ${of(expected)}, ${of(next)}, ${REFUSE}) WHERE ${isOfName}`));
  }

  return {
    read: () =>
      work('read', async () => {
        const text = await read();
        return text === undefined ? undefined : decodeURIComponent(text);
      }),
    write: (next, expected) =>
      work('written', async () => {
        const value = encode(next);
        const old = expected === undefined ? undefined : encode(expected);
        return unlessConflict(() => (old === undefined ? insert(value) : update(value, old)));
      }),
  };
}

/** Encodes a text in ASCII characters that each database keeps and compares alike; JSON stays readable. */
function encode(value: string): string {
  const wellFormed = value.replace(/\p{Cs}/gu, '\ufffd');
  const text = encodeURIComponent(wellFormed).replace(PLAIN, decodeURIComponent);
  if (text.length > LONGEST)
    throw storeError(`The value of a cursor is too long: ${text.length} characters in the table.`);
  return text;
}

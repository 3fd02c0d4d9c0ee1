import { type Answer, type RunStatement, valuesOf } from './database.js';
import type { Claimed, Statements, Status, Syntax, Texts } from './dialect.js';
import { chunksOf, literal, literals, statusOf } from './table.js';

/** Texts as literals. */
export const literalsOf = (of: Texts['of']) => (): Texts => ({ of, values: () => undefined });

/** Condition for rows of an owner. */
export function isOwn({ among }: Syntax, keys: readonly string[], owner: string, texts: Texts): string {
  return `${among(keys, texts)} AND owner = ${texts.of(owner)}`;
}

/** Writes a statement, and runs it with the values of its texts. */
export function send(run: RunStatement, { texts: begin }: Syntax, write: (texts: Texts) => string): Promise<Answer> {
  const texts = begin();
  const statement = write(texts);
  return run(statement, undefined, texts.values());
}

/** Reads columns of rows, by position because clients may rename columns. */
export async function select(
  run: RunStatement,
  syntax: Syntax,
  columns: readonly string[],
  condition: (texts: Texts) => string,
): Promise<unknown[][]> {
  const { rows, end } = syntax;
  const named = columns.map((each, at) => `${each} AS c${at}`).join(', ');
  const found = await send(run, syntax, (texts) => `SELECT ${named} FROM ${rows()} WHERE ${condition(texts)} ${end()}`);
  return found.rows.map((row) => Object.values(row));
}

/** The keys that the owner has. */
export async function ownedBy(
  run: RunStatement,
  syntax: Syntax,
  keys: readonly string[],
  owner: string,
): Promise<Set<string>> {
  const found = await select(run, syntax, [syntax.key], (texts) => isOwn(syntax, keys, owner, texts));
  return new Set(found.map(([key]) => String(key)));
}

/** Whether a transaction was committed, asked on another connection after its end. */
export async function wasCommitted(run: RunStatement, syntax: Syntax, { keys, owner }: Claimed): Promise<boolean> {
  return (await ownedBy(run, syntax, keys.slice(0, 1), owner)).size > 0;
}

/** Condition for rows of some keys, as a list of literals. */
export const amongLiterals = (key: string) => (keys: readonly string[]) => `${key} IN (${literals(keys)})`;

/** The row of a key. */
export const isRowOf = ({ key }: Syntax, name: string) => `${key} = ${literal(name)}`;

/** Calls `work` for parts of the keys that fit in one statement, and joins what it finds. */
export async function inChunks<Each>(
  { mostKeys }: Syntax,
  keys: readonly string[],
  work: (some: readonly string[]) => Promise<Iterable<Each>>,
): Promise<Each[]> {
  const found: Each[] = [];
  for (const some of chunksOf(keys, mostKeys)) found.push(...(await work(some)));
  return found;
}

/** The status of each key that is not free, as the text of a SELECT. */
export function statusText({ key, rows, among, isOver, isIdle, end }: Syntax, keys: readonly string[], texts: Texts) {
  return `SELECT ${key}, ${statusOf(isIdle())} FROM ${rows()} WHERE ${among(keys, texts)} AND NOT (${isOver()}) ${end()}`;
}

/** The statements that all dialects have in common. */
export function rowStatements(syntax: Syntax): Pick<Statements, 'syntax' | 'status' | 'release'> {
  const { rows, now } = syntax;
  return {
    syntax,
    async status(run, keys) {
      const found = await inChunks(syntax, keys, async (some) => {
        const { rows } = await send(run, syntax, (texts) => statusText(syntax, some, texts));
        return rows.map(valuesOf) as [string, Status][];
      });
      return new Map(found);
    },
    release: (run, keys, owner) =>
      inChunks(syntax, keys, async (some) => {
        const isTheirs = (texts: Texts) => isOwn(syntax, some, owner, texts);
        await send(
          run,
          syntax,
          (texts) => `DELETE FROM ${rows()} WHERE ${isTheirs(texts)} AND state = 'lease' AND attempts = 0`,
        );
        // In MySQL, each assignment sees the earlier ones.
        await send(
          run,
          syntax,
          (texts) =>
            `UPDATE ${rows()} SET retry_until = NULL, expires_at = CASE state WHEN 'lease' THEN ${now()} ELSE expires_at END,
               state = CASE state WHEN 'lease' THEN 'failed' ELSE state END
             WHERE ${isTheirs(texts)} AND state IN ('lease', 'dead')`,
        );
        return [];
      }),
  };
}

/** `Syntax.write` of dialects with ON CONFLICT and RETURNING. */
export const writeReturning =
  (rows: () => string): Syntax['write'] =>
  async (run, { key, columns, texts, isAsRead, isUnlocked }) => {
    const names = Object.keys(columns);
    const set = names.map((name) => `${name} = excluded.${name}`).join(', ');
    const written = await run(
      `INSERT INTO ${rows()} (key, ${names.join(', ')})
       SELECT ${literal(key)}, ${Object.values(columns).join(', ')} WHERE ${isUnlocked}
       ON CONFLICT (key) DO ${isAsRead === undefined ? 'NOTHING' : `UPDATE SET ${set} WHERE ${isAsRead}`} RETURNING 1`,
      undefined,
      texts.values(),
    );
    return written.rows.length > 0;
  };

import { conflict, PostgresError } from './errors.js';
import { bareName, keyOf, type Table, type Unique, type Version } from './heap.js';
import type { Answer, Assignment, Insert, Update } from './query.js';
import { keepsSnapshot, type Run, type Scope, type Wait } from './run.js';
import { checkColumns, latest, lock, project, rowsFor, tableOf } from './select.js';
import { holderOf, isGone, sees, type Transaction } from './transaction.js';
import type { Row, Value } from './values.js';

export function* insert(query: Insert, run: Run): Generator<Wait, Answer> {
  const table = tableOf(query.table, run);
  const columns = query.columns.length > 0 ? query.columns : table.columns.map(({ name }) => name);
  for (const column of columns) checkColumn(table, column);
  const omitted = table.columns.filter(({ name, byDefault }) => byDefault && !columns.includes(name));
  const arbiters = query.onConflict ? arbitersOf(table, query.onConflict.columns) : [];
  const rows: Row[] = [];
  let count = 0;
  for (const selected of yield* rowsFor(query.select, run)) {
    const given = named(columns, selected);
    for (const { name, byDefault } of omitted) {
      given[name] = byDefault?.evaluate({ run, outer: undefined, aliases: [], rows: [] }) ?? null;
    }
    const row = table.rowOf(given);
    const version = yield* insertRow(query, table, row, arbiters, run);
    if (!version) continue;
    count++;
    if (query.returning.length > 0)
      rows.push(project(query.returning, scopeOf(query.table.alias, version.values, run)));
  }
  return { rows, count };
}

const scopeOf = (alias: string, row: Row, run: Run): Scope => ({
  run,
  outer: undefined,
  aliases: [alias],
  rows: [row],
});

function checkColumn(table: Table, name: string): void {
  if (table.columns.some((column) => column.name === name)) return;
  throw new PostgresError('42703', `column "${name}" of relation "${bareName(table.name)}" does not exist`);
}

function named(columns: readonly string[], row: Row): Record<string, Value> {
  const given: Record<string, Value> = {};
  let at = 0;
  for (const name in row) {
    const column = columns[at++];
    if (column === undefined) throw new PostgresError('42601', 'INSERT has more expressions than target columns');
    given[column] = row[name] ?? null;
  }
  return given;
}

function arbitersOf(table: Table, columns: readonly string[] | undefined): readonly Unique[] {
  if (!columns) return table.uniques;
  const wanted = [...columns].sort().join();
  const arbiter = table.uniques.find((unique) => [...unique.columns].sort().join() === wanted);
  if (arbiter) return [arbiter];
  const what = 'there is no unique or exclusion constraint matching the ON CONFLICT specification';
  throw new PostgresError('42P10', what);
}

/** The version that the row has now; undefined if nothing was written. */
function* insertRow(
  { onConflict, table: { alias } }: Insert,
  table: Table,
  row: Row,
  arbiters: readonly Unique[],
  run: Run,
): Generator<Wait, Version | undefined> {
  const { transaction } = run;
  const { isolation } = transaction;
  for (;;) {
    const held = conflicting(arbiters, row, transaction);
    if (!held) {
      run.server.idOf(transaction);
      const holder = violated(table.uniques, row, undefined, transaction);
      if (!holder) return table.add(row, transaction);
      yield { holder };
      continue;
    }
    const holder = writerOf(held, transaction) ?? holderOf(held, transaction);
    // One who has only locked it does not keep another from doing nothing.
    if (holder && (onConflict?.set || held.marker !== holder || held.mark !== 'lock')) {
      yield { holder };
      continue;
    }
    const isOwn = held.writer === transaction;
    if (isOwn && onConflict?.set && held.command === transaction.command) {
      throw new PostgresError('21000', 'ON CONFLICT DO UPDATE command cannot affect row a second time');
    }
    if (!isOwn && keepsSnapshot(isolation) && !sees(transaction, run.snapshot, held)) throw conflict();
    if (!onConflict?.set) return undefined;
    // Locked even where the condition does not hold.
    lock(held, run);
    const scope: Scope = { run, outer: undefined, aliases: [alias, 'excluded'], rows: [held.values, row] };
    if (onConflict.where && onConflict.where.evaluate(scope) !== true) return undefined;
    return yield* replace(held, onConflict.set, scope);
  }
}

/** Another open transaction that wrote the version. */
function writerOf({ writer }: Version, transaction: Transaction): Transaction | undefined {
  return writer !== transaction && writer?.status === 'open' ? writer : undefined;
}

/** The version that has the row's key: one that was not deleted for good, by whomever. */
function conflicting(uniques: readonly Unique[], row: Row, transaction: Transaction): Version | undefined {
  for (const unique of uniques) {
    const key = keyOf(unique, row);
    if (key === null) continue;
    for (const version of unique.versions.get(key) ?? []) {
      if (isAlive(version, transaction)) return version;
    }
  }
  return undefined;
}

function isAlive(version: Version, transaction: Transaction): boolean {
  const { writer, marker, mark } = version;
  if (writer === undefined || writer.status === 'aborted' || isGone(version)) return false;
  return marker !== transaction || mark === 'lock';
}

/** Who must end before it is known whether the row violates a constraint. Throws if it does. */
function violated(
  uniques: readonly Unique[],
  row: Row,
  replaced: Version | undefined,
  transaction: Transaction,
): Transaction | undefined {
  for (const unique of uniques) {
    const key = keyOf(unique, row);
    if (key === null) continue;
    for (const version of unique.versions.get(key) ?? []) {
      if (version === replaced || !isAlive(version, transaction)) continue;
      const holder =
        writerOf(version, transaction) ?? (version.mark === 'lock' ? undefined : holderOf(version, transaction));
      if (holder) return holder;
      throw new PostgresError('23505', `duplicate key value violates unique constraint "${unique.name}"`);
    }
  }
  return undefined;
}

/** Replaces a row that the transaction has locked. */
function* replace(held: Version, set: readonly Assignment[], scope: Scope): Generator<Wait, Version> {
  const { table } = held;
  const { transaction } = scope.run;
  const values: Record<string, Value> = { ...held.values };
  for (const { column, value } of set) {
    checkColumn(table, column);
    values[column] = value.evaluate(scope);
  }
  const row = table.rowOf(values);
  const changed = table.uniques.filter((unique) => keyOf(unique, row) !== keyOf(unique, held.values));
  for (;;) {
    const holder = changed.length === 0 ? undefined : violated(changed, row, held, transaction);
    if (!holder) break;
    yield { holder };
  }
  const version = table.add(row, transaction);
  transaction.mark(held, 'update', version);
  return version;
}

/** UPDATE, and DELETE. */
export function* change(query: Update, run: Run): Generator<Wait, Answer> {
  const { transaction, snapshot } = run;
  const table = tableOf(query.table, run);
  const { alias } = query.table;
  for (const { column } of query.set ?? []) checkColumn(table, column);
  checkColumns(query, alias, table);
  const rows: Row[] = [];
  let count = 0;
  const seen = [...table.versions].filter((version) => sees(transaction, snapshot, version));
  for (const version of seen) {
    if (query.where && query.where.evaluate(scopeOf(alias, version.values, run)) !== true) continue;
    const held = yield* latest(version, run);
    if (!held) continue;
    const scope = scopeOf(alias, held.values, run);
    // Another has replaced it meanwhile.
    if (held !== version && query.where && query.where.evaluate(scope) !== true) continue;
    lock(held, run);
    let values = held.values;
    if (query.set) values = (yield* replace(held, query.set, scope)).values;
    else transaction.mark(held, 'delete');
    count++;
    if (query.returning.length > 0)
      rows.push(project(query.returning, query.set ? scopeOf(alias, values, run) : scope));
  }
  return { rows, count };
}

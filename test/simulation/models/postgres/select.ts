import { virtualRows } from './catalog.js';
import { conflict, PostgresError, UnknownToModel } from './errors.js';
import { bareName, type Table, type Version } from './heap.js';
import { sorted } from './order.js';
import type { Answer, ColumnName, Item, Locking, Select, Source, TableName } from './query.js';
import { type Expression, keepsSnapshot, Restart, type Run, type Scope, unknownColumn, type Wait } from './run.js';
import { holderOf, isGone, sees } from './transaction.js';
import type { Row, Value } from './values.js';

export function tableOf({ name }: TableName, { server, session }: Run): Table {
  const table = server.resolve(name, session.setting('search_path') ?? '');
  if (!table) throw new PostgresError('42P01', `relation "${name}" does not exist`);
  return table;
}

const checked = new WeakMap<object, Table>();

/** Refuses columns that the table does not have, even if it has no rows. */
export function checkColumns(query: { readonly columns: readonly ColumnName[] }, alias: string, table: Table): void {
  if (checked.get(query) === table) return;
  for (const { of, name } of query.columns) {
    if (of !== undefined && of !== alias) continue;
    if (!table.columns.some((column) => column.name === name)) throw unknownColumn(of, name);
  }
  checked.set(query, table);
}

/** A row of a source, and its version where it is of a table. */
interface Found {
  readonly row: Row;
  readonly version: Version | undefined;
}

function* found(query: Select, source: Source, run: Run, outer: Scope | undefined): Generator<Wait, Found[]> {
  if (source.kind === 'select') {
    const rows = yield* select(source.select, run, outer);
    return rows.map((row) => ({ row: renamed(row, source.columns), version: undefined }));
  }
  if (source.kind === 'function') return fromFunction(source, run, outer);
  const { name } = source.table;
  const rows = run.named.get(name) ?? virtualRows(name, run);
  if (rows) return rows.map((row) => ({ row, version: undefined }));
  const all: Found[] = [];
  const table = tableOf(source.table, run);
  if (!outer && query.from.length === 1) checkColumns(query, source.table.alias, table);
  for (const version of table.versions) {
    if (sees(run.transaction, run.snapshot, version)) all.push({ row: version.values, version });
  }
  return all;
}

function fromFunction(
  { name, args, alias, columns }: Source & { kind: 'function' },
  run: Run,
  outer: Scope | undefined,
) {
  const scope: Scope = { run, outer, aliases: [], rows: [] };
  const column = columns[0] ?? alias;
  const given = args.map((each) => each.evaluate(scope));
  const rows = (values: readonly Value[]) => values.map((value) => ({ row: { [column]: value }, version: undefined }));
  if (name === 'unnest') return rows((given[0] ?? []) as readonly Value[]);
  if (name === 'pg_listening_channels') return [];
  if (name === 'generate_series') {
    const [from = 0, to = -1] = given.map(Number);
    return rows(Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at));
  }
  throw new UnknownToModel(`the function ${name} in FROM`);
}

function renamed(row: Row, columns: readonly string[]): Row {
  if (columns.length === 0) return row;
  return Object.fromEntries(Object.values(row).map((value, at) => [columns[at] ?? `column${at + 1}`, value]));
}

const aliasOf = (source: Source) => (source.kind === 'table' ? source.table.alias : source.alias);

/** What a query may answer with: its rows before its conditions were looked at. */
interface Joined {
  readonly scopes: readonly Scope[];
  /** Of the last table of each. */
  readonly versions: readonly (Version | undefined)[];
}

function* joined(query: Select, run: Run, outer: Scope | undefined): Generator<Wait, Joined> {
  for (const { name, query: cte } of query.ctes) run.named.set(name, (yield* cte.execute(run)).rows);
  const sources: Found[][] = [];
  for (const source of query.from) sources.push(yield* found(query, source, run, outer));
  const aliases = query.from.map(aliasOf);
  const scopes: Scope[] = [];
  const versions: (Version | undefined)[] = [];
  const join = (rows: readonly Row[], version: Version | undefined) => {
    const next = sources[rows.length];
    if (next) for (const each of next) join([...rows, each.row], each.version);
    else {
      scopes.push({ run, outer, aliases, rows });
      versions.push(version);
    }
  };
  join([], undefined);
  return { scopes, versions };
}

/** The rows of a query, as they are named in its answer. */
export function* select(query: Select, run: Run, outer: Scope | undefined): Generator<Wait, Row[]> {
  if (query.values) return query.values.map((row) => valuesRow(row, { run, outer, aliases: [], rows: [] }));
  const all = yield* joined(query, run, outer);
  const versions = new Map<Scope, Version>();
  let scopes = all.scopes.filter((scope, at) => {
    if (query.where && query.where.evaluate(scope) !== true) return false;
    const version = query.locking && all.versions[at];
    if (version) versions.set(scope, version);
    return true;
  });
  const empty: Scope = { run, outer, aliases: query.from.map(aliasOf), rows: [] };
  if (query.isAggregate || query.groupBy.length > 0) scopes = grouped(query, scopes, empty);
  if (query.orderBy.length > 0) scopes = sorted(scopes, query.orderBy);
  const limit = query.limit?.evaluate({ run, outer, aliases: [], rows: [] }) ?? null;
  const most = limit === null ? Number.POSITIVE_INFINITY : Number(limit);
  if (query.locking) scopes = yield* lockRows(query, query.locking, scopes, versions, most);
  else if (scopes.length > most) scopes.length = most;
  const rows = scopes.map((scope) => project(query.items, scope));
  return query.isDistinct ? distinct(rows) : rows;
}

/**
 * The rows that an INSERT takes from a query, each when it is needed: what the query does for a row, such as locking its
 * key, happens after the row before was written.
 */
export function* rowsFor(query: Select, run: Run): Generator<Wait, Iterable<Row>> {
  const isPlain = !(query.isAggregate || query.isDistinct || query.limit || query.locking || query.values);
  if (!isPlain || query.groupBy.length > 0 || query.orderBy.length > 0) return yield* select(query, run, undefined);
  const { scopes } = yield* joined(query, run, undefined);
  return passing(query, scopes);
}

function* passing({ where, items }: Select, scopes: readonly Scope[]): Generator<Row> {
  for (const scope of scopes) if (!where || where.evaluate(scope) === true) yield project(items, scope);
}

function valuesRow(row: readonly Expression[], scope: Scope): Row {
  return Object.fromEntries(row.map((each, at) => [`column${at + 1}`, each.evaluate(scope)]));
}

function grouped({ groupBy }: Select, scopes: readonly Scope[], empty: Scope): Scope[] {
  if (groupBy.length === 0) return [{ ...(scopes[0] ?? empty), group: scopes }];
  const groups = new Map<string, Scope[]>();
  for (const scope of scopes) {
    const key = JSON.stringify(groupBy.map((each) => String(each.evaluate(scope))));
    const group = groups.get(key);
    if (group) group.push(scope);
    else groups.set(key, [scope]);
  }
  return [...groups.values()].map((group) => ({ ...(group[0] ?? empty), group }));
}

function* lockRows(
  { where, from }: Select,
  locking: Locking,
  scopes: readonly Scope[],
  versions: ReadonlyMap<Scope, Version>,
  most: number,
): Generator<Wait, Scope[]> {
  if (from.length !== 1) throw new UnknownToModel('FOR UPDATE of several tables');
  const locked: Scope[] = [];
  for (const scope of scopes) {
    if (locked.length >= most) break;
    const seen = versions.get(scope);
    if (!seen) throw new UnknownToModel('FOR UPDATE of something other than a table');
    const version = yield* latest(seen, scope.run, locking);
    if (!version) continue;
    const now = version === seen ? scope : { ...scope, rows: [version.values] };
    if (version !== seen && where && where.evaluate(now) !== true) continue;
    lock(version, scope.run);
    locked.push(now);
  }
  return locked;
}

/** The version of the row that may be locked now, for FOR UPDATE or a change; undefined if it was deleted, or is skipped. */
export function* latest(seen: Version, run: Run, locking?: Locking): Generator<Wait, Version | undefined> {
  const { transaction } = run;
  for (let version = seen; ; ) {
    const holder = holderOf(version, transaction);
    if (holder) {
      if (locking === 'skip') return undefined;
      if (locking === 'nowait')
        throw new PostgresError('55P03', `could not obtain lock on row in relation "${bareName(seen.table.name)}"`);
      yield { holder };
      continue;
    }
    if (version.writer === undefined) return undefined;
    if (version.mark !== 'lock' && version.marker === transaction) return undefined;
    if (!isGone(version)) return version;
    if (keepsSnapshot(transaction.isolation)) {
      throw conflict(version.mark === 'delete' && !locking ? 'concurrent delete' : 'concurrent update');
    }
    if (!version.next) return undefined;
    version = version.next;
  }
}

/** Locks a row that nobody else has. */
export function lock(version: Version, { server, transaction }: Run): void {
  server.idOf(transaction);
  transaction.mark(version, 'lock');
}

export function project(items: readonly Item[], scope: Scope): Row {
  const row: Record<string, Value> = {};
  for (const { expression, name } of items) {
    if (expression) row[name] = expression.evaluate(scope);
    else
      scope.rows.forEach((each, at) => void ((name === '*' || scope.aliases[at] === name) && Object.assign(row, each)));
  }
  return row;
}

function distinct(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [JSON.stringify(Object.values(row).map(String)), row])).values()];
}

/** Runs a subquery inside an expression. If it has to wait, the statement starts again afterwards. */
export function rowsNow(query: Select, scope: Scope): readonly Row[] {
  const { run } = scope;
  const known = run.once.get(query);
  if (known) return known as readonly Row[];
  const before = run.outerReads;
  const step = select(query, run, scope).next();
  if (!step.done) throw new Restart(step.value);
  if (run.outerReads === before) run.once.set(query, step.value);
  return step.value;
}

export function* answer(query: Select, run: Run): Generator<Wait, Answer> {
  const rows = yield* select(query, run, undefined);
  return { rows, count: rows.length };
}

/** The only column of a subquery. */
export function firstOf(row: Row): Value {
  for (const name in row) return row[name] ?? null;
  return null;
}

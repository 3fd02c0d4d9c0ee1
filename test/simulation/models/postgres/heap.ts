import { PostgresError } from './errors.js';
import type { Expression } from './run.js';
import type { Transaction } from './transaction.js';
import { cast, type Row, type Value } from './values.js';

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly notNull: boolean;
  readonly byDefault: Expression | undefined;
}

/** One version of a row. */
export interface Version {
  readonly table: Table;
  readonly values: Row;
  /** Who wrote it; undefined once that is undone. */
  writer: Transaction | undefined;
  /** The statement of its writer. */
  readonly command: number;
  /** Who has locked, replaced or deleted it last. It counts while that transaction is open or committed. */
  marker: Transaction | undefined;
  mark: 'lock' | 'update' | 'delete';
  /** The statement of its marker. */
  markCommand: number;
  /** What replaced it. */
  next: Version | undefined;
}

export interface Unique {
  readonly name: string;
  readonly columns: readonly string[];
  readonly versions: Map<Value, Version[]>;
}

export class Table {
  readonly versions = new Set<Version>();
  readonly name: string;
  readonly oid: number;
  readonly columns: readonly Column[];
  readonly uniques: readonly Unique[];
  /** Counts the commits that changed it. */
  generation = 0;

  constructor(name: string, oid: number, columns: readonly Column[], uniques: readonly Omit<Unique, 'versions'>[]) {
    this.name = name;
    this.oid = oid;
    this.columns = columns;
    this.uniques = uniques.map((unique) => ({ ...unique, versions: new Map() }));
  }

  /** A whole row of the values given, of the columns' types. */
  rowOf(given: Readonly<Record<string, Value>>): Row {
    const row: Record<string, Value> = {};
    for (const { name, type, notNull } of this.columns) {
      const value = cast(given[name] ?? null, type);
      if (notNull && value === null) {
        const what = `null value in column "${name}" of relation "${bareName(this.name)}" violates not-null constraint`;
        throw new PostgresError('23502', what);
      }
      row[name] = value;
    }
    return row;
  }

  add(values: Row, writer: Transaction): Version {
    const version: Version = {
      table: this,
      values,
      writer,
      command: writer.command,
      marker: undefined,
      mark: 'lock',
      markCommand: 0,
      next: undefined,
    };
    this.versions.add(version);
    for (const unique of this.uniques) {
      const key = keyOf(unique, values);
      const others = unique.versions.get(key);
      if (others) others.push(version);
      else unique.versions.set(key, [version]);
    }
    writer.changes.push({ version, marker: undefined, mark: undefined, markCommand: 0 });
    return version;
  }

  /** Forgets a version that nobody can see any more. */
  remove(version: Version): void {
    if (!this.versions.delete(version)) return;
    for (const unique of this.uniques) {
      const key = keyOf(unique, version.values);
      const others = unique.versions.get(key) ?? [];
      if (others.length === 1) unique.versions.delete(key);
      else others.splice(others.indexOf(version), 1);
    }
  }
}

/** Null if one of the columns is: nulls are not equal. */
export function keyOf({ columns }: Unique, values: Row): Value {
  const [first = '', ...others] = columns;
  if (others.length === 0) return values[first] ?? null;
  const all = columns.map((column) => values[column] ?? null);
  return all.includes(null) ? null : all.map((each) => JSON.stringify(String(each))).join();
}

export function bareName(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

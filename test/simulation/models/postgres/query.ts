import type { Expression, Run, Wait } from './run.js';
import type { Isolation } from './transaction.js';
import type { Row } from './values.js';

/** What statements are made of, once they are parsed. */

export interface TableName {
  /** With its schema, if the text has one. */
  readonly name: string;
  readonly alias: string;
}

/** A column that an expression reads. */
export interface ColumnName {
  readonly of: string | undefined;
  readonly name: string;
}

export type Source =
  | { readonly kind: 'table'; readonly table: TableName }
  | { readonly kind: 'select'; readonly select: Select; readonly alias: string; readonly columns: readonly string[] }
  | {
      readonly kind: 'function';
      readonly name: string;
      readonly args: readonly Expression[];
      readonly alias: string;
      readonly columns: readonly string[];
    };

export interface Item {
  /** Undefined: all columns, of the table with that alias if there is one. */
  readonly expression: Expression | undefined;
  readonly name: string;
}

export interface Order {
  readonly by: Expression;
  readonly isDescending: boolean;
}

/** How a statement meets rows that others have locked. */
export type Locking = 'wait' | 'skip' | 'nowait';

export interface Select {
  readonly ctes: readonly { readonly name: string; readonly query: Query }[];
  readonly values: readonly (readonly Expression[])[] | undefined;
  readonly items: readonly Item[];
  readonly isDistinct: boolean;
  readonly isAggregate: boolean;
  readonly from: readonly Source[];
  readonly where: Expression | undefined;
  readonly groupBy: readonly Expression[];
  readonly orderBy: readonly Order[];
  readonly limit: Expression | undefined;
  readonly locking: Locking | undefined;
  readonly columns: readonly ColumnName[];
}

export interface Assignment {
  readonly column: string;
  readonly value: Expression;
}

export interface Insert {
  readonly table: TableName;
  readonly columns: readonly string[];
  readonly select: Select;
  readonly onConflict:
    | {
        /** Undefined: whichever. */
        readonly columns: readonly string[] | undefined;
        /** Undefined: DO NOTHING. */
        readonly set: readonly Assignment[] | undefined;
        readonly where: Expression | undefined;
      }
    | undefined;
  readonly returning: readonly Item[];
}

export interface Update {
  readonly table: TableName;
  /** Undefined: DELETE. */
  readonly set: readonly Assignment[] | undefined;
  readonly where: Expression | undefined;
  readonly returning: readonly Item[];
  readonly columns: readonly ColumnName[];
}

/** What a statement answers. */
export interface Answer {
  readonly rows: readonly Row[];
  readonly count: number | null;
}

export interface Query {
  readonly command: 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE';
  execute(run: Run): Generator<Wait, Answer>;
}

export type Statement =
  | {
      readonly kind: 'work';
      readonly command: string;
      /** Literals that the server reads as another type before the statement runs. */
      readonly constants: readonly Expression[];
      execute(run: Run): Generator<Wait, Answer>;
    }
  | { readonly kind: 'begin'; readonly isolation: Isolation | undefined }
  | { readonly kind: 'commit' | 'rollback' }
  | { readonly kind: 'savepoint' | 'release' | 'rollback to'; readonly name: string };

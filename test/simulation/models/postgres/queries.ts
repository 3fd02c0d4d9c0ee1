import { Expressions } from './expressions.js';
import { and } from './operators.js';
import type { Assignment, ColumnName, Insert, Item, Locking, Query, Select, Source, TableName } from './query.js';
import type { Expression } from './run.js';
import { answer } from './select.js';
import { constant } from './terms.js';
import { AGAIN } from './values.js';
import { change, insert } from './write.js';

/** Words that follow a table and are no alias. */
const NO_ALIAS = new Set(
  'where set on select values default returning group order limit for as cross join inner left right full natural having union except intersect using with offset fetch'.split(
    ' ',
  ),
);

/** Parses SELECT, INSERT, UPDATE and DELETE. */
export abstract class Queries extends Expressions {
  query(): Query {
    if (this.takes('insert', 'into')) return this.#insert();
    if (this.takes('update')) return this.#update();
    if (this.takes('delete', 'from')) return this.#delete();
    const select = this.select();
    return { command: 'SELECT', execute: (run) => answer(select, run) };
  }

  select(): Select {
    const ctes = this.takes('with') ? this.listed(() => this.#cte()) : [];
    if (ctes.length > 0 && this.sees('values')) throw this.unknown('VALUES after WITH');
    if (this.takes('values')) return { ...EMPTY, ctes, values: this.listed(() => this.list(() => this.expression())) };
    this.expect('select');
    return this.selected(ctes);
  }

  /** What follows SELECT. */
  selected(ctes: Select['ctes']): Select {
    const { hasAggregate, columns: outerColumns } = this;
    const columns: ColumnName[] = [];
    this.hasAggregate = false;
    this.columns = columns;
    const isDistinct = this.takes('distinct');
    const items = this.sees('from') ? [] : this.#items();
    const from: Source[] = [];
    const conditions: Expression[] = [];
    if (this.takes('from')) this.#from(from, conditions);
    if (this.takes('where')) conditions.push(this.expression());
    const groupBy = this.takes('group', 'by') ? this.listed(() => this.expression()) : [];
    const orderBy = this.order();
    const limit = this.takes('limit') ? this.expression() : undefined;
    const locking =
      this.takes('for', 'update') || this.takes('for', 'no', 'key', 'update') ? this.#locking() : undefined;
    const isAggregate = this.hasAggregate;
    this.hasAggregate = hasAggregate;
    this.columns = outerColumns;
    const [first, ...others] = conditions;
    const where = first && others.reduce(and, first);
    return {
      ctes,
      values: undefined,
      items,
      isDistinct,
      isAggregate,
      from,
      where,
      groupBy,
      orderBy,
      limit,
      locking,
      columns,
    };
  }

  #cte() {
    const name = this.name();
    this.expect('as');
    this.expect('(');
    const before = this.hasAggregate;
    const query = this.query();
    this.hasAggregate = before;
    this.expect(')');
    return { name, query };
  }

  #items(): Item[] {
    const names = new Map<string, number>();
    return this.#named().map(({ expression, name }) => {
      const before = names.get(name) ?? 0;
      names.set(name, before + 1);
      return { expression, name: before === 0 ? name : `${name}${AGAIN}${before}` };
    });
  }

  #named(): Item[] {
    return this.listed(() => {
      if (this.takes('*')) return { expression: undefined, name: '*' };
      if (this.peek(1).text === '.' && this.peek(2).text === '*') {
        const [name] = [this.name(), this.take(), this.take()];
        return { expression: undefined, name };
      }
      const expression = this.expression();
      const isNamed = this.takes('as') || this.#seesAlias();
      return { expression, name: isNamed ? this.name() : expression.name };
    });
  }

  #seesAlias(): boolean {
    const { kind, text } = this.peek();
    return kind === 'name' || (kind === 'word' && !NO_ALIAS.has(text) && text !== 'from');
  }

  #from(sources: Source[], conditions: Expression[]): void {
    sources.push(this.#source());
    for (;;) {
      if (this.takes(',') || this.takes('cross', 'join')) sources.push(this.#source());
      else if (this.takes('join') || this.takes('inner', 'join')) {
        sources.push(this.#source());
        this.expect('on');
        conditions.push(this.expression());
      } else return;
    }
  }

  #source(): Source {
    if (this.takes('(')) {
      const select = this.select();
      this.expect(')');
      return { kind: 'select', select, ...this.#alias('') };
    }
    if (this.peek(1).text === '(' && this.peek().kind === 'word') {
      const name = this.name();
      const args = this.list(() => this.expression());
      return { kind: 'function', name, args, ...this.#alias(name) };
    }
    const table = this.#table();
    return { kind: 'table', table };
  }

  #alias(otherwise: string): { alias: string; columns: readonly string[] } {
    const alias = this.takes('as') || this.#seesAlias() ? this.name() : otherwise;
    return { alias, columns: this.sees('(') ? this.list(() => this.name()) : [] };
  }

  #table(): TableName {
    const parts = this.names();
    const alias = this.takes('as') || this.#seesAlias() ? this.name() : (parts.at(-1) ?? '');
    return { name: parts.join('.'), alias };
  }

  /** A name with its schema. */
  names(): string[] {
    const all = [this.name()];
    while (this.takes('.')) all.push(this.name());
    return all;
  }

  #locking(): Locking {
    if (this.takes('skip', 'locked')) return 'skip';
    return this.takes('nowait') ? 'nowait' : 'wait';
  }

  #insert(): Query {
    const table = this.#table();
    const columns = this.sees('(') && !this.sees('(', 'select') ? this.list(() => this.name()) : [];
    const select = this.select();
    const onConflict = this.takes('on', 'conflict') ? this.#onConflict() : undefined;
    const query: Insert = { table, columns, select, onConflict, returning: this.#returning() };
    return { command: 'INSERT', execute: (run) => insert(query, run) };
  }

  #onConflict(): NonNullable<Insert['onConflict']> {
    const columns = this.sees('(') ? this.list(() => this.name()) : undefined;
    this.expect('do');
    if (this.takes('nothing')) return { columns, set: undefined, where: undefined };
    this.expect('update', 'set');
    const set = this.#assignments();
    return { columns, set, where: this.takes('where') ? this.expression() : undefined };
  }

  #assignments(): Assignment[] {
    return this.listed(() => {
      const column = this.name();
      this.expect('=');
      return { column, value: this.expression() };
    });
  }

  #returning(): Item[] {
    return this.takes('returning') ? this.#items() : [];
  }

  #update(): Query {
    this.columns = [];
    const table = this.#table();
    this.expect('set');
    const set = this.#assignments();
    const where = this.takes('where') ? this.expression() : undefined;
    const query = { table, set, where, returning: this.#returning(), columns: this.columns };
    return { command: 'UPDATE', execute: (run) => change(query, run) };
  }

  #delete(): Query {
    this.columns = [];
    const table = this.#table();
    const where = this.takes('where') ? this.expression() : undefined;
    const query = { table, set: undefined, where, returning: this.#returning(), columns: this.columns };
    return { command: 'DELETE', execute: (run) => change(query, run) };
  }
}

const EMPTY: Select = {
  ctes: [],
  values: undefined,
  items: [{ expression: constant(null), name: 'column1' }],
  isDistinct: false,
  isAggregate: false,
  from: [],
  where: undefined,
  groupBy: [],
  orderBy: [],
  limit: undefined,
  locking: undefined,
  columns: [],
};

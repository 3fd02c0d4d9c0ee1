import { AGGREGATES, functionOf } from './functions.js';
import { and, arithmetic, comparison, isOneOf, not, or } from './operators.js';
import { sorted } from './order.js';
import type { ColumnName, Order, Select } from './query.js';
import { Reader } from './reader.js';
import { columnOf, type Expression } from './run.js';
import { firstOf, rowsNow } from './select.js';
import { constant, numberLiteral, scalar, textLiteral, typed } from './terms.js';
import { isType, type Value } from './values.js';

const COMPARISONS = ['=', '<>', '!=', '<', '<=', '>', '>='];
const USERS = new Set(['current_user', 'session_user', 'user', 'current_role']);
/** Words that end an expression rather than naming a column. */
const RESERVED = new Set(
  'from where as on and or not then when else end in is limit order group having union returning set values for select'.split(
    ' ',
  ),
);

/** Parses expressions into functions. */
export abstract class Expressions extends Reader {
  /** Set by an aggregate of the query that is being read. */
  protected hasAggregate = false;
  /** Literals with a type, which the server reads before the statement runs. */
  protected constants: Expression[] = [];

  /** The columns that the query reads whose expressions are being read. */
  protected columns: ColumnName[] = [];

  abstract select(): Select;

  expression(): Expression {
    let left = this.#conjunction();
    while (this.takes('or')) left = or(left, this.#conjunction());
    return left;
  }

  #conjunction(): Expression {
    let left = this.#negation();
    while (this.takes('and')) left = and(left, this.#negation());
    return left;
  }

  #negation(): Expression {
    return this.takes('not') ? not(this.#negation()) : this.#comparison();
  }

  #comparison(): Expression {
    const left = this.#sum();
    const { kind, text } = this.peek();
    if (kind === 'sign' && COMPARISONS.includes(text)) {
      this.take();
      return comparison(text, left, this.#sum());
    }
    if (this.takes('is')) return this.#is(left);
    const isNegated = this.takes('not');
    if (this.takes('in')) {
      const inside = this.#in(left);
      return isNegated ? not(inside) : inside;
    }
    if (this.takes('between')) {
      const from = this.#sum();
      this.expect('and');
      const inside = and(comparison('>=', left, from), comparison('<=', left, this.#sum()));
      return isNegated ? not(inside) : inside;
    }
    if (isNegated) throw this.unknown(`NOT ${this.peek().text}`);
    return left;
  }

  #is(left: Expression): Expression {
    const isNegated = this.takes('not');
    const word = this.take().text;
    if (word === 'distinct') {
      this.expect('from');
      const same = comparison('is', left, this.#sum());
      return isNegated ? same : not(same);
    }
    const wanted = new Map<string, Value>([
      ['null', null],
      ['true', true],
      ['false', false],
    ]);
    const value = wanted.get(word);
    if (value === undefined) throw this.unknown(`IS ${word}`);
    return { name: '?column?', evaluate: (scope) => (left.evaluate(scope) === value) !== isNegated };
  }

  #in(left: Expression): Expression {
    if (this.sees('(', 'select') || this.sees('(', 'with')) {
      const query = this.#subquery();
      return isOneOf(left, (scope) => rowsNow(query, scope).map(firstOf));
    }
    const all = this.list(() => this.expression());
    return isOneOf(left, (scope) => all.map((each) => each.evaluate(scope)));
  }

  #sum(): Expression {
    let left = this.#product();
    for (;;) {
      const { kind, text } = this.peek();
      if (kind !== 'sign' || !['+', '-', '||'].includes(text)) return left;
      this.take();
      left = arithmetic(text, left, this.#product());
    }
  }

  #product(): Expression {
    let left = this.#cast();
    for (;;) {
      const { kind, text } = this.peek();
      if (kind !== 'sign' || !['*', '/', '%'].includes(text)) return left;
      this.take();
      left = arithmetic(text, left, this.#cast());
    }
  }

  #cast(): Expression {
    if (this.takes('-')) return arithmetic('-', { name: '?column?', evaluate: () => 0 }, this.#cast());
    const isLiteral = this.peek().kind === 'string';
    let value = this.#primary();
    for (let isFirst = true; this.takes('::'); isFirst = false)
      value = this.#typed(value, this.type(), isFirst && isLiteral);
    return value;
  }

  #typed(value: Expression, type: string, isLiteral: boolean): Expression {
    const expression = typed(value, type);
    if (isLiteral) this.constants.push(expression);
    return expression;
  }

  type(): string {
    const name = this.name();
    if (name === 'character') {
      this.expect('varying');
      if (this.sees('(')) this.list(() => this.take());
      return 'varchar';
    }
    if (name === 'timestamp') {
      this.expect('with', 'time', 'zone');
      return 'timestamptz';
    }
    if (this.sees('(')) this.list(() => this.take());
    if (!isType(name) && name !== 'regclass' && name !== 'regnamespace') throw this.unknown(`the type ${name}`);
    return name;
  }

  #primary(): Expression {
    const { kind, text, literal } = this.peek();
    if (kind === 'string' || kind === 'number') {
      this.take();
      return kind === 'string' ? textLiteral(literal) : numberLiteral(literal);
    }
    if (this.sees('(', 'select') || this.sees('(', 'with')) return scalar(this.#subquery());
    if (this.takes('(')) {
      const inside = this.expression();
      this.expect(')');
      return inside;
    }
    if (kind === 'word') {
      const special = this.#special(text);
      if (special) return special;
      if (this.peek(1).text === '(' && this.peek(1).kind === 'sign') return this.#call(this.name());
    }
    if ((kind !== 'word' && kind !== 'name') || (kind === 'word' && RESERVED.has(text))) throw this.unknown(text);
    return this.#column();
  }

  #special(word: string): Expression | undefined {
    if (this.takes('null')) return constant(null);
    if (this.takes('true')) return constant(true);
    if (this.takes('false')) return constant(false);
    if (USERS.has(word)) return constant('postgres', this.name());
    if (this.takes('case')) return this.#case();
    if (this.takes('exists')) {
      const query = this.#subquery();
      return { name: 'exists', evaluate: (scope) => rowsNow(query, scope).length > 0 };
    }
    if (this.takes('array', '[')) {
      const all = this.sees(']') ? [] : this.listed(() => this.expression());
      this.expect(']');
      return { name: 'array', evaluate: (scope) => all.map((each) => each.evaluate(scope)) };
    }
    if (this.takes('cast', '(')) {
      const isLiteral = this.peek().kind === 'string';
      const value = this.expression();
      this.expect('as');
      const expression = this.#typed(value, this.type(), isLiteral);
      this.expect(')');
      return expression;
    }
    if (word === 'interval' && this.peek(1).kind === 'string') {
      this.take();
      return this.#typed(textLiteral(this.take().literal), 'interval', true);
    }
    return undefined;
  }

  #case(): Expression {
    const branches: { when: Expression; value: Expression }[] = [];
    while (this.takes('when')) {
      const when = this.expression();
      this.expect('then');
      branches.push({ when, value: this.expression() });
    }
    const otherwise = this.takes('else') ? this.expression() : constant(null);
    this.expect('end');
    const isWeak = otherwise.name === '?column?' || otherwise.isWeak === true;
    return {
      name: isWeak ? 'case' : otherwise.name,
      isWeak,
      evaluate(scope) {
        for (const { when, value } of branches) if (when.evaluate(scope) === true) return value.evaluate(scope);
        return otherwise.evaluate(scope);
      },
    };
  }

  #call(name: string): Expression {
    if (Object.hasOwn(AGGREGATES, name)) return this.#aggregate(name);
    const args = this.list(() => this.expression());
    const apply = functionOf(name);
    return {
      name,
      evaluate: (scope) =>
        apply(
          args.map((each) => each.evaluate(scope)),
          scope.run,
        ),
    };
  }

  #aggregate(name: string): Expression {
    const aggregate = AGGREGATES[name];
    if (!aggregate) throw this.unknown(name);
    this.expect('(');
    if (this.takes('distinct')) throw this.unknown('DISTINCT in an aggregate');
    const args = this.takes('*') ? [constant(true)] : this.listed(() => this.expression());
    const orderBy = this.order();
    this.expect(')');
    this.hasAggregate = true;
    const [value = constant(null), separator = constant('')] = args;
    return {
      name,
      evaluate(scope) {
        const rows = orderBy.length === 0 ? (scope.group ?? []) : sorted(scope.group ?? [], orderBy);
        const values = rows.map((each) => value.evaluate(each)).filter((each) => each !== null);
        return aggregate(values, String(separator.evaluate(scope)));
      },
    };
  }

  order(): Order[] {
    if (!this.takes('order', 'by')) return [];
    return this.listed(() => {
      const by = this.expression();
      const isDescending = this.takes('desc');
      if (!isDescending) this.takes('asc');
      return { by, isDescending };
    });
  }

  #subquery(): Select {
    const before = this.hasAggregate;
    this.expect('(');
    const query = this.select();
    this.expect(')');
    this.hasAggregate = before;
    return query;
  }

  #column(): Expression {
    const first = this.name();
    const of = this.takes('.') ? first : undefined;
    const name = of === undefined ? first : this.name();
    this.columns.push({ of, name });
    if (of === undefined) return { name, evaluate: (scope) => columnOf(scope, undefined, name) };
    return { name, evaluate: (scope) => columnOf(scope, first, name) };
  }
}

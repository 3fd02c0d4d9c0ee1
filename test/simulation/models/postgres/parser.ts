import { PostgresError } from './errors.js';
import { type Column, Table } from './heap.js';
import { Queries } from './queries.js';
import type { Answer, Statement } from './query.js';
import type { Run, Scope, Wait } from './run.js';
import { answer } from './select.js';
import { messageOf } from './text.js';
import type { Isolation } from './transaction.js';
import type { Row } from './values.js';

const parsed = new Map<string, readonly Statement[]>();

/** The statements of a message; parsed once for each template. */
export function statementsOf(template: string): readonly Statement[] {
  const known = parsed.get(template);
  if (known) return known;
  const statements = new Parser(template).statements();
  parsed.set(template, statements);
  return statements;
}

type Work = Omit<Statement & { kind: 'work' }, 'kind' | 'constants'>;

function work(command: string, act: (run: Run) => readonly Row[] | undefined): Work {
  return {
    command,
    // biome-ignore lint/correctness/useYield: never waits
    *execute(run): Generator<Wait, Answer> {
      const rows = act(run);
      return { rows: rows ?? [], count: null };
    },
  };
}

/** Parses the statements of a message. */
class Parser extends Queries {
  statements(): Statement[] {
    const all: Statement[] = [];
    while (this.peek().kind !== 'end') {
      if (this.takes(';')) continue;
      all.push(this.#statement());
      if (this.peek().kind !== 'end') this.expect(';');
    }
    return all;
  }

  #statement(): Statement {
    const control = this.#control();
    if (control) return control;
    this.constants = [];
    const statement = this.#setting() ?? this.#definition() ?? this.query();
    return { kind: 'work', constants: this.constants, ...statement };
  }

  #control(): Statement | undefined {
    if (this.takes('begin') || this.takes('start', 'transaction')) {
      if (!this.takes('transaction')) this.takes('work');
      return { kind: 'begin', isolation: this.takes('isolation', 'level') ? this.#isolation() : undefined };
    }
    if (this.takes('commit') || this.takes('end')) return { kind: 'commit' };
    if (this.takes('rollback', 'to')) return { kind: 'rollback to', name: this.#savepoint() };
    if (this.takes('rollback') || this.takes('abort')) return { kind: 'rollback' };
    if (this.takes('savepoint')) return { kind: 'savepoint', name: this.name() };
    return this.takes('release') ? { kind: 'release', name: this.#savepoint() } : undefined;
  }

  #savepoint(): string {
    this.takes('savepoint');
    return this.name();
  }

  #isolation(): Isolation {
    if (this.takes('serializable')) return 'serializable';
    if (this.takes('repeatable', 'read')) return 'repeatable read';
    if (!this.takes('read', 'uncommitted')) this.expect('read', 'committed');
    return 'read committed';
  }

  #setting(): Work | undefined {
    if (this.takes('show')) {
      const name = this.names().join('.');
      return work('SHOW', ({ session }) => {
        const value = session.setting(name);
        if (value !== undefined) return [{ [name]: value }];
        throw new PostgresError('42704', `unrecognized configuration parameter "${name}"`);
      });
    }
    if (!this.takes('set')) return undefined;
    if (this.takes('transaction', 'isolation', 'level')) {
      const isolation = this.#isolation();
      return work('SET', ({ session }) => void session.set('transaction_isolation', isolation, true));
    }
    const isLocal = this.takes('local');
    if (!isLocal) this.takes('session');
    const name = this.names().join('.');
    if (!this.takes('to')) this.expect('=');
    const { kind, text, literal } = this.take();
    if (this.sees(',')) throw this.unknown('SET of a list');
    const isLiteral = kind === 'string' || kind === 'number';
    return work('SET', ({ session, literals }) => {
      session.set(name, isLiteral ? (literals[literal] ?? '') : text, isLocal);
      return undefined;
    });
  }

  #definition(): Work | undefined {
    if (this.takes('do')) return blockOf(this.take().text);
    if (this.takes('create', 'index')) {
      // An index changes no answer.
      while (this.peek().kind !== 'end' && !this.sees(';')) this.take();
      return work('CREATE', () => undefined);
    }
    return this.takes('create', 'table') ? this.#createTable() : undefined;
  }

  #createTable(): Work {
    const ifNotExists = this.takes('if', 'not', 'exists');
    const name = this.names().join('.');
    const bare = name.slice(name.lastIndexOf('.') + 1);
    const uniques: { name: string; columns: string[] }[] = [];
    const unique = (columns: string[], isPrimary: boolean) =>
      uniques.push({ name: isPrimary ? `${bare}_pkey` : `${bare}_${columns.join('_')}_key`, columns });
    const columns = this.list(() => this.#column(unique)).filter((column) => column !== undefined);
    return work('CREATE', ({ server, session, literals }) => {
      if (server.resolve(name, session.setting('search_path') ?? '')) {
        if (ifNotExists) return undefined;
        throw new PostgresError('42P07', `relation "${bare}" already exists`);
      }
      server.createTable(
        name,
        (full, oid) =>
          new Table(
            full,
            oid,
            columns.map((column) => withLiterals(column, literals)),
            uniques,
          ),
      );
      return undefined;
    });
  }

  /** A column, or a constraint of the table. */
  #column(unique: (columns: string[], isPrimary: boolean) => void): Column | undefined {
    if (this.sees('primary', 'key', '(') || this.sees('unique', '(')) {
      const isPrimary = this.take().text === 'primary';
      if (isPrimary) this.expect('key');
      unique(
        this.list(() => this.name()),
        isPrimary,
      );
      return undefined;
    }
    const [name, type] = [this.name(), this.type()];
    let notNull = false;
    for (;;) {
      if (this.takes('collate')) this.name();
      else if (this.takes('not', 'null')) notNull = true;
      else if (this.takes('primary', 'key')) {
        unique([name], true);
        notNull = true;
      } else if (this.takes('unique')) unique([name], false);
      else if (this.takes('default')) return { name, type, notNull, byDefault: this.expression() };
      else return { name, type, notNull, byDefault: undefined };
    }
  }

  /** The statements of a block in PL/pgSQL. */
  block(): Work[] {
    const all: Work[] = [];
    this.expect('begin');
    while (!this.takes('end')) {
      all.push(this.#step());
      this.expect(';');
    }
    return all;
  }

  #step(): Work {
    if (this.takes('perform')) {
      const select = this.selected([]);
      return { command: 'DO', execute: (run) => answer(select, run) };
    }
    if (this.takes('raise', 'exception')) return this.#raise();
    return this.#setting() ?? this.#definition() ?? this.query();
  }

  #raise(): Work {
    const message = this.take().literal;
    this.expect('using', 'errcode', '=');
    const code = this.take().literal;
    return work('DO', ({ literals }) => {
      throw new PostgresError(literals[code] ?? '', literals[message] ?? '');
    });
  }
}

/** A default has the literals of the statement that creates the table. */
function withLiterals(column: Column, literals: readonly string[]): Column {
  const { byDefault } = column;
  if (!byDefault) return column;
  const evaluate = (scope: Scope) => byDefault.evaluate({ ...scope, run: { ...scope.run, literals } });
  return { ...column, byDefault: { name: byDefault.name, evaluate } };
}

function blockOf(text: string): Work {
  const { template, literals } = messageOf(text);
  const steps = new Parser(template).block();
  return {
    command: 'DO',
    *execute(run): Generator<Wait, Answer> {
      for (const step of steps) yield* step.execute({ ...run, literals, once: new Map(), named: new Map() });
      return { rows: [], count: null };
    },
  };
}

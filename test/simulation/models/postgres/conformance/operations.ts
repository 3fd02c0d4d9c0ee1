import { sqlCursor } from '../../../../../src/stores/sql/cursor.js';
import type { Claimed, Statements } from '../../../../../src/stores/sql/dialect.js';
import { SESSION_AFTER_PLAIN } from '../../../../../src/stores/sql/from/postgres-session.js';
import { postgresStatements } from '../../../../../src/stores/sql/postgres.js';
import { tableOf } from '../../../../../src/stores/sql/table.js';
import type { Choices } from '../../../kernel/choices.js';
import type { Both, Send } from './both.js';
import type { Engine } from './engine.js';

const TABLE = tableOf('webhook_events', 'postgres');
const LONG_MS = 1e7;
const KEYS = ['k1', 'k2', 'k3'];
const OWNERS = ['o1', 'o2'];

/** Statements whose leases and records are over at once, or never. */
const STATEMENTS = [LONG_MS, 0].map((ms) => postgresStatements(TABLE, { leaseMs: ms, retentionMs: ms }));

/** The transaction of each session, in each engine. */
type Claims = WeakMap<Engine, Map<string, Claimed>>;

/** The tables, as the stores and a user create them. */
export async function createTables(send: Send): Promise<void> {
  await STATEMENTS[0]?.migrate(send);
  await send('CREATE TABLE effects (id text PRIMARY KEY, key text NOT NULL, n int NOT NULL DEFAULT 0)');
}

/** A generated sequence of what the stores send. */
export class Operations {
  readonly #claims: Claims = new WeakMap();
  /** The sessions with a transaction that BEGIN has opened. */
  readonly #open = new Set<string>();
  readonly #choices: Choices;
  readonly #both: Both;

  constructor(choices: Choices, both: Both) {
    this.#choices = choices;
    this.#both = both;
  }

  /** One operation on a session that does not wait. */
  async step(name: string): Promise<void> {
    const choices = this.#choices;
    const statements = choices.pick(STATEMENTS) as Statements;
    const keys = KEYS.filter(() => choices.oneIn(2));
    if (keys.length === 0) keys.push(choices.pick(KEYS));
    const owner = choices.pick(OWNERS);
    const what = `${statements === STATEMENTS[0] ? 'long' : 'over'} ${keys} ${owner}`;
    const most = choices.between(1, 3);
    const run = (title: string, act: (send: Send, engine: Engine) => Promise<unknown>) =>
      this.#both.step(name, `${title} ${what}`, act);
    const kinds = this.#open.has(name) ? [...LEASES, ...OPEN] : [...LEASES, 'begin', 'begin', 'begin', 'signal', 'end'];
    const kind = choices.pick(kinds);
    switch (kind) {
      case 'claim':
        return void (await run(kind, (send) => statements.claim(send, keys, owner)));
      case 'status':
        return void (await run(kind, (send) => statements.status(send, keys)));
      case 'complete':
        return void (await run(kind, (send) => statements.complete(send, keys, owner)));
      case 'release':
        return void (await run(kind, (send) => statements.release(send, keys, owner)));
      case 'sweep':
        return void (await run(kind, (send) => statements.sweep(send, most)));
      case 'read':
      case 'write':
        return this.#cursor(name, kind, statements);
      case 'effect':
        return void (await this.#both.send(
          name,
          `INSERT INTO effects (id, key) VALUES ('e${choices.below(3)}', '${keys[0]}')`,
        ));
      case 'count':
        return void (await this.#both.send(
          name,
          `UPDATE effects SET n = n + 1 WHERE key = '${keys[0]}' RETURNING id, n`,
        ));
      case 'begin':
        return this.#begin(name, statements, keys);
      case 'check':
        return void (await run(kind, (send, engine) =>
          statements.transaction.check(send, this.#claimed(engine, name)),
        ));
      case 'finish':
        return void (await run(kind, (send, engine) =>
          statements.transaction.finish(send, this.#claimed(engine, name)),
        ));
      case 'look':
        return void (await run(kind, (send) => statements.transaction.look(send, { ...this.#unclaimed(keys), owner })));
      case 'leave open':
        return void (await run(kind, (send) =>
          statements.transaction.leaveOpen(send, { ...this.#unclaimed(keys), owner }),
        ));
      case 'spoil':
        return void (await run(kind, (send, engine) =>
          statements.transaction.spoil(send, this.#claimed(engine, name)),
        ));
      case 'signal':
        return this.#signal(name, statements);
      case 'savepoint':
        return void (await this.#both.send(name, choices.pick(['SAVEPOINT s', 'ROLLBACK TO s', 'RELEASE s'])));
      case 'commit':
        return this.#commit(name, statements);
      case 'end':
        this.#open.delete(name);
        await this.#both.end(name);
        await this.#both.open(name);
        return;
      default:
        this.#open.delete(name);
        await this.#both.send(name, kind.toUpperCase());
    }
  }

  #claimed(engine: Engine, name: string): Claimed {
    return this.#claims.get(engine)?.get(name) ?? this.#unclaimed(KEYS);
  }

  #unclaimed(keys: readonly string[]): Claimed {
    return { keys, owner: '1', id: '1', role: "'none'" };
  }

  async #begin(name: string, statements: Statements, keys: readonly string[]): Promise<void> {
    const isolation = this.#choices.pick(['', ' ISOLATION LEVEL repeatable read']);
    this.#open.add(name);
    await this.#both.step(name, `BEGIN${isolation} ${keys}`, async (send, engine) => {
      const claims = this.#claims.get(engine) ?? new Map<string, Claimed>();
      this.#claims.set(engine, claims);
      claims.delete(name);
      const claimed = await statements.transaction.claim((text) => send(`BEGIN${isolation}; ${text}`), keys, 'unused');
      claims.set(name, claimed);
      return { ...claimed, isOpen: claimed.isOpen?.() };
    });
  }

  async #commit(name: string, { transaction: { commit } }: Statements): Promise<void> {
    this.#open.delete(name);
    await this.#both.step(name, 'commit', async (send, engine) => {
      const sending = async (text: string) => void (await send(`${text}; ${SESSION_AFTER_PLAIN}`));
      await commit?.(sending, this.#claimed(engine, name));
    });
    // A check that failed leaves the transaction open.
    await this.#both.send(name, 'ROLLBACK');
  }

  async #signal(name: string, { transaction }: Statements): Promise<void> {
    const others = this.#both.names().filter((other) => other !== name);
    const target = this.#choices.pick(others);
    const kind = this.#choices.pick(['cancel', 'terminate'] as const);
    await this.#both.step(name, `${kind} ${target}`, async (send, engine) =>
      transaction[kind]?.(send, this.#claimed(engine, target)),
    );
    for (const ended of this.#both.ended()) {
      this.#open.delete(ended);
      await this.#both.open(ended);
    }
  }

  async #cursor(name: string, kind: 'read' | 'write', statements: Statements): Promise<void> {
    const [next, expected] = [this.#choices.pick(['1', '2']), this.#choices.pick([undefined, '1', '2'])];
    await this.#both.step(name, `cursor ${kind} ${next} ${expected}`, async (send) => {
      const own = { ...statements, prepare: () => undefined };
      const table = { run: send, statements: own, dialect: 'postgres', bind: false, timeoutMs: 1e6 } as const;
      const cursor = sqlCursor(table, 'c');
      return kind === 'read' ? await cursor.read() : await cursor.write(next, expected);
    });
  }
}

const LEASES = [
  'claim',
  'claim',
  'status',
  'complete',
  'release',
  'sweep',
  'read',
  'write',
  'effect',
  'count',
  'look',
  'leave open',
];
const OPEN = [
  'check',
  'finish',
  'commit',
  'commit',
  'commit',
  'commit',
  'rollback',
  'end',
  'spoil',
  'signal',
  'savepoint',
  'effect',
];

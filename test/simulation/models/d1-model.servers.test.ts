import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type D1DatabaseLike, fromD1, sqlDdl } from '../../../src/stores/sql/index.js';
import { sqliteServerStatements } from '../../../src/stores/sql/sqlite.js';
import { tableOf } from '../../../src/stores/sql/table.js';
import { nothing } from '../../contracts/store-helpers.js';
import { D1Workers, hasWorkerd, needsWorkerd } from '../../stores/sql/d1/workers.js';
import { D1Engine } from './d1-engine.js';

const TABLE = tableOf('webhook_idempotency_keys', 'sqlite');
const KEYS = ['a', 'b', 'c'];
const OWNERS = ['one', 'two'];

/** The same small numbers for every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

/** The binding over the engine alone, with the machine's clock. */
function bindingOf(engine: D1Engine): D1DatabaseLike {
  const statement = (text: string, values: readonly string[]) => ({
    bind: (...bound: string[]) => statement(text, bound),
    all: async () => ({ results: engine.query(text, values, Date.now()) }),
  });
  return { prepare: (text) => statement(text, []), batch: nothing, exec: nothing };
}

describe.skipIf(!hasWorkerd)(`the model of D1 beside Miniflare${needsWorkerd}`, { timeout: 60_000 }, () => {
  const workers = new D1Workers();
  const engine = new D1Engine();
  beforeAll(async () => {
    await workers.start();
    for (const statement of sqlDdl({ dialect: 'sqlite' })) {
      engine.query(statement, [], 0);
      await workers.query(statement);
    }
  }, 60_000);
  afterAll(() => workers.remove());

  it('gives the answers of D1 to the statements of the store', async () => {
    const databases = [fromD1(bindingOf(engine)), fromD1(await workers.database())];
    // A lease that is over at once, or one that outlasts the test: so the clocks need not agree.
    const statements = [-1, 3_600_000].map((ms) => sqliteServerStatements(TABLE, { leaseMs: ms, retentionMs: ms }));
    const below = numbers(7);
    for (let step = 0; step < 400; step++) {
      const [chosen = statements[0], owner = ''] = [statements[below(2)], OWNERS[below(2)]];
      const keys = KEYS.filter(() => below(2) === 0);
      const operation = below(5);
      const [model, real] = await Promise.all(
        databases.map(async ({ run }) => {
          if (operation === 0) return chosen?.status(run, keys);
          if (operation === 1) return chosen?.complete(run, keys, owner);
          if (operation === 2) await chosen?.release(run, keys, owner);
          if (operation === 3 && step % 10 === 0) return chosen?.sweep(run, 2);
          return chosen?.claim(run, keys, owner);
        }),
      );
      expect(model, `step ${step}: operation ${operation}`).toEqual(real);
    }
    const rows = 'SELECT key, owner, done FROM webhook_idempotency_keys ORDER BY key';
    expect(engine.query(rows, [], 0)).toEqual(await workers.query(rows));
  });

  it('fails where D1 fails', async () => {
    const databases = [fromD1(bindingOf(engine)), fromD1(await workers.database())];
    for (const text of ['SELECT * FROM nothing', 'INSERT INTO webhook_idempotency_keys (key) VALUES (1)']) {
      const errors = databases.map(({ run }) => run(text).then(String, ({ message }) => String(message)));
      const [model = '', real = ''] = await Promise.all(errors);
      expect(real).toContain(model);
      expect(model).not.toBe('');
    }
  });

  it('has the clock of D1 to the millisecond', async () => {
    const text = "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS now, typeof(unixepoch('subsec')) AS type";
    const now = 1_700_000_000_123.7;
    expect(engine.query(text, [], now)).toEqual([{ now: 1_700_000_000_123, type: 'real' }]);
    const [real] = await workers.query(text);
    expect(real).toEqual({ now: expect.any(Number), type: 'real' });
  });

  it('names another clock', () => {
    expect(() => engine.query("SELECT datetime('now')", [], 0)).toThrow('The D1 model does not know the clock of');
  });
});

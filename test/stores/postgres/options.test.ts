import pg from 'pg';
import postgres from 'postgres';
import { describe, expect, it } from 'vitest';
import { postgresStore } from '../../../src/stores/postgres/index.js';
import { failing, nothing, unique } from '../../contracts/store-helpers.js';

const _ERR_STORE = { code: 'ERR_WEBHOOK_STORE' };

describe('postgresStore', () => {
  const url = 'postgres://localhost/nowhere';

  it('refuses what is no pool', () => {
    const client = new pg.Client(url);
    const pooled = Object.assign(new pg.Client(url), { release() {} });
    for (const pool of [undefined, null, url, {}, () => {}, client, pooled, { query: nothing }, { connect: nothing }]) {
      // What TypeScript refuses already, and JavaScript lets through.
      const options: object = { pool };
      expect(() => postgresStore(options as { pool: pg.Pool })).toThrow(
        expect.objectContaining({ code: 'ERR_WEBHOOK_CONFIG', message: expect.stringContaining('needs pool') }),
      );
    }
  });

  it('takes a Pool of pg and the sql of postgres.js, and connects nowhere by itself', () => {
    const [pool, sql] = [new pg.Pool({ connectionString: url }), postgres(url)];
    const leased = [postgresStore({ pool }), postgresStore({ pool: sql })];
    const transactional = [
      postgresStore({ pool, transactional: true }),
      postgresStore({ pool: sql, transactional: true }),
    ];
    for (const store of [...leased, ...transactional]) expect(store.leaseMs).toBe(60_000);
    expect(pool.totalCount).toBe(0);
  });

  it('says that a key is in progress when it is taken and given back again and again', async () => {
    const texts: string[] = [];
    const pool = {
      query: async (text: string) => {
        texts.push(text);
        return { rows: [], rowCount: 0 };
      },
      connect: failing,
    };
    expect(await postgresStore({ pool }).once(unique(), failing)).toBe('in-progress');
    expect(texts).toHaveLength(10);
  });

  it('refuses numbers out of range and a table that is no identifier', () => {
    const pool = new pg.Pool({ connectionString: url });
    for (const options of [
      { leaseMs: 0 },
      { retentionMs: -1 },
      { timeoutMs: 2 ** 31 },
      { table: 'a b' },
      { table: '' },
    ]) {
      expect(() => postgresStore({ pool, ...options })).toThrow(
        expect.objectContaining({ code: 'ERR_WEBHOOK_CONFIG' }),
      );
    }
  });
});

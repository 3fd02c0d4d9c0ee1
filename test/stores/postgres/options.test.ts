import pg from 'pg';
import postgres from 'postgres';
import { describe, expect, it } from 'vitest';
import { postgresStore } from '../../../src/stores/postgres/index.js';
import { failing, nothing, unique } from '../../contracts/store-helpers.js';

describe('postgresStore', () => {
  const url = 'postgres://localhost/nowhere';

  it('refuses anything but a pool, and says which pools it takes', () => {
    const client = new pg.Client(url);
    const pooled = Object.assign(new pg.Client(url), { release() {} });
    for (const pool of [undefined, null, url, {}, () => {}, client, pooled, { query: nothing }, { connect: nothing }]) {
      const options: object = { pool };
      expect(() => postgresStore(options as { pool: pg.Pool })).toThrow(
        expect.objectContaining({
          code: 'ERR_WEBHOOK_CONFIG',
          message: expect.stringMatching(/^`pool` must be a Pool of pg .* or the sql of postgres\.js, got \w/),
        }),
      );
    }
  });

  it('accepts a Pool of pg and the sql of postgres.js, and does not connect by itself', () => {
    const [pool, sql] = [new pg.Pool({ connectionString: url }), postgres(url)];
    const leased = [postgresStore({ pool }), postgresStore({ pool: sql })];
    const transactional = [
      postgresStore({ pool, transactional: true }),
      postgresStore({ pool: sql, transactional: true }),
    ];
    for (const store of [...leased, ...transactional]) expect(store.leaseMs).toBe(60_000);
    expect(pool.totalCount).toBe(0);
  });

  it('answers in-progress for a key that is claimed and freed over and over', async () => {
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

  it('refuses numbers out of range, tables that are not identifiers, and unknown options', () => {
    const pool = new pg.Pool({ connectionString: url });
    for (const client of [pool, postgres(url)]) {
      expect(() => Reflect.apply(postgresStore, undefined, [client])).toThrow('call postgresStore({ pool, … })');
    }
    for (const options of [
      { leaseMs: 0 },
      { retentionMs: -1 },
      { timeoutMs: 2 ** 31 },
      { table: 'a b' },
      { table: '' },
      { transactional: 'yes' },
      { tabel: 'keys' },
    ]) {
      const [name = ''] = Object.keys(options);
      expect(() => Reflect.apply(postgresStore, undefined, [{ pool, ...options }])).toThrow(
        expect.objectContaining({ code: 'ERR_WEBHOOK_CONFIG', message: expect.stringContaining(`\`${name}\``) }),
      );
    }
  });
});

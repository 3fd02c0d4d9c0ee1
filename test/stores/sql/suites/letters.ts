import { describe, expect, it } from 'vitest';
import { DELIVERY, type LetterStore, RETRY, type Step } from '../../../../src/stores/store.js';
import { describeLetters, failure, type LettersGround } from '../../../contracts/letters.js';
import { describeLogs } from '../../../contracts/logs.js';
import { describeRecords } from '../../../contracts/records.js';
import { eventually, nothing, unique } from '../../../contracts/store-helpers.js';
import { once } from '../../calls.js';
import { ERR_STORE, type Opened, type Run, type SqlClient } from '../client.js';

const TABLE = 'webhook_idempotency_keys';
const OVER = { postgres: `now() - interval '1 ms'`, mysql: '0', sqlite: '0' };

type RunText = (text: string) => Promise<unknown>;

/** Ends the leases in the table, of deliveries and of retries. */
export async function endLeases(run: RunText, dialect: SqlClient['dialect']): Promise<void> {
  await endClaims(run, dialect);
  await run(`UPDATE ${TABLE} SET retry_until = ${OVER[dialect]} WHERE state = 'dead' AND retry_until IS NOT NULL`);
}

/** Ends the leases of keys that begin with a text. */
export const endClaims = (run: RunText, dialect: SqlClient['dialect'], start = '') =>
  run(
    `UPDATE ${TABLE} SET expires_at = ${OVER[dialect]} WHERE state = 'lease' AND ${dialect === 'mysql' ? '`key`' : 'key'} LIKE '${start}%'`,
  );

/** Dead letters in one mode of a client. */
export function describeClientLetters(
  client: SqlClient,
  kind: 'lease' | 'transactional',
  open: () => Promise<Opened>,
): void {
  const { dialect } = client;
  const named = dialect === 'mysql' ? '`key`' : 'key';
  /** Lets time pass since the last failure. */
  const age = (key: string, ms: number) =>
    `UPDATE ${TABLE} SET last_failed_at = last_failed_at - ${dialect === 'postgres' ? `interval '${ms} ms'` : ms} WHERE ${named} = '${key}'`;
  const isDead = { afterAttempts: 1 };

  describe(`dead letters of ${client.title}, ${kind}`, () => {
    async function ground(settings: object = {}) {
      const opened = await open();
      const store = kind === 'lease' ? opened.lease(settings) : opened.transactional(settings);
      const letters = store.letters as LetterStore;
      const rowOf = async (key: string) =>
        (await opened.run(`SELECT state, letter FROM ${TABLE} WHERE ${named} = '${key}'`))[0];
      return { opened, store, letters, rowOf };
    }

    it('keep the count of a key for its retention after the last failure, and the letter for ever', async () => {
      const { opened, store, letters, rowOf } = await ground({ retentionMs: 1_000_000 });
      const [key, dead] = [unique(), unique()];
      expect(await letters.fail(key, failure())).toMatchObject({ attempts: 1 });
      await letters.fail(dead, failure(isDead));
      await opened.run(age(key, 900_000));
      await opened.run(age(dead, 9_000_000));
      await store.sweep();
      expect(await letters.fail(key, failure())).toMatchObject({ attempts: 2 });
      expect(await rowOf(key)).toEqual({ state: 'failed', letter: null });
      await opened.run(age(key, 1_100_000));
      expect(await letters.fail(key, failure())).toMatchObject({ attempts: 1 });
      await opened.run(age(key, 1_100_000));
      await store.sweep();
      expect(await rowOf(key)).toBeUndefined();
      expect(await letters.fail(dead, failure())).toMatchObject({ attempts: 2, isDead: true });
    });

    it('keep nothing of a letter once it has taken effect or is discarded', async () => {
      const { letters, store, rowOf } = await ground();
      const [handled, discarded] = [unique(), unique()];
      for (const key of [handled, discarded]) await letters.fail(key, failure(isDead));
      await handle(store, handled, RETRY);
      expect(await letters.discard([discarded])).toEqual(new Set([discarded]));
      for (const key of [handled, discarded]) expect(await rowOf(key)).toEqual({ state: 'done', letter: null });
    });

    it('hold up to 1.9 MB, and refuse what is larger', async () => {
      const { letters } = await ground({ timeoutMs: 20_000 });
      const key = unique();
      const letter = 'x'.repeat(1_900_000);
      await expect(letters.fail(key, failure({ ...isDead, letter: `${letter}x` }))).rejects.toMatchObject({
        ...ERR_STORE,
        message: expect.stringContaining('too large for a dead letter'),
      });
      expect(await letters.look([key])).toEqual(new Map());
      await letters.fail(key, failure({ ...isDead, letter }));
      expect((await letters.look([key])).get(key)?.letter === letter).toBe(true);
    });

    if (kind === 'lease') describeLeased(client, ground);
    else describeTransactions(client, ground);

    const make = async (): Promise<LettersGround> => {
      const opened = await open();
      const expire = () => endLeases(opened.run, client.dialect);
      if (kind === 'lease') return { store: opened.lease(), expire };
      const store = opened.transactional({ timeoutMs: 2000 });
      return {
        store: store as never,
        expire,
        leaveOpen: async (key) => void (await handle(store, key, DELIVERY, (tx) => tx('COMMIT'))),
      };
    };
    describeLetters(make);
    describe('records', () => describeRecords({ keepsArrival: true, finds: true }, make));
  });
}

/** Logs that follow a chain, in the transactions of a client. */
export function describeClientLogs(client: SqlClient, open: () => Promise<Opened>): void {
  describe(`logs of ${client.title}`, () => {
    describeLogs(async () => {
      const store = (await open()).transactional({ timeoutMs: 2000 });
      return {
        store: store as never,
        sweep: () => store.sweep(),
        leaveOpen: async (key, step) => void (await handle(store, key, step, (tx) => tx('COMMIT'))),
      };
    });
  });
}

interface Ground {
  readonly opened: Opened;
  readonly store: ReturnType<Opened['lease' | 'transactional']>;
  readonly letters: LetterStore;
}

/** Runs a handler for a key, and returns the word, or what was thrown. */
const handle = (store: Ground['store'], key: string, step: Step, run: (tx: Run) => unknown = nothing) =>
  once(store, key, async (tx: Run) => void (await run(tx)), step).catch((error) => error);

function describeLeased({ dialect }: SqlClient, ground: (settings?: object) => Promise<Ground>): void {
  it('are not needed to record an effect whose row was swept, or whose lease is over', async () => {
    const { opened, store } = await ground();
    if (!('claim' in store)) throw new Error('It has no leases.');
    for (const sweep of [() => store.sweep(), nothing]) {
      const [key, owner] = [unique(), crypto.randomUUID()];
      await store.claim([key], owner, DELIVERY);
      await endLeases(opened.run, dialect);
      await sweep();
      expect(await store.record([key], owner, DELIVERY)).toEqual(new Map([[key, true]]));
      expect(await handle(store, key, DELIVERY)).toBe('duplicate');
    }
  });
}

function describeTransactions(client: SqlClient, ground: (settings?: object) => Promise<Ground>): void {
  // SQLite has one writer at a time, and PGlite one session.
  const waits = client.dialect === 'sqlite' || client.isSerial;
  const test = waits ? () => {} : it;
  const isDead = { afterAttempts: 1 };

  test('count nothing for a key that a transaction has, and do not wait for it', async () => {
    const { store, letters } = await ground();
    const key = unique();
    const word = await handle(store, key, DELIVERY, async () => {
      for (const isUnknown of [false, true]) {
        expect(await letters.fail(key, failure({ ...isDead, isUnknown }))).toBeUndefined();
      }
    });
    expect(word).toBe('handled');
    expect(await letters.look([key])).toEqual(new Map());
  });

  test('are left to the transaction that retries them, and stay if it fails', async () => {
    const { store, letters } = await ground();
    const key = unique();
    await letters.fail(key, failure(isDead));
    const error = await handle(store, key, RETRY, async () => {
      expect(await handle(store, key, RETRY)).toBe('in-progress');
      expect(['duplicate', 'in-progress']).toContain(await handle(store, key, DELIVERY));
      expect(await letters.discard([key])).toEqual(new Set());
      expect(await letters.fail(key, failure(isDead))).toBeUndefined();
      throw new Error('no');
    });
    expect(error).toMatchObject({ message: 'no' });
    expect(await letters.look([key])).toHaveProperty('size', 1);
    expect(await letters.fail(key, failure())).toMatchObject({ attempts: 2, isDead: true });
    expect(await handle(store, key, RETRY)).toBe('handled');
  });

  it('are retried, and their failures counted, after deliveries that found them', async () => {
    const { store, letters } = await ground();
    const [key, open] = [unique(), unique()];
    await letters.fail(key, failure(isDead));
    await handle(store, open, DELIVERY, (tx) => tx('COMMIT'));
    for (const each of [key, open]) {
      const words = await Promise.all([1, 2, 3].map(() => handle(store, each, DELIVERY)));
      expect(new Set(words)).toEqual(new Set([each === key ? 'duplicate' : 'unknown']));
    }
    expect(await letters.fail(open, failure({ isUnknown: true }))).toMatchObject({ isDead: true });
    expect(await letters.fail(key, failure())).toMatchObject({ attempts: 2 });
    for (const each of [key, open]) expect(await handle(store, each, RETRY)).toBe('handled');
  });

  it('stay if the handler of a retry ends its transaction, and are unknown then', async () => {
    const { store, letters } = await ground({ timeoutMs: 2000 });
    for (const end of ['COMMIT', 'ROLLBACK']) {
      // Perhaps the server has rolled back, after a deadlock.
      if (client.dialect === 'mysql' && end === 'ROLLBACK') continue;
      const key = unique();
      await letters.fail(key, failure(isDead));
      expect(await handle(store, key, RETRY, (tx) => tx(end))).toMatchObject({ code: 'ERR_WEBHOOK_OUTCOME_UNKNOWN' });
      expect(await handle(store, key, RETRY)).toBe('unknown');
      expect(await letters.fail(key, failure({ isUnknown: true }))).toMatchObject({ attempts: 2, isDead: true });
      expect(await letters.look([key])).toHaveProperty('size', 1);
    }
  });

  test('count a handler whose time was over', async () => {
    const { store, letters } = await ground();
    const key = unique();
    let release: () => void = nothing;
    const running = new Promise<void>((resolve) => {
      release = resolve;
    });
    const late = once(store, key, (_, { onTimeout }) => {
      onTimeout(new Error('late'));
      return running;
    });
    await expect(late).rejects.toThrow('late');
    expect(await letters.fail(key, failure())).toMatchObject({ attempts: 1 });
    release();
    await eventually(async () => expect(await letters.fail(key, failure())).toMatchObject({ isDead: false }));
  });
}

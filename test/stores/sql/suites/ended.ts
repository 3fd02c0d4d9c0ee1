import { describe, expect, it } from 'vitest';
import type { WebhookError } from '../../../../src/index.js';
import { eventually, nothing, unique } from '../../../contracts/store-helpers.js';
import { deferred, event, noting, signed } from '../../../helpers.js';
import { once, onceEach } from '../../calls.js';
import { countOf, type Opened, type Run, type SqlClient, type SqlServer, write } from '../client.js';
import { PASS } from './contract.js';

const TABLE = 'webhook_idempotency_keys';
const UNKNOWN = { code: 'ERR_WEBHOOK_OUTCOME_UNKNOWN' };
const QUOTED = { postgres: 'key', mysql: '`key`', sqlite: 'key' };
/** As docs/errors.md says it. */
const DONE = `UPDATE ${TABLE} SET state = 'done'`;
const YEAR_MS = 31_536_000_000;
const CONFLICT = { postgres: '40P01', mysql: 'ER_LOCK_DEADLOCK', sqlite: 'SQLITE_BUSY' };

/** What handlers write when they have ended the transaction. */
const LATE = unique();

type End = (tx: Run) => Promise<unknown>;

/** How a handler ends its transaction, and whether that commits. */
function waysOf({ dialect, begin = 'BEGIN' }: SqlClient): [title: string, commits: boolean, end: End][] {
  // A client may refuse what comes after the end.
  const more = (tx: Run) => write(LATE)(tx).catch(nothing);
  const ways: [string, boolean, End][] = [
    ['COMMIT', true, (tx) => tx('COMMIT')],
    ['COMMIT, a write', true, (tx) => tx('/* now */ commit').then(() => more(tx))],
    ['COMMIT, BEGIN', true, (tx) => tx('COMMIT').then(() => tx(begin).catch(nothing))],
    ['ROLLBACK, a write', false, (tx) => tx('ROLLBACK').then(() => more(tx))],
    ['COMMIT, BEGIN, a failing statement', true, (tx) => abort(tx, 'COMMIT')],
  ];
  async function abort(tx: Run, text: string): Promise<void> {
    await tx(text);
    await tx(begin).catch(nothing);
    await tx('SELECT nonsense').catch(nothing);
  }
  if (dialect === 'mysql')
    ways.push(['DDL', true, (tx) => tx(`CREATE TABLE made_${unique().replaceAll('-', '')} (n int)`)]);
  return ways;
}

type How = [how: string, form: 'onEvent' | 'onEvents', then: () => Promise<unknown>];

/** The states in which a handler leaves the connection of an ORM; the server does not know who sent its statements. */
const WRAPPED = ['COMMIT, a write', 'COMMIT, BEGIN', 'ROLLBACK, a write'];

/** Handlers that end the transaction of the store. `isWrapped`: only what an ORM could change. */
export function describeEnded(client: SqlClient, { open }: Pick<SqlServer, 'open'>, isWrapped = false): void {
  const keyOf = (id: string) => `event.emitted:${id}`;
  const conflict = () => Object.assign(new Error('no'), { code: CONFLICT[client.dialect] });
  const ways = waysOf(client).filter(([title]) => !isWrapped || WRAPPED.includes(title));
  const hows: How[] = [
    ['throws a conflict', 'onEvents', () => Promise.reject(conflict())],
    ['returns', 'onEvent', nothing],
  ];
  if (!isWrapped)
    hows.push(['throws', 'onEvent', () => Promise.reject(new Error('no'))], ['returns', 'onEvents', nothing]);

  /** A receiver of either form. Its handler writes an effect for each event, and does `end` after the first, so many times. */
  async function receiverOf(
    form: string,
    end: End,
    { times = 1, ...settings }: { times?: number; handlerTimeoutMs?: number } = {},
  ) {
    const opened = await open(client, { max: 1 });
    const ids = [unique(), unique(), unique()] as const;
    const told: [key: string | undefined, error: WebhookError][] = [];
    const runs: string[] = [];
    async function handle(id: string, tx: Run): Promise<void> {
      runs.push(id);
      await write(id)(tx);
      if (id === ids[0] && runs.filter((each) => each === id).length <= times) await end(tx);
    }
    const { receiver } = noting<Run>({
      // Over mysql2, the rollback of Knex never settles once its transaction has ended: the store waits for this long.
      store: opened.transactional({ timeoutMs: 2000 }),
      onError: (error, { idempotencyKey }) => void told.push([idempotencyKey, error]),
      ...(form === 'onEvent' && { onEvent: ({ id }, { tx }) => handle(id, tx) }),
      ...(form === 'onEvents' && {
        async onEvents(entries, { tx }) {
          for (const each of entries) await handle(each.event.id, tx);
        },
      }),
      ...settings,
    });
    const deliver = (...some: string[]) => receiver.handle(signed(some.map((id) => event(id))));
    return { opened, ids, told, runs, receiver, deliver };
  }

  /** Expects that nothing runs for open keys, in both modes, and that they can be settled. */
  async function settled(
    opened: Opened,
    deliver: (...ids: string[]) => Promise<{ status: number }>,
    ids: readonly string[],
  ) {
    const inKeys = ids.map((id) => `'${keyOf(id)}'`).join(', ');
    for (let time = 0; time < 2; time++) {
      expect(await deliver(...ids)).toMatchObject({ status: 500, error: UNKNOWN });
      await opened.run(PASS[client.dialect](YEAR_MS));
      await opened.lease().sweep();
    }
    for (const kind of ['lease', 'transactional'] as const) {
      const store = opened[kind]({ retentionMs: 1 });
      expect(await onceEach(store, ids.map(keyOf), () => Promise.reject(new Error('It ran.')))).toEqual(
        ids.map(() => 'unknown'),
      );
    }
    await opened.run(PASS[client.dialect](-2 * YEAR_MS));
    const [first, ...others] = ids as [string, ...string[]];
    await opened.run(`${DONE} WHERE ${QUOTED[client.dialect]} = '${keyOf(first)}'`);
    expect(await deliver(first)).toMatchObject({ status: 200, outcomes: [{ status: 'duplicate' }] });
    await opened.run(
      `DELETE FROM ${TABLE} WHERE ${QUOTED[client.dialect]} IN (${inKeys}) AND ${QUOTED[client.dialect]} <> '${keyOf(first)}'`,
    );
    if (others.length > 0) {
      const again = await deliver(...others);
      expect(again).toMatchObject({ status: 200, outcomes: others.map(() => ({ status: 'handled' })) });
    }
  }

  describe(`${client.title}, transactional, when a handler ends the transaction`, () => {
    describe.each(ways)('by %s', (title, commits, end) => {
      it.each(hows)('and %s in %s, answers 500 for its keys until they are settled', async (how, form, then) => {
        const { opened, ids, told, runs, deliver } = await receiverOf(form, (tx) => end(tx).then(then));
        const open = form === 'onEvents' ? ids : [ids[0]];
        const result = await deliver(...ids);
        if (client.dialect === 'mysql' && !commits) {
          // Perhaps the server has rolled back, after a deadlock. Without autocommit, nothing of the handler was kept.
          await eventually(async () => expect((await deliver(...ids)).status).toBe(200));
          for (const id of ids) expect(await countOf(opened, id)).toBe(1);
          expect(await countOf(opened, LATE)).toBe(0);
          return;
        }
        expect(result).toMatchObject({ status: 500, error: UNKNOWN });
        expect(result.outcomes.map(({ status }) => status)).toEqual(
          ids.map((id) => (open.includes(id) ? 'failed' : 'handled')),
        );
        expect(told.map(([key]) => key)).toEqual(open.map(keyOf));
        for (const [, error] of told) {
          expect(error).toMatchObject(UNKNOWN);
          expect(error.message).toContain('ended the transaction of context.tx itself');
          for (const id of open) expect(error.message).toContain(keyOf(id));
          if (how !== 'returns') expect(error.cause).toMatchObject({ message: 'no' });
        }
        const before = runs.length;
        if (how !== 'returns') expect(before).toBe(form === 'onEvents' ? 1 : 3);
        expect(await countOf(opened, ids[0])).toBe(commits ? 1 : 0);
        expect(await deliver(...ids)).toMatchObject({ status: 500, error: UNKNOWN });
        expect(runs).toHaveLength(before);
        expect(await deliver(unique(), unique())).toMatchObject({ status: 200 });
        await settled(opened, deliver, open.toReversed());
      });

      it('and times out, answers 500, and reports the key', async () => {
        // postgres.js gives a connection away that is in no transaction, though a handler still has it.
        if (client.hasOwnSavepoints && title.endsWith('a failing statement')) return;
        if (client.dialect === 'mysql' && !commits) return;
        /** Its time must be enough to end the transaction: on a busy machine it is more. */
        async function timeOut(handlerTimeoutMs: number): ReturnType<typeof receiverOf> {
          let hasEnded = false;
          const given = await receiverOf(
            commits ? 'onEvent' : 'onEvents',
            async (tx) => {
              await end(tx);
              hasEnded = true;
              await gate.promise;
            },
            { handlerTimeoutMs },
          );
          const { status } = await given.deliver(given.ids[0]);
          if (!hasEnded) return timeOut(4 * handlerTimeoutMs);
          expect(status).toBe(500);
          return given;
        }
        const gate = deferred();
        const { ids, told, receiver, deliver } = await timeOut(300);
        // The one connection is in a transaction that has failed, in which nothing can end the session.
        if (title.endsWith('a failing statement')) gate.resolve();
        await expect
          .poll(() => told.map(([key, { code }]) => [key, code]), { timeout: 5000 })
          .toEqual([
            [keyOf(ids[0]), 'ERR_WEBHOOK_HANDLER_TIMEOUT'],
            [keyOf(ids[0]), UNKNOWN.code],
          ]);
        expect(await deliver(ids[0])).toMatchObject({ status: 500, error: UNKNOWN });
        gate.resolve();
        await receiver.drain();
      });
    });

    it('runs an event again whose handler only fails, whatever it fails with', async () => {
      for (const form of isWrapped ? ['onEvents'] : ['onEvent', 'onEvents']) {
        for (const code of [CONFLICT[client.dialect], 'E']) {
          let fails = true;
          const no = () => (fails ? Promise.reject(Object.assign(new Error('no'), { code })) : nothing());
          const end: End = (tx) => tx('SAVEPOINT any_name').then(no);
          const { opened, ids, told, deliver } = await receiverOf(form, end, { times: 20 });
          // Conflicts are no fault of the handler, and may pass. SQLite has none within a transaction.
          const error =
            code === 'E' || client.dialect === 'sqlite' ? [500, 'ERR_WEBHOOK_HANDLER'] : [503, 'ERR_WEBHOOK_STORE'];
          const answer = await deliver(...ids);
          expect([answer.status, answer.error?.code]).toEqual(error);
          expect(told.map(([key]) => key)).toEqual([keyOf(ids[0])]);
          fails = false;
          expect(await deliver(...ids)).toMatchObject({ status: 200 });
          for (const id of ids) expect(await countOf(opened, id)).toBe(1);
        }
      }
    });

    it('never takes the row of a transaction that is under way for one that was left open', async () => {
      const opened = await open(client);
      const [store, other] = [opened.transactional({ timeoutMs: 2000 }), opened.lease({ timeoutMs: 300 })];
      const key = unique();
      const word = await once(store, key, async (tx) => {
        await tx('SAVEPOINT any_name');
        // SQLite has one writer at a time.
        expect(['in-progress', 'late']).toContain(await once(other, key, nothing).catch(() => 'late'));
        if (client.dialect !== 'sqlite') expect(await once(opened.transactional(), key, nothing)).toBe('in-progress');
      });
      expect(word).toBe('handled');
      expect(await once(store, key, nothing)).toBe('duplicate');
    });
  });
}

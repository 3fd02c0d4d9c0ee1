import { createPostgresBackend, Queue } from 'bullmq';
import PgBoss from 'pg-boss';
import { bullmqHandOff } from '../../../dist/queues/bullmq.js';
import { pgBossHandOff } from '../../../dist/queues/pg-boss.js';
import { compareTime } from '../lib/compare.mjs';
import { sampleEventEmitted } from '../lib/ours.mjs';
import { noPostgres, noRedis, withPostgres, withRedis } from '../lib/servers.mjs';

const EVENTS = 100;
const timestamp = '1700000000';
const WEEK_SECONDS = 7 * 86_400;

/** New events with all that a hand-off is told about them. */
function delivery() {
  const events = Array.from({ length: EVENTS }, () => sampleEventEmitted());
  const idempotencyKeys = events.map(({ id }) => id);
  return { events, context: { idempotencyKeys, timestamp, signal: new AbortController().signal } };
}

const dataOf = (event) => ({ event, idempotencyKey: event.id, timestamp });

function bullmq(queue) {
  const handOff = bullmqHandOff(queue);
  const opts = { attempts: 15, backoff: { type: 'exponential', delay: 1000 }, removeOnComplete: { age: WEEK_SECONDS } };
  return {
    ours: ({ events, context }) => handOff(events, context),
    bare: ({ events }) =>
      queue.addBulk(
        events.map((event) => ({
          name: event.event,
          data: dataOf(event),
          opts: { ...opts, jobId: event.id, removeOnFail: false },
        })),
      ),
    close: () => queue.close(),
  };
}

// The bare call is told to keep the very same of each event.
const ENGINES = {
  'BullMQ on Redis': {
    skipped: noRedis,
    against: 'addBulk',
    server: withRedis,
    open: async (port) => bullmq(new Queue('events', { connection: { host: '127.0.0.1', port } })),
  },
  'BullMQ on Postgres': {
    skipped: noPostgres,
    against: 'addBulk',
    server: withPostgres,
    open: async (url) => {
      const connection = { connectionString: url, migrate: true, max: 6 };
      return bullmq(new Queue('events', { connection }, createPostgresBackend));
    },
  },
  'pg-boss': {
    skipped: noPostgres,
    against: 'insert',
    server: withPostgres,
    async open(url) {
      const boss = new PgBoss({ connectionString: url, schedule: false, supervise: false, deleteAfterDays: 8 });
      await boss.start();
      await boss.createQueue('dead');
      await boss.createQueue('events', { name: 'events', deadLetter: 'dead' });
      const handOff = pgBossHandOff(boss, 'events');
      const keepUntil = new Date(Date.now() + 10 * 365 * 86_400_000).toISOString();
      const retry = { retryLimit: 14, retryDelay: 1, retryBackoff: true, expireInSeconds: 900, keepUntil };
      return {
        ours: ({ events, context }) => handOff(events, context),
        bare: ({ events }) =>
          boss.insert(events.map((event) => ({ id: event.id, name: 'events', data: dataOf(event), ...retry }))),
        close: () => boss.stop({ graceful: false }),
      };
    },
  },
};

export const benchmarks = Object.entries(ENGINES).map(([engine, { skipped, against, server, open }]) => {
  const name = `hand-off of ${EVENTS} events, ${engine}`;
  return {
    name,
    skipped,
    run: ({ quick }) =>
      server(async (address) => {
        const { ours, bare, close } = await open(address);
        const once = (store) => async () => {
          await store(delivery());
          return true;
        };
        const result = await compareTime(once(ours), once(bare), quick ? 9 : 41);
        await close();
        return [{ name, against, measure: 'time ×', target: { max: 1.15 }, ...result }];
      }),
  };
});

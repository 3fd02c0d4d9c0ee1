import { existsSync } from 'node:fs';
import { createPostgresBackend, Queue } from 'bullmq';
import { bullmqEnqueue } from 'event-webhook-receiver/queues/bullmq';
import { pgBossEnqueue } from 'event-webhook-receiver/queues/pg-boss';
import PgBoss10 from 'pg-boss';
import { compareTime } from '../lib/compare.mjs';
import { pick } from '../lib/effort.mjs';
import { sampleEventEmitted } from '../lib/ours.mjs';
import { runtimes } from '../lib/runtimes.mjs';
import { noPostgres, noRedis, withPostgres, withRedis } from '../lib/servers.mjs';

const EVENTS = 100;
const timestamp = '1700000000';
const WEEK_SECONDS = 7 * 86_400;

/** New events, and the arguments of `enqueue` for them. */
function delivery() {
  const events = Array.from({ length: EVENTS }, () => sampleEventEmitted());
  const entries = events.map((event) => ({ event, idempotencyKey: event.id }));
  return { events, entries, context: { timestamp, signal: new AbortController().signal } };
}

const dataOf = (event) => ({ event, idempotencyKey: event.id, timestamp });

function bullmq(queue) {
  const enqueue = bullmqEnqueue({ queue });
  const opts = { attempts: 15, backoff: { type: 'exponential', delay: 1000 }, removeOnComplete: { age: WEEK_SECONDS } };
  return {
    ours: ({ entries, context }) => enqueue(entries, context),
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

/** Of pg-boss, with the bare insert of the same jobs. */
async function pgBoss(boss, insert) {
  // Told of idle connections that the server ends: pg-boss 10 does not wait until it has closed its own.
  boss.on('error', () => {});
  await boss.start();
  await boss.createQueue('dead');
  await boss.createQueue('events', { name: 'events', deadLetter: 'dead' });
  const enqueue = pgBossEnqueue({ boss, queue: 'events' });
  const retry = { retryLimit: 14, retryDelay: 1, retryBackoff: true, expireInSeconds: 900 };
  return {
    ours: ({ entries, context }) => enqueue(entries, context),
    bare: ({ events }) => insert(events.map((event) => ({ id: event.id, data: dataOf(event), ...retry }))),
    close: () => boss.stop({ graceful: false }),
  };
}

const quiet = { schedule: false, supervise: false };
const pgBoss12 = new URL('../../test/peers/node_modules/pg-boss/dist/index.js', import.meta.url);
const [major, minor] = process.versions.node.split('.').map(Number);
const isNewEnough = major > 22 || (major === 22 && minor >= 12);
/** The Node that pg-boss 12 runs on. */
const node22 = isNewEnough ? { command: process.execPath } : runtimes.find(({ name }) => name === 'Node 22');
const notInstalled = existsSync(pgBoss12) ? undefined : 'npm run test:tier peers -- --install brings pg-boss 12';

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
  'pg-boss 10': {
    skipped: noPostgres,
    against: 'insert',
    server: withPostgres,
    // It is asked for each event, also in its archive: it has no method that finds several jobs.
    max: 8,
    open(connectionString) {
      const boss = new PgBoss10({ connectionString, ...quiet });
      const keepUntil = new Date(Date.now() + 10 * 365 * 86_400_000).toISOString();
      return pgBoss(boss, (jobs) => boss.insert(jobs.map((job) => ({ ...job, name: 'events', keepUntil }))));
    },
  },
  'pg-boss 12': {
    skipped: noPostgres ?? node22.skipped ?? notInstalled,
    execPath: node22.command,
    against: 'insert',
    server: withPostgres,
    async open(connectionString) {
      const { PgBoss } = await import(pgBoss12.href);
      const boss = new PgBoss({ connectionString, ...quiet });
      return pgBoss(boss, (jobs) => boss.insert('events', jobs));
    },
  },
};

export const benchmarks = Object.entries(ENGINES).map(
  ([engine, { skipped, execPath, against, server, open, max = 1.15 }]) => {
    const name = `enqueue of ${EVENTS} events, ${engine}`;
    return {
      name,
      skipped,
      execPath,
      run: () =>
        server(async (address) => {
          const { ours, bare, close } = await open(address);
          const once = (store) => async () => {
            await store(delivery());
            return true;
          };
          const result = await compareTime(once(ours), once(bare), pick(41, 9));
          await close();
          return [{ name, against, measure: 'time ×', target: { max }, ...result }];
        }),
    };
  },
);

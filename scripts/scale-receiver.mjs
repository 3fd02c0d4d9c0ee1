// One receiver of scripts/scale.mjs before an engine: ours, or one written by hand, which loses an event of Redis if it dies
// between its two commands.
import { createServer } from 'node:http';
import { nodeHandler } from 'event-webhook-receiver/node';
import { receiveByHand } from '../bench/children/by-hand.mjs';
import { SECRET } from '../bench/lib/fixtures.mjs';

const [engine, kind, url] = process.argv.slice(2);

/** By engine: options of a receiver, what somebody writes for one event, and the number of effects. */
const ENGINES = {
  async redis() {
    const { Redis } = await import('ioredis');
    const { redisStore } = await import('event-webhook-receiver/stores/redis');
    const client = new Redis(url, { connectTimeout: 5000, commandTimeout: 5000, socketTimeout: 3000 });
    const effect = () => client.incr('effects');
    return {
      ours: { store: redisStore({ client }), onEvent: effect },
      async byHand({ id }) {
        if (await client.set(`seen:${id}`, 1, 'EX', 604_800, 'NX')) await effect();
      },
      count: async () => Number(await client.get('effects')),
    };
  },
  async postgres() {
    const { default: pg } = await import('pg');
    const { fromPg, sqlStore } = await import('event-webhook-receiver/stores/sql');
    const pool = new pg.Pool({ connectionString: url, connectionTimeoutMillis: 5000, max: 20 });
    const store = sqlStore({ db: fromPg(pool), transactional: true });
    await store.migrate();
    await pool.query('CREATE TABLE IF NOT EXISTS seen_events (id text PRIMARY KEY)');
    await pool.query('CREATE TABLE IF NOT EXISTS orders (event_id text NOT NULL)');
    const effect = ({ id }, { tx }) => tx.query('INSERT INTO orders (event_id) VALUES ($1)', [id]);
    return {
      ours: { store, onEvent: effect },
      async byHand(event) {
        const tx = await pool.connect();
        try {
          await tx.query('BEGIN');
          const seen = await tx.query('INSERT INTO seen_events (id) VALUES ($1) ON CONFLICT DO NOTHING', [event.id]);
          if (seen.rowCount === 1) await effect(event, { tx });
          await tx.query('COMMIT');
        } catch (error) {
          await tx.query('ROLLBACK');
          throw error;
        } finally {
          tx.release();
        }
      },
      count: async () => Number((await pool.query('SELECT count(*) FROM orders')).rows[0].count),
    };
  },
  async nats() {
    const { openNats } = await import('../examples/queues/nats.ts');
    const { enqueue, js, manager } = await openNats(url, 'events');
    return {
      ours: { enqueue },
      byHand: (event) => js.publish('events', JSON.stringify(event), { msgID: event.id }),
      count: async () => (await manager.streams.info('events')).state.messages,
    };
  },
};

const { ours, byHand, count } = await ENGINES[engine]();
const handle =
  kind === 'ours' ? nodeHandler({ secret: SECRET, ...ours }) : receiveByHand({ secret: SECRET, onEvent: byHand });
const server = createServer({ keepAliveTimeout: 0 }, handle).listen(0, '127.0.0.1', () =>
  process.send({ port: server.address().port }),
);
process.on('message', async (question) => process.send(await { cpu: process.cpuUsage, count }[question]()));
process.on('disconnect', () => process.exit());

import { once } from 'node:events';
import { createServer } from 'node:http';
import { chainReorgs } from 'event-webhook-receiver/chain';
import { fromPg, sqlStore } from 'event-webhook-receiver/stores/sql';
import pg from 'pg';
import { pick } from '../lib/effort.mjs';
import { SECRET } from '../lib/fixtures.mjs';
import { createReceiver, createTestDelivery, sampleEventEmitted } from '../lib/ours.mjs';
import { noPostgres, withPostgres } from '../lib/servers.mjs';
import { interleave, ratios, summarise } from '../lib/stats.mjs';

const DELIVERIES = pick(300, 100, 5);
const ROUNDS = pick(21, 7, 1);
const ROWS =
  "SELECT n_tup_ins + n_tup_upd AS written FROM pg_stat_user_tables WHERE relname = 'webhook_idempotency_keys'";

const sample = sampleEventEmitted();
const { blockNumber, blockHash } = sample.data.transaction;
let logs = 0;

/** A delivery of a log that was never delivered before, all of one block. */
function freshLog() {
  const logIndex = logs++;
  const { data } = sample;
  const rawFields = data.event.rawFields.replace('"logIndex":"0x0"', `"logIndex":"0x${logIndex.toString(16)}"`);
  const event = { ...data.event, rawFields, indexInLog: logIndex };
  return createTestDelivery([sampleEventEmitted({ data: { ...data, event } })], { secret: SECRET });
}

/** A node whose chain has the block of the logs. */
async function startNode() {
  const header = { hash: blockHash, parentHash: blockHash, timestamp: '0x1', logsBloom: '0x' };
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { id, method } = JSON.parse(text);
    const result = method === 'eth_chainId' ? '0x1' : { ...header, number: `0x${blockNumber.toString(16)}` };
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { rpcUrl: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() };
}

/** What a delivery of one log costs without a re-org, with `reorgs` and without. */
const run = () =>
  withPostgres(async (url) => {
    const node = await startNode();
    const pool = new pg.Pool({ connectionString: url, max: 1, connectionTimeoutMillis: 5000 });
    pool.on('error', () => {});
    let trips = 0;
    pool.on('connect', (client) => {
      const query = client.query.bind(client);
      client.query = (...args) => {
        trips++;
        return query(...args);
      };
    });
    const store = sqlStore({ db: fromPg(pool), transactional: true });
    await store.migrate();
    const common = { secret: SECRET, store, toleranceSeconds: false, onEvent() {} };
    const reorgs = chainReorgs({ rpcUrl: node.rpcUrl, chainId: 1, intervalMs: false });
    const receivers = {
      with: createReceiver({ ...common, reorgs, onReverted() {} }),
      without: createReceiver(common),
    };
    async function written() {
      await pool.query('SELECT pg_stat_force_next_flush()');
      return Number((await pool.query(ROWS)).rows[0].written);
    }
    async function deliver(receiver) {
      const deliveries = Array.from({ length: DELIVERIES }, freshLog);
      const [rows, before, start] = [await written(), trips, performance.now()];
      for (const { rawBody, signature, timestamp } of deliveries) {
        const { status } = await receiver.handle({ rawBody, signature, timestamp });
        if (status !== 200) throw new Error(`The receiver answered ${status}.`);
      }
      const [ms, made] = [performance.now() - start, trips - before];
      return { ms, trips: made / DELIVERIES, rows: ((await written()) - rows) / DELIVERIES };
    }
    for (const receiver of Object.values(receivers)) await deliver(receiver);
    const figures = await interleave(receivers, ROUNDS, deliver);
    await pool.end();
    node.stop();
    const row = (name, measure, target, of) => {
      const [ours, theirs] = [figures.with.map(of), figures.without.map(of)];
      const values = measure.endsWith('×') ? ratios(ours, theirs) : ours.map((figure, at) => figure - theirs[at]);
      return { name: `reorgs, Postgres, ${name}`, against: 'without reorgs', measure, target, ...summarise(values) };
    };
    return [
      row('round trips of a delivery', 'more', { max: 0 }, (figure) => figure.trips),
      row('rows written for a delivery', 'more', { max: 1 }, (figure) => figure.rows),
      row('a delivery', 'time ×', undefined, (figure) => figure.ms),
    ];
  });

export const benchmarks = [{ name: 'reorgs, Postgres', skipped: noPostgres, run }];

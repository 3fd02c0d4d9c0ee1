// A receiver for money on Node and Postgres: each transfer is booked once, undone when a re-org removes it, and never missed.

import { createReceiver, multibaasHeaders, serviceHeaders } from 'event-webhook-receiver';
import { chainReorgs, chainSource, reconcile } from 'event-webhook-receiver/chain';
import { expressHandler } from 'event-webhook-receiver/express';
import { fromPg, sqlStore } from 'event-webhook-receiver/stores/sql';
import express from 'express';
import { Pool } from 'pg';
import pino from 'pino';
import { abi, ledger, migrate } from './ledger.js';
import { shutdown } from './telemetry.js';

/** A variable that must be set: a receiver must not start without its secret. */
function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set.`);
  return value;
}

const logger = pino({ level: process.env.LOG_LEVEL ?? 'info' });
const address = required('TOKEN_ADDRESS');
const node = { rpcUrl: required('RPC_URLS').split(','), chainId: Number(required('CHAIN_ID')) };

const pool = new Pool({ connectionString: required('DATABASE_URL'), connectionTimeoutMillis: 5000, max: 20 });
pool.on('error', (error) => logger.error(error, 'an idle connection broke'));
const store = sqlStore({ db: fromPg(pool), transactional: true });
await store.migrate();
await migrate(pool);

const router = ledger(address);
const receiver = createReceiver({
  secret: required('WEBHOOK_SECRETS').split(','), // the new secret first, while it is rotated
  headers: process.env.SERVICE === 'multibaas' ? multibaasHeaders : serviceHeaders,
  store,
  reorgs: chainReorgs(node),
  onEvent: router.dispatch,
  onReverted: router.dispatchReverted,
  deadLetters: { afterAttempts: 8, afterSeconds: 3600 },
  logger,
});

// What was never delivered: the same receiver books it, once.
const source = chainSource({
  ...node,
  contracts: [{ address, abi, name: 'Token', label: 'token' }],
  minAgeSeconds: Number(process.env.MIN_AGE_SECONDS ?? 1800),
});
const stopping = new AbortController();
const from = Number(required('FROM_BLOCK')); // the block at which you went live
async function lookForMissed(): Promise<void> {
  const cursor = store.cursor('transfers');
  const { repaired, left, stopped } = await reconcile({ source, receiver, from, cursor, signal: stopping.signal });
  logger[stopped || left > 0 ? 'warn' : 'info']({ repaired, left, stopped }, 'looked for missed events');
}
const every = (ms: number, task: () => Promise<unknown>) =>
  setInterval(() => task().catch((error) => logger.error(error)), ms).unref();
every(Number(process.env.RECONCILE_MS ?? 600_000), lookForMissed);
every(3_600_000, () => store.sweep());

let ready = true;
const app = express();
app.disable('x-powered-by');
app.get('/livez', (_request, response) => void response.status(200).end());
app.get('/readyz', (_request, response) => void response.status(ready ? 200 : 503).end());
app.post('/webhooks', expressHandler(receiver));
const server = app.listen(Number(process.env.PORT ?? 3000), () => logger.info(server.address(), 'listening'));

process.once('SIGTERM', async () => {
  ready = false;
  stopping.abort();
  const { unfinished } = await receiver.drain({ timeoutMs: 50_000 });
  if (unfinished > 0) process.exit(1); // handlers still run: close nothing that they use
  setTimeout(() => {
    server.close(async () => {
      await pool.end();
      await shutdown();
    });
    setTimeout(() => server.closeAllConnections(), 2000).unref();
  }, 100); // deliveries that were not read yet get 503 first
});

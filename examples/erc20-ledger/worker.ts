// Counts each transfer once, when its block is final, and makes good what never arrived.
import { setTimeout } from 'node:timers/promises';
import { createReceiver } from 'event-webhook-receiver';
import { chainFinality, chainSource, reconcile } from 'event-webhook-receiver/chain';
import { pgBossWorker } from 'event-webhook-receiver/queues/pg-boss';
import { fromPg, sqlStore } from 'event-webhook-receiver/stores/sql';
import { Pool } from 'pg';
import { openBoss, queue } from '../pg-boss/boss.js';
import { chainId, count, createTables, handlerTimeoutMs, idempotencyKey, tokenAddress } from './ledger.js';
import { tokenAbi } from './token.js';

const rpcUrl = process.env.RPC_URL ?? '';
const intervalSeconds = Number(process.env.RECONCILE_INTERVAL_SECONDS ?? 300);

const pool = new Pool({ connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 5000 });
// A pool reports connections that break while nobody uses them; without a listener that would end the process.
pool.on('error', (error) => console.error(error.message));
const store = sqlStore({ db: fromPg(pool), transactional: true });
await store.migrate();
await createTables(pool);
setInterval(() => store.sweep().catch(console.error), 3_600_000).unref();

const boss = await openBoss();
const worker = pgBossWorker({
  boss,
  store,
  handlerTimeoutMs,
  finality: chainFinality({
    rpcUrl,
    chainId,
    level: 'finalized',
    onDropped: (event) => console.log('dropped:', event.id),
  }),
  onEvent: count('delivery'),
});
await boss.work(queue, { batchSize: 10, pollingIntervalSeconds: 0.5 }, worker);
console.log('listening for jobs');

const closing = new AbortController();
process.once('SIGTERM', () => closing.abort());

// The same store and keys: what was delivered is there already, and what was not takes effect now.
const receiver = createReceiver({
  secret: process.env.WEBHOOK_SECRET ?? '',
  store,
  idempotencyKey,
  onEvent: count('reconcile'),
});
const source = chainSource({
  rpcUrl,
  chainId,
  // Later than `finalized`: what is on its way, or in the queue, is not missed yet.
  level: { confirmations: Number(process.env.CONFIRMATIONS ?? 150) },
  minAgeSeconds: 0,
  contracts: [{ address: tokenAddress, abi: tokenAbi, name: 'Token', label: 'token' }],
});
while (!closing.signal.aborted) {
  console.log('reconciling');
  const { to, found, repaired, stopped } = await reconcile({
    source,
    receiver,
    from: Number(process.env.FROM_BLOCK ?? 0),
    cursor: store.cursor('ledger'),
    signal: closing.signal,
  });
  const end = stopped ? `, stopped (${stopped.reason})` : '.';
  console.log(`reconciled up to block ${to}: ${found} found, ${repaired} made good${end}`);
  await setTimeout(1000 * intervalSeconds, undefined, { signal: closing.signal }).catch(() => {});
}
await boss.stop();
await pool.end();

// What the server and the cron job share: a receiver that counts transfers in Postgres, and a run of `reconcile` for it.
import { createReceiver } from 'event-webhook-receiver';
import { chainSource, type ReconcileReport, reconcile } from 'event-webhook-receiver/chain';
import { logIdentity } from 'event-webhook-receiver/evm';
import { fromPg, sqlStore } from 'event-webhook-receiver/stores/sql';
import { Pool } from 'pg';
import { tokenAbi } from '../erc20-ledger/token.js';

const chainId = Number(process.env.CHAIN_ID ?? 31337);
const address = process.env.TOKEN_ADDRESS ?? '0x5FbDB2315678afecb367f032d93F642f64180aa3';

export const pool = new Pool({ connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 5000 });
pool.on('error', (error) => console.error(error.message));
await pool.query('CREATE TABLE IF NOT EXISTS transfers (key text PRIMARY KEY, event_id text NOT NULL)');

const store = sqlStore({ db: fromPg(pool), transactional: true });
await store.migrate();

export const receiver = createReceiver({
  secret: process.env.WEBHOOK_SECRET ?? '',
  store,
  // A log has one key, however it arrives: the ids of delivered events are unknown to the chain.
  idempotencyKey: (event) => logIdentity(event, { chainId }),
  async onEvent(event, { tx, idempotencyKey }) {
    await tx.query('INSERT INTO transfers VALUES ($1, $2)', [idempotencyKey, event.id]);
  },
  onError: (error) => console.error(error.code, error.message),
});

const source = chainSource({
  rpcUrl: process.env.RPC_URL ?? 'http://127.0.0.1:8545',
  chainId,
  contracts: [{ address, abi: tokenAbi, name: 'Token', label: 'token' }],
  // More than the sender's longest pause between two attempts.
  minAgeSeconds: Number(process.env.MIN_AGE_SECONDS ?? 1800),
});

/** Makes good what never arrived, from the block of the contract's creation on. */
export async function run(signal?: AbortSignal): Promise<ReconcileReport> {
  const from = Number(process.env.FROM_BLOCK ?? 0);
  const report = await reconcile({ source, receiver, from, cursor: store.cursor('transfers'), signal });
  const { to, final, found, repaired, left, stopped } = report;
  console.log(`blocks up to ${to} of ${final}: ${found} found, ${repaired} made good, ${left} to retry`);
  if (stopped) console.error(`stopped: ${stopped.reason}`, stopped.error?.message ?? '');
  return report;
}

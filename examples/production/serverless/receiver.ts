// What the route and the cron job share. An instance lives between requests only, so no timer runs here.
import { createReceiver } from 'event-webhook-receiver';
import { chainReorgs, chainSource } from 'event-webhook-receiver/chain';
import { fromPg, sqlStore } from 'event-webhook-receiver/stores/sql';
import { Pool } from 'pg';
import { abi, ledger } from '../ledger.js';

const address = process.env.TOKEN_ADDRESS ?? '';
const node = { rpcUrl: (process.env.RPC_URLS ?? '').split(','), chainId: Number(process.env.CHAIN_ID) };

// Each instance has a pool: keep it small, and connect through the pooler of your Postgres.
const pool = new Pool({ connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 5000, max: 4 });
pool.on('error', (error) => console.error(error.message));
export const store = sqlStore({ db: fromPg(pool), transactional: true });

const router = ledger(address);
export const receiver = createReceiver({
  secret: () => (process.env.WEBHOOK_SECRETS ?? '').split(','), // read for each delivery: a build has no secrets
  store,
  reorgs: chainReorgs({ ...node, intervalMs: false }),
  onEvent: router.dispatch,
  onReverted: router.dispatchReverted,
  deadLetters: { afterAttempts: 8, afterSeconds: 3600 },
  handlerTimeoutMs: 5000, // all events of a delivery must fit into the time limit of the host
  logger: console,
});

export const source = chainSource({ ...node, contracts: [{ address, abi, name: 'Token', label: 'token' }] });

// MultiBaas and Alchemy bring the same transfers: each takes effect once, whichever brings it first.
import { createReceiver, createRouter, multibaasHeaders } from 'event-webhook-receiver';
import { contractEvent, logIdentity } from 'event-webhook-receiver/evm';
import { expressHandler } from 'event-webhook-receiver/express';
import { fromPg, sqlStore } from 'event-webhook-receiver/stores/sql';
import express from 'express';
import { Pool, type PoolClient } from 'pg';
import { parseAbi } from 'viem';
import { isAlchemys, transfersOf } from './alchemy.js';

const TOKEN = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'; // USDC on Ethereum

const pool = new Pool({ connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 5000 });
pool.on('error', (error) => console.error(error.message));
const store = sqlStore({ db: fromPg(pool), transactional: true });
await store.migrate();
await pool.query(
  'CREATE TABLE IF NOT EXISTS transfers (key text PRIMARY KEY, recipient text, amount numeric, via text)',
);

const abi = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)']);
const router = createRouter<PoolClient>().on(
  contractEvent({ abi, name: 'Transfer', address: TOKEN }),
  async ({ args }, { tx, idempotencyKey, via }) => {
    await tx.query('INSERT INTO transfers VALUES ($1, $2, $3, $4)', [idempotencyKey, args.to, String(args.value), via]);
    console.log(`took effect: ${args.value} via ${via}`);
  },
);

const receiver = createReceiver({
  secret: process.env.WEBHOOK_SECRET ?? '',
  headers: multibaasHeaders,
  store,
  // The log, not the id, makes two events the same: each source has its own ids.
  idempotencyKey: (event) => logIdentity(event, { chainId: 1 }),
  onEvent: router.dispatch,
  logger: console,
});

const app = express();
app.post('/webhooks', expressHandler(receiver));

const signingKey = process.env.ALCHEMY_SIGNING_KEY;
if (!signingKey) throw new Error('ALCHEMY_SIGNING_KEY is not set.');

app.post('/alchemy', express.raw({ type: '*/*', limit: '1mb' }), async (request, response) => {
  const rawBody: unknown = request.body;
  if (!Buffer.isBuffer(rawBody) || !isAlchemys(rawBody, request.get('X-Alchemy-Signature'), signingKey)) {
    response.status(403).end();
    return;
  }
  const events = transfersOf(rawBody, 'ETH_MAINNET', TOKEN);
  // No `source`, as the deliveries of the webhook have none: it is part of the key.
  const { status } = await receiver.handleEvents(events, { via: 'alchemy' });
  response.status(status).end();
});

const server = app.listen(Number(process.env.PORT ?? 3000), () => console.log('listening on', server.address()));

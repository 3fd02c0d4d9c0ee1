// Balances of a token's holders, exactly those of the chain: a transfer is counted in the transaction that records its log.
import { createReceiver, createRouter } from 'event-webhook-receiver';
import { contractEvent, logIdentity } from 'event-webhook-receiver/evm';
import { fromPg, sqlStore } from 'event-webhook-receiver/stores/sql';
import { Pool, type PoolClient } from 'pg';
import { serve } from '../serve.js';
import { tokenAbi } from './token.js';

const pool = new Pool({ connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 5000 });
// A pool reports connections that break while nobody uses them; without a listener that would end the process.
pool.on('error', (error) => console.error(error.message));

const store = sqlStore({ db: fromPg(pool), transactional: true });
await store.migrate();
// Not CHECK (amount >= 0): a payment may be delivered before what it was paid from. The sum is exact in any order.
await pool.query('CREATE TABLE IF NOT EXISTS balances (address text PRIMARY KEY, amount numeric(78, 0) NOT NULL)');
setInterval(() => store.sweep().catch(console.error), 3_600_000).unref();

/** Tokens are minted from this address and burnt to it; it holds none. */
const NOBODY = '0x0000000000000000000000000000000000000000';

async function move(tx: PoolClient, from: string, to: string, value: bigint) {
  const changes: [string, bigint][] = [
    [from, -value],
    [to, value],
  ];
  // Everywhere in the order of the addresses, so that no two transactions wait for each other.
  for (const [address, change] of changes.sort()) {
    if (address === NOBODY) continue;
    const add = `INSERT INTO balances VALUES ($1, $2)
      ON CONFLICT (address) DO UPDATE SET amount = balances.amount + excluded.amount`;
    // As text: a JavaScript number would round it.
    await tx.query(add, [address, String(change)]);
  }
}

// Amounts from the log alone: with requireLog, never from inputs that a decimals conversion may have changed.
const token = { abi: tokenAbi, name: 'Transfer', address: process.env.TOKEN_ADDRESS ?? '', requireLog: true } as const;

const router = createRouter<PoolClient>()
  .on(contractEvent(token), ({ args }, { tx }) => move(tx, args.from, args.to, args.value))
  // What a re-org took back is moved back.
  .on(contractEvent({ ...token, removed: true }), ({ args }, { tx }) => move(tx, args.to, args.from, args.value));

const receiver = createReceiver({
  secret: process.env.WEBHOOK_SECRET ?? '',
  store,
  // A log counts once, under however many event ids it comes.
  idempotencyKey: (event) => logIdentity(event, { chainId: BigInt(process.env.CHAIN_ID ?? 1) }),
  onEvent: router.dispatch,
  onError: (error) => console.error(error.code, error.message, error.cause ?? ''),
});

serve(receiver, () => pool.end());

// Balances of a token's holders, in the same transaction as the key of each transfer that changed them.
import { createRouter, type WebhookEvent } from 'event-webhook-receiver';
import { contractEvent, logIdentity } from 'event-webhook-receiver/evm';
import type { Pool, PoolClient } from 'pg';
import { tokenAbi } from './token.js';

export const chainId = Number(process.env.CHAIN_ID ?? 1);
export const tokenAddress = process.env.TOKEN_ADDRESS ?? '';

/** A log counts once, under however many event ids it arrives. */
export const idempotencyKey = (event: WebhookEvent) => logIdentity(event, { chainId });

/** The receiver tells pg-boss, which hands a dead worker's job to another one after three times as long. */
export const handlerTimeoutMs = Number(process.env.HANDLER_TIMEOUT_MS ?? 30_000);

export async function createTables(pool: Pool): Promise<void> {
  // Not CHECK (amount >= 0): a payment may arrive before what it was paid from. The sum is exact in any order.
  await pool.query(`
    CREATE TABLE IF NOT EXISTS balances (address text PRIMARY KEY, amount numeric(78, 0) NOT NULL);
    CREATE TABLE IF NOT EXISTS journal (key text NOT NULL, via text NOT NULL)`);
}

/** Tokens are minted from this address and burnt to it; it has no balance. */
const NOBODY = '0x0000000000000000000000000000000000000000';

async function move(tx: PoolClient, from: string, to: string, value: bigint): Promise<void> {
  const changes: [string, bigint][] = [
    [from, -value],
    [to, value],
  ];
  // Always in the order of the addresses, so that no two transactions wait for each other.
  for (const [address, change] of changes.sort()) {
    if (address === NOBODY) continue;
    const add = `INSERT INTO balances VALUES ($1, $2)
      ON CONFLICT (address) DO UPDATE SET amount = balances.amount + excluded.amount`;
    // As text: a JavaScript number would round it.
    await tx.query(add, [address, String(change)]);
  }
}

// Amounts from the log alone: with requireLog, never from inputs that a decimals conversion may have changed.
const token = { abi: tokenAbi, name: 'Transfer', address: tokenAddress, requireLog: true } as const;

/** Counts a transfer. Removed logs need no route: nothing is counted before its block is final. */
export const count = (via: 'delivery' | 'reconcile') =>
  createRouter<PoolClient>().on(contractEvent(token), async ({ args }, { tx, idempotencyKey }) => {
    await tx.query('INSERT INTO journal VALUES ($1, $2)', [idempotencyKey, via]);
    await move(tx, args.from, args.to, args.value);
  }).dispatch;

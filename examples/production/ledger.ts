// What a transfer does to the books. Amounts are exact: `numeric` holds every uint256.
import { createRouter } from 'event-webhook-receiver';
import { contractEvent } from 'event-webhook-receiver/evm';
import type { Pool, PoolClient } from 'pg';
import { parseAbi } from 'viem';

export const abi = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)']);
/** The sender of what is minted, and the recipient of what is burned. */
const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000';

export async function migrate(pool: Pool): Promise<void> {
  await pool.query('CREATE TABLE IF NOT EXISTS balances (account text PRIMARY KEY, amount numeric(78) NOT NULL)');
}

async function add(tx: PoolClient, account: string, amount: bigint): Promise<void> {
  if (account === ZERO_ADDRESS) return;
  await tx.query(
    `INSERT INTO balances VALUES ($1, $2)
     ON CONFLICT (account) DO UPDATE SET amount = balances.amount + excluded.amount`,
    [account, String(amount)],
  );
}

/** In one order, so that two transfers between the same accounts do not deadlock. */
async function move(tx: PoolClient, from: string, to: string, value: bigint): Promise<void> {
  const changes: [account: string, amount: bigint][] = [
    [from, -value],
    [to, value],
  ];
  for (const [account, amount] of changes.sort()) await add(tx, account, amount);
}

/** Books the transfers of a token, and takes back those that a re-org removed. */
export function ledger(address: string) {
  const transfer = contractEvent({ abi, name: 'Transfer', address });
  return createRouter<PoolClient>()
    .on(transfer, ({ args: { from, to, value } }, { tx }) => move(tx, from, to, value))
    .onReverted(transfer, ({ args: { from, to, value } }, { tx }) => move(tx, to, from, value));
}

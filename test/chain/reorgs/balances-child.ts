import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '@libsql/client';
import { createPool, type PoolConnection } from 'mysql2/promise';
import { Pool, type PoolClient } from 'pg';
import { zeroAddress } from 'viem';
import { nodeHandler } from '../../../src/adapters/node.js';
import { chainReorgs } from '../../../src/chain/index.js';
import { rawLog } from '../../../src/evm/index.js';
import { createReceiver, type WebhookEvent } from '../../../src/index.js';
import { fromLibsql, fromMysql2, fromPg, sqlStore } from '../../../src/stores/sql/index.js';
import { secret } from '../../helpers.js';

// A receiver that keeps balances in a database, and follows the chain. Prints its port.

const { DIALECT = '', DATABASE = '', RPC_URL = '' } = process.env;
const add = (who: string, value: bigint, conflict: string) =>
  `INSERT INTO balances (who, amount) VALUES ('${who}', ${value}) ${conflict}`;
const ON_CONFLICT = 'ON CONFLICT (who) DO UPDATE SET amount = balances.amount + excluded.amount';
const ON_DUPLICATE = 'ON DUPLICATE KEY UPDATE amount = amount + VALUES(amount)';

/** The accounts and amounts that a transfer changes. */
function movesOf(event: WebhookEvent, sign: bigint): [who: string, value: bigint][] {
  const log = event.event === 'event.emitted' ? rawLog(event) : undefined;
  if (log?.topics.length !== 3) return [];
  const [from, to] = log.topics.slice(1).map((topic) => `0x${topic.slice(26)}`) as [string, string];
  const value = sign * BigInt(log.data);
  return (
    [
      [from, -value],
      [to, value],
    ] as [string, bigint][]
  ).filter(([who]) => who !== zeroAddress);
}

/** A handler that writes through `run`. */
const writes =
  <Tx>(sign: bigint, conflict: string, run: (tx: Tx, text: string) => Promise<unknown>) =>
  async (event: WebhookEvent, { tx }: { tx: Tx }) => {
    // In one order, so that transactions do not deadlock.
    for (const [who, value] of movesOf(event, sign).sort()) await run(tx, add(who, value, conflict));
  };

function open() {
  const common = { secret, reorgs: chainReorgs({ rpcUrl: RPC_URL, chainId: 31337, intervalMs: 200 }) };
  if (DIALECT === 'postgres') {
    const pool = new Pool({ connectionString: DATABASE, connectionTimeoutMillis: 5000 });
    pool.on('error', () => {});
    const run = (tx: PoolClient, text: string) => tx.query(text);
    const handlers = { onEvent: writes(1n, ON_CONFLICT, run), onReverted: writes(-1n, ON_CONFLICT, run) };
    const store = sqlStore({ db: fromPg(pool), transactional: true, leaseMs: 3000 });
    return { store, receiver: createReceiver({ ...common, ...handlers, store }) };
  }
  if (DIALECT === 'mysql') {
    const run = (tx: PoolConnection, text: string) => tx.query(text);
    const handlers = { onEvent: writes(1n, ON_DUPLICATE, run), onReverted: writes(-1n, ON_DUPLICATE, run) };
    const db = fromMysql2(createPool({ uri: DATABASE, connectTimeout: 5000 }));
    const store = sqlStore({ db, transactional: true, leaseMs: 3000 });
    return { store, receiver: createReceiver({ ...common, ...handlers, store }) };
  }
  const run = (tx: { execute(text: string): Promise<unknown> }, text: string) => tx.execute(text);
  const handlers = { onEvent: writes(1n, ON_CONFLICT, run), onReverted: writes(-1n, ON_CONFLICT, run) };
  const store = sqlStore({ db: fromLibsql(createClient({ url: DATABASE })), transactional: true, leaseMs: 3000 });
  return { store, receiver: createReceiver({ ...common, ...handlers, store }) };
}

const { store, receiver } = open();
await store.migrate();
const server = createServer(nodeHandler(receiver)).listen(0, '127.0.0.1', () => {
  console.log((server.address() as AddressInfo).port);
});

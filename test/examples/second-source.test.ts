import type { ChildProcess } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { transfersOf } from '../../examples/second-source/alchemy.js';
import { multibaasHeaders } from '../../src/index.js';
import { createTestDelivery } from '../../src/testing/index.js';
import { hasPostgres, needsPostgres, startPostgres } from '../servers/postgres.js';
import type { TestServer } from '../servers/server.js';
import { originOf, startProgram } from './example.js';

const TOKEN = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const word = (digits: string) => `0x${digits.padStart(64, '0')}`;

/** A log as a node gives it. */
const logAt = (index: number, address = TOKEN) => ({
  address,
  topics: [
    TRANSFER,
    word('503828976d22510aad0201ac7ec88293211d23da'),
    word('be3f4b43db5eb49d1f48f53443b9abce45da3b79'),
  ],
  data: word((293092129 + index).toString(16)),
  blockNumber: '0xdf34a3',
  transactionHash: word('7a'),
  transactionIndex: '0x5',
  blockHash: word('e5'),
  logIndex: `0x${index.toString(16)}`,
  removed: false,
});

/** A body of Alchemy's, with the fields that its page about Address Activity webhooks documents. */
function alchemys(logs: unknown[], network = 'ETH_MAINNET'): Buffer {
  const activity = logs.map((log) => ({
    ...{ blockNum: '0xdf34a3', hash: word('7a'), value: 293.092129, erc721TokenId: null, erc1155Metadata: null },
    ...{ fromAddress: '0x503828976d22510aad0201ac7ec88293211d23da', asset: 'USDC', category: 'token' },
    ...{ toAddress: '0xbe3f4b43db5eb49d1f48f53443b9abce45da3b79', rawContract: { address: TOKEN, decimals: 6 } },
    ...{ typeTraceAddress: null, log },
  }));
  const event = { network, activity: [{ hash: word('7b'), category: 'external', value: 1 }, ...activity] };
  const webhook = { webhookId: 'wh_1', id: 'whevt_1', createdAt: '2026-01-23T07:42:26.411977228Z' };
  return Buffer.from(JSON.stringify({ ...webhook, type: 'ADDRESS_ACTIVITY', event }));
}

const transfers = (log: unknown) => transfersOf(alchemys([log]), 'ETH_MAINNET', TOKEN);

it('events of a second source are those of the watched token on the watched network', () => {
  expect(transfers(logAt(1))).toMatchObject([
    { data: { event: { indexInLog: 1, signature: 'Transfer(address,address,uint256)' } } },
  ]);
  expect(transfers(logAt(1, word('1').slice(0, 42)))).toEqual([]);
  expect(() => transfersOf(alchemys([logAt(1)], 'MATIC_MAINNET'), 'ETH_MAINNET', TOKEN)).toThrow('MATIC_MAINNET');
  expect(() => transfersOf(Buffer.from('{}'), 'ETH_MAINNET', TOKEN)).toThrow();
});

describe.skipIf(!hasPostgres)(`examples/second-source${needsPostgres}`, () => {
  const secret = 'whsec-examples';
  let database: TestServer;
  let child: ChildProcess;
  let origin: string;

  beforeAll(async () => {
    database = await startPostgres();
    const env = { WEBHOOK_SECRET: secret, ALCHEMY_SIGNING_KEY: 'whsec-alchemy', DATABASE_URL: database.url };
    const started = startProgram('second-source/server.ts', env);
    ({ child } = started);
    origin = await originOf(started);
  }, 60_000);
  afterAll(async () => {
    child?.kill('SIGKILL');
    await database?.stop();
  });

  async function alchemy(body: Buffer, key = 'whsec-alchemy'): Promise<number> {
    const signature = createHmac('sha256', key).update(body).digest('hex');
    const headers = { 'X-Alchemy-Signature': signature, 'Content-Type': 'application/json' };
    return (await fetch(`${origin}/alchemy`, { method: 'POST', body: new Uint8Array(body), headers })).status;
  }
  async function multibaas(index: number): Promise<number> {
    const event = { ...transfers(logAt(index))[0], id: `multibaas-${index}` };
    return (await createTestDelivery([event], { secret, headers: multibaasHeaders }).send(`${origin}/webhooks`)).status;
  }

  it('has one effect for each transfer, whichever brings it first, and none for a forged body', async () => {
    expect(await multibaas(1)).toBe(200);
    expect(await alchemy(alchemys([logAt(1), logAt(2)]))).toBe(200);
    expect(await multibaas(2)).toBe(200);
    expect(await alchemy(alchemys([logAt(3)]), 'guessed')).toBe(403);
    expect(await alchemy(alchemys([logAt(3)], 'MATIC_MAINNET'))).toBe(500);
    const db = new Pool({ connectionString: database.url, connectionTimeoutMillis: 5000 });
    const { rows } = await db.query('SELECT amount, via FROM transfers ORDER BY amount');
    const record = await db.query('SELECT via FROM webhook_idempotency_keys ORDER BY key');
    await db.end();
    expect(rows).toEqual([
      { amount: '293092130', via: 'webhook' },
      { amount: '293092131', via: 'alchemy' },
    ]);
    expect(record.rows.map(({ via }) => via).sort()).toEqual(['alchemy', 'webhook']);
  });
});

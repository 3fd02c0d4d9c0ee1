import { Pool } from 'pg';
import { type Address, encodeFunctionData } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WebhookEvent } from '../../src/index.js';
import { createTestDelivery } from '../../src/testing/index.js';
import { createRecorder, watch } from '../chain/watching.js';
import { type Chain, openChain } from '../real-chain/chain.js';
import { hasAnvil, needsAnvil } from '../servers/anvil.js';
import { hasPostgres, needsPostgres, startPostgres } from '../servers/postgres.js';
import type { TestServer } from '../servers/server.js';

const WHO: Address = '0x1111111111111111111111111111111111111111';
const ROUTES = '../../examples/production/serverless';

describe.skipIf(!hasPostgres || !hasAnvil)(`examples/production/serverless${needsPostgres}${needsAnvil}`, () => {
  let database: TestServer;
  let chain: Chain;
  let db: Pool;
  let post: (events: readonly WebhookEvent[], secret?: string) => Promise<number>;
  let cron: (secret: string) => Promise<Response>;

  beforeAll(async () => {
    database = await startPostgres();
    db = new Pool({ connectionString: database.url, connectionTimeoutMillis: 5000 });
    chain = await openChain(undefined, '--slots-in-an-epoch', '4');
    Object.assign(process.env, {
      ...{ WEBHOOK_SECRETS: 'whsec-next,whsec-current', DATABASE_URL: database.url, CRON_SECRET: 'cron' },
      ...{ RPC_URLS: chain.client.transport.url, CHAIN_ID: '31337', TOKEN_ADDRESS: chain.contracts.points.address },
      FROM_BLOCK: '0',
    });
    const { store } = await import(`${ROUTES}/receiver.js`);
    const { migrate } = await import('../../examples/production/ledger.js');
    const { POST } = await import(`${ROUTES}/route.js`);
    const { GET } = await import(`${ROUTES}/cron.js`);
    await store.migrate();
    await migrate(db);
    post = async (events, secret = 'whsec-current') =>
      (await POST(createTestDelivery(events, { secret }).request())).status;
    cron = (secret) =>
      GET(new Request('https://shop.example/cron', { headers: { Authorization: `Bearer ${secret}` } }));
  }, 60_000);
  afterAll(async () => {
    await chain?.close();
    await db?.end();
    await database?.stop();
  });

  async function balance(): Promise<number> {
    const { rows } = await db.query('SELECT amount FROM balances WHERE account = $1', [WHO]);
    return Number(rows[0]?.amount ?? 0);
  }

  it('books at once, and undoes in the cron job what a re-org removed', { timeout: 60_000 }, async () => {
    const recorder = createRecorder();
    const { points } = chain.contracts;
    const rpcUrl = chain.client.transport.url ?? '';
    const watcher = await watch(recorder, { rpcUrl, contracts: [{ ...points, name: 'Token' }] });
    const data = encodeFunctionData({ ...points, functionName: 'mint', args: [WHO, 100n] });
    await chain.send({ from: chain.accounts[0] as Address, to: points.address, data });
    await chain.mine();
    const minted = () => recorder.groups.find((group) => JSON.stringify(group).includes(WHO));
    await recorder.until(() => minted() !== undefined);
    await watcher.close();
    const events = minted() ?? [];

    expect(await post(events, 'guessed')).toBe(403);
    expect(await post(events)).toBe(200);
    expect(await post(events, 'whsec-next')).toBe(200);
    expect(await balance()).toBe(100);

    expect((await cron('guessed')).status).toBe(403);
    expect(await (await cron('cron')).json()).toMatchObject({ reorgs: { reverted: 0, open: 1 }, left: 0 });
    await chain.client.request({ method: 'anvil_reorg' as never, params: [1, []] as never });
    expect(await (await cron('cron')).json()).toMatchObject({ reorgs: { reverted: 1, failed: 0 } });
    expect(await balance()).toBe(0);
  });
});

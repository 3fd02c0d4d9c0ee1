import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Pool } from 'pg';
import { encodeFunctionData } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WebhookEvent } from '../../src/index.js';
import { createTestDelivery } from '../../src/testing/index.js';
import { createRecorder, watch } from '../chain/watching.js';
import { type Chain, openChain } from '../real-chain/chain.js';
import { hasAnvil, needsAnvil } from '../servers/anvil.js';
import { hasPostgres, needsPostgres, startPostgres } from '../servers/postgres.js';
import type { TestServer } from '../servers/server.js';
import { originOf, startProgram } from './example.js';

const WHO = ['', '0x1111111111111111111111111111111111111111', '0x2222222222222222222222222222222222222222'] as const;

describe.skipIf(!hasPostgres || !hasAnvil)(`examples/production${needsPostgres}${needsAnvil}`, () => {
  let database: TestServer;
  let chain: Chain;
  let child: ChildProcess;
  let db: Pool;
  let origin: string;

  beforeAll(async () => {
    database = await startPostgres();
    db = new Pool({ connectionString: database.url, connectionTimeoutMillis: 5000 });
    chain = await openChain(undefined, '--slots-in-an-epoch', '4');
    const started = startProgram('production/server.ts', {
      ...{ WEBHOOK_SECRETS: 'whsec-next,whsec-current', DATABASE_URL: database.url, FROM_BLOCK: '0' },
      ...{ RPC_URLS: chain.client.transport.url, CHAIN_ID: '31337', TOKEN_ADDRESS: chain.contracts.points.address },
      ...{ MIN_AGE_SECONDS: '0', RECONCILE_MS: '500' },
    });
    ({ child } = started);
    origin = await originOf(started);
    child.stdout?.resume();
  }, 60_000);
  afterAll(async () => {
    child?.kill('SIGKILL');
    await chain?.close();
    await db?.end();
    await database?.stop();
  });

  const send = async (events: readonly WebhookEvent[], secret = 'whsec-current') =>
    (await createTestDelivery(events, { secret }).send(`${origin}/webhooks`)).status;

  async function mint(who: number, value: number): Promise<void> {
    const { points } = chain.contracts;
    const data = encodeFunctionData({
      ...points,
      functionName: 'mint',
      args: [WHO[who] as `0x${string}`, BigInt(value)],
    });
    await chain.send({ from: chain.accounts[0] as `0x${string}`, to: points.address, data });
    await chain.mine();
  }

  /** What the books say, when they say it. */
  const books = () =>
    expect.poll(
      async () => {
        const { rows } = await db.query('SELECT account, amount FROM balances WHERE amount <> 0');
        return Object.fromEntries(rows.map(({ account, amount }) => [account, Number(amount)]));
      },
      { timeout: 20_000, interval: 100 },
    );

  it('books each transfer once, undoes what a re-org removes, and finds what was never delivered', {
    timeout: 90_000,
  }, async () => {
    const recorder = createRecorder();
    const lost = new Set<string>();
    const { points } = chain.contracts;
    const watcher = await watch(recorder, {
      rpcUrl: chain.client.transport.url ?? '',
      contracts: [{ ...points, name: 'Token' }],
      async onEvents(events) {
        recorder.onEvents(events);
        if (JSON.stringify(events).includes('"value":"300"')) return void lost.add('300');
        expect(await send(events)).toBe(200);
        expect(await send(events, 'whsec-next')).toBe(200);
      },
    });
    await mint(1, 100);
    await mint(2, 20);
    await books().toMatchObject({ [WHO[1]]: 100, [WHO[2]]: 20 });
    expect(await send(recorder.groups[0] ?? [], 'guessed')).toBe(403);

    await chain.client.request({ method: 'anvil_reorg' as never, params: [1, []] as never });
    await mint(1, 5);
    await books().toMatchObject({ [WHO[1]]: 105 });
    await books().not.toHaveProperty(WHO[2]);

    await mint(2, 300);
    await recorder.until(() => lost.size === 1);
    await chain.client.mine({ blocks: 12 });
    await watcher.close();
    // With the supply of the token, which was minted before the watcher began.
    await books().toEqual({ [WHO[1]]: 105, [WHO[2]]: 300, [chain.accounts[0] as string]: 1_000_000 });
  });

  it('refuses a delivery while it drains, and exits', async () => {
    expect((await fetch(`${origin}/readyz`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});

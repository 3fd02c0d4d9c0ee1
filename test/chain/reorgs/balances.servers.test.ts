import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { createPool } from 'mysql2/promise';
import { Pool } from 'pg';
import { type Address, encodeFunctionData } from 'viem';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { WebhookEvent } from '../../../src/index.js';
import { createTestDelivery } from '../../../src/testing/index.js';
import { buildPrograms } from '../../chaos/programs.js';
import { createRandom } from '../../chaos/random.js';
import { secret } from '../../helpers.js';
import { type Chain, openChain } from '../../real-chain/chain.js';
import { hasAnvil, needsAnvil } from '../../servers/anvil.js';
import { hasMariadb, needsMariadb, startMariadb } from '../../servers/mariadb.js';
import { hasPostgres, needsPostgres, startPostgres } from '../../servers/postgres.js';
import { createRecorder, watch } from '../watching.js';

/** How many re-orgs for each database. By hand: `REORGS=200 node scripts/test.mjs servers test/chain/reorgs/balances`. */
const REORGS = Number(process.env.REORGS ?? 6);
/** Most re-orgs of one chain: anvil loses the state of its contracts after some dozens. */
const MOST = 25;
/** How many re-orgs each chain has. */
const ROUNDS = Array.from({ length: Math.ceil(REORGS / MOST) }, (_, round) => Math.min(MOST, REORGS - round * MOST));
const TABLE = 'CREATE TABLE balances (who VARCHAR(42) PRIMARY KEY, amount BIGINT NOT NULL)';
const LIST = 'SELECT who, amount FROM balances WHERE amount <> 0';

type Rows = readonly { readonly who: string; readonly amount: unknown }[];

/** Databases, and a way to read each. */
const databases = {
  async postgres() {
    const server = await startPostgres();
    const pool = new Pool({ connectionString: server.url });
    onTestFinished(async () => {
      await pool.end();
      await server.stop();
    });
    return { url: server.url, run: async (text: string): Promise<Rows> => (await pool.query(text)).rows };
  },
  async mysql() {
    const server = await startMariadb();
    const pool = createPool({ uri: server.url, supportBigNumbers: true });
    onTestFinished(async () => {
      await pool.end();
      await server.stop();
    });
    return { url: server.url, run: async (text: string) => (await pool.query(text))[0] as unknown as Rows };
  },
  async sqlite() {
    const folder = await mkdtemp(join(tmpdir(), 'reorgs-'));
    const url = `file:${join(folder, 'balances.db')}`;
    const client = createClient({ url });
    await client.execute('PRAGMA busy_timeout = 10000');
    onTestFinished(async () => {
      client.close();
      await rm(folder, { recursive: true });
    });
    return { url, run: async (text: string) => (await client.execute(text)).rows as unknown as Rows };
  },
};

/** A receiver in a child process that a test kills. */
async function startChild(program: string, environment: Record<string, string>) {
  let child: ChildProcess;
  let port = 0;
  async function start(): Promise<void> {
    child = spawn(process.execPath, [program], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(child.stdout as NodeJS.ReadableStream, 'data');
    port = Number(line);
  }
  await start();
  const kill = async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  onTestFinished(kill);
  return {
    async restart() {
      await kill();
      await start();
    },
    /** Whether it acknowledged a delivery. */
    async takes(events: readonly WebhookEvent[]): Promise<boolean> {
      const { rawBody, headers } = createTestDelivery(events, { secret });
      const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: rawBody, headers });
      return response.status === 200;
    },
  };
}

const suites = [
  ['postgres', hasPostgres, needsPostgres],
  ['mysql', hasMariadb, needsMariadb],
  ['sqlite', true, ''],
] as const;

/** Each database with each chain. */
const plays = suites.flatMap(([dialect, hasServer, needsServer]) =>
  ROUNDS.map((count, round) => ({ dialect, hasServer, needsServer, count, round })),
);

// Beside other suites, twelve took up to 37 s over one database.
describe.skipIf(!hasAnvil)(`balances that follow a real chain${needsAnvil}`, { timeout: MOST * 30_000 }, () => {
  let program: string;
  beforeAll(async () => {
    const { directory, remove } = await buildPrograms(new URL('.', import.meta.url), 'balances-child');
    program = join(directory, 'balances-child.mjs');
    return remove;
  });

  for (const { dialect, hasServer, needsServer, count, round } of plays) {
    const title = `end as those of chain ${round + 1} after ${count} re-orgs, over ${dialect} and kills${needsServer}`;
    it.skipIf(!hasServer)(title, async () => {
      const chain = await openChain();
      onTestFinished(() => chain.close());
      const database = await databases[dialect]();
      await database.run(TABLE);
      const environment = { DIALECT: dialect, DATABASE: database.url, RPC_URL: chain.client.transport.url ?? '' };
      const children = [await startChild(program, environment), await startChild(program, environment)];
      const random = createRandom(dialect.length + REORGS + round);
      const pending: Promise<void>[] = [];

      async function deliver(events: readonly WebhookEvent[]): Promise<void> {
        for (let turn = random.int(0, 1); ; turn++) {
          const child = children[turn % children.length];
          if (await child?.takes(events).catch(() => false)) return;
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      }
      const recorder = createRecorder();
      const watcher = await watch(recorder, {
        rpcUrl: chain.client.transport.url ?? '',
        contracts: [{ ...chain.contracts.points, name: 'points' }],
        async onEvents(events) {
          pending.push(deliver(events));
          // A repetition, which may come after the next re-org.
          if (random.int(0, 3) === 0)
            pending.push(deliver(events.map((event) => ({ ...event, id: `again ${event.id}` }))));
        },
      });
      onTestFinished(() => watcher.close());

      const people = chain.accounts.slice(0, 4);
      for (let reorg = 0; reorg < count; reorg++) {
        await mine(chain, people, random, random.int(1, 12));
        const depth = random.int(1, 12);
        const height = Number(await chain.client.getBlockNumber({ cacheTime: 0 }));
        const replaced = Math.min(depth, height - 20);
        if (replaced > 0)
          await chain.client.request({ method: 'anvil_reorg' as never, params: [replaced, []] as never });
        await mine(chain, people, random, 1);
        if (random.int(0, 2) === 0) await children[random.int(0, 1)]?.restart();
      }
      await mine(chain, people, random, 14);
      const head = Number(await chain.client.getBlockNumber({ cacheTime: 0 }));
      await recorder.until(() => watcher.blockNumber === head);
      await Promise.all(pending);

      const expected = await balances(chain, people);
      await expect
        .poll(
          async () => Object.fromEntries((await database.run(LIST)).map(({ who, amount }) => [who, Number(amount)])),
          {
            timeout: 30_000,
            interval: 250,
          },
        )
        .toEqual(expected);
      const [{ amount } = { amount: 0 }] = await database.run(
        `SELECT 'reverted' AS who, COUNT(*) AS amount FROM webhook_idempotency_keys WHERE transitions >= 2`,
      );
      expect(Number(amount)).toBeGreaterThan(0);
    });
  }
});

async function mine(chain: Chain, people: readonly Address[], random: ReturnType<typeof createRandom>, blocks: number) {
  const { points } = chain.contracts;
  for (let block = 0; block < blocks; block++) {
    for (let calls = random.int(1, 3); calls > 0; calls--) {
      const args = [random.pick([...people]), BigInt(random.int(1, 1000))] as const;
      const data = encodeFunctionData({ ...points, functionName: 'mint', args });
      await chain.send({ from: random.pick([...people]), to: points.address, data });
    }
    await chain.mine();
  }
}

async function balances({ client, contracts }: Chain, people: readonly Address[]): Promise<Record<string, number>> {
  const { abi, address } = contracts.points;
  const entries = people.map(async (who) => {
    const value = await client.readContract({ abi, address, functionName: 'balanceOf', args: [who] });
    return [who.toLowerCase(), Number(value)] as const;
  });
  return Object.fromEntries((await Promise.all(entries)).filter(([, value]) => value !== 0));
}

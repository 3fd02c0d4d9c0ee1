// A token on its own chain, a service that loses, repeats, delays and reorders what it sends, and processes that are
// killed at random. The tables are compared with the chain after every block.
import { setTimeout } from 'node:timers/promises';
import { Client, Pool } from 'pg';
import { startAnvil } from '../servers/anvil.js';
import type { LocalPostgres } from '../servers/postgres.js';
import { audit, isMadeGood, openJobs, type Reports } from './audit.js';
import { ANVIL_OPTIONS, connect, deployTokens, FINALITY_DEPTH, makeHistory } from './chain.js';
import { keepRunning, type Start } from './processes.js';
import { Random } from './random.js';
import { createService } from './send.js';

/** What examples/run.ts has made ready. */
export interface Run {
  /** Of the programs. */
  readonly env: NodeJS.ProcessEnv;
  readonly url: string;
  readonly secret: string;
  readonly start: Start;
  /** The server of DATABASE_URL; undefined if it is not ours to kill. */
  readonly postgres: LocalPostgres | undefined;
  /** What is to be done at the end, the last first. */
  readonly cleanUp: (() => unknown)[];
}

const BLOCK_MS = 600;
/** Deeper than the finalized block, by the time in which a delivery usually arrives and takes effect. */
const RECONCILED_DEPTH = FINALITY_DEPTH + 20;
const BLOCKS_PER_KILL = 5;
const LONGEST_WAIT_MS = 120_000;

/** @returns Whether every balance equals the chain's, and what the service lost was made good. */
export async function drive({ env, url, secret, start, postgres, cleanUp }: Run): Promise<boolean> {
  const { SEED: seed = crypto.randomUUID(), DATABASE_URL = '' } = env;
  const random = new Random(seed);
  const anvil = await startAnvil(0, ...ANVIL_OPTIONS);
  cleanUp.unshift(() => anvil.stop());
  const client = connect(anvil.url);
  const tokens = await deployTokens(client);
  console.log(`chain    | on ${anvil.url} (SEED=${seed})`);

  const databaseUrl = await createDatabase(DATABASE_URL, cleanUp);
  Object.assign(env, {
    DATABASE_URL: databaseUrl,
    RPC_URL: anvil.url,
    CHAIN_ID: '31337',
    TOKEN_ADDRESS: tokens.token,
    FROM_BLOCK: '1',
    // Sooner than in production, as this chain is faster.
    HANDLER_TIMEOUT_MS: '2000',
    MAINTENANCE_INTERVAL_SECONDS: '1',
    RECONCILE_INTERVAL_SECONDS: '5',
    CONFIRMATIONS: String(RECONCILED_DEPTH),
  });
  const database = new Pool({ connectionString: databaseUrl, connectionTimeoutMillis: 5000 });
  // Postgres was killed; the pool opens new connections.
  database.on('error', () => {});
  cleanUp.unshift(() => database.end());

  const reports: Reports = { begun: 0, ended: 0, madeGood: 0 };
  const worker = await keepRunning(start, 'worker', (line) => {
    if (line === 'reconciling') reports.begun++;
    const [, count, end] = /, (\d+) made good(.*)$/.exec(line) ?? [];
    reports.madeGood += Number(count ?? 0);
    // One that was stopped may have made good more than it knows of.
    if (end === '.') reports.ended++;
  });
  const receiver = await keepRunning(start, 'receiver');
  cleanUp.unshift(() => Promise.all([worker.stop(), receiver.stop()]));

  let restarting: Promise<void> | undefined;
  function killServer(server: LocalPostgres): void {
    server.kill();
    restarting = server.restart().finally(() => {
      restarting = undefined;
    });
  }
  const victims = [
    { name: 'receiver', kill: receiver.kill },
    { name: 'worker', kill: worker.kill },
    ...(postgres ? [{ name: 'Postgres', kill: () => killServer(postgres) }] : []),
  ];
  const kills = random.shuffled([...victims, ...victims, ...victims]);

  const service = createService({ url, secret, random });
  let [blocks, checks] = [0, 0];
  for await (const { notices, reorg } of makeHistory(client, random, tokens)) {
    service.send(notices);
    if (reorg !== undefined) console.log(`chain    | a re-org ${reorg}`);
    if (restarting === undefined) {
      const { wrong } = await audit(database, client, tokens.token);
      for (const each of wrong) console.log(`audit    | ${each}`);
      if (wrong.length > 0) return false;
      checks++;
    }
    const killAfterMs = random.below(BLOCK_MS);
    await setTimeout(killAfterMs);
    if (++blocks % BLOCKS_PER_KILL === 0) {
      await restarting;
      const victim = kills.pop();
      if (victim) console.log(`driver   | killed the ${victim.name}`);
      victim?.kill();
    }
    await setTimeout(BLOCK_MS - killAfterMs);
  }
  await restarting;
  await service.idle();
  console.log(`sender   | answered ${JSON.stringify(service.answers)}`);

  const deadline = Date.now() + LONGEST_WAIT_MS;
  let findings = await audit(database, client, tokens.token);
  while (findings.counted.size < findings.final.size || (await openJobs(database)) > 0) {
    if (Date.now() > deadline || findings.wrong.length > 0) break;
    await client.mine({ blocks: 1 });
    await setTimeout(BLOCK_MS);
    findings = await audit(database, client, tokens.token);
  }
  const { final, counted, wrong } = findings;
  for (const each of wrong) console.log(`audit    | ${each}`);
  console.log(`audit    | ${counted.size} of ${final.size} final transfers counted, after ${checks} checks on the way`);
  const isComplete = counted.size === final.size && (await openJobs(database)) === 0;
  return isMadeGood(findings, service.sent, reports) && isComplete && wrong.length === 0;
}

/** Creates a database for this run: the one that was given may be yours. */
async function createDatabase(serverUrl: string, cleanUp: Run['cleanUp']): Promise<string> {
  const name = `erc20_ledger_${process.pid}`;
  async function run(statement: string): Promise<void> {
    const client = new Client({ connectionString: serverUrl, connectionTimeoutMillis: 5000 });
    await client.connect();
    await client.query(statement);
    await client.end();
  }
  await run(`CREATE DATABASE ${name}`);
  cleanUp.unshift(() => run(`DROP DATABASE ${name} WITH (FORCE)`));
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

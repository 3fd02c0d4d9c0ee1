import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresStore } from '../../src/stores/postgres.js';
import type { TestServer } from '../servers/server.js';
import type { ChildSettings } from './child/steps.js';
import { type Engine, openEngine } from './engine.js';
import { type Counts, checkEffects } from './invariants.js';
import { createKiller } from './killer.js';
import { type Effect, openLedger } from './ledger.js';
import { createLog, type Log, until } from './log.js';
import { isTransactional, type Mode, type ModeName, modes, type ServerName } from './modes.js';
import { type Delivery, makePlan, type Plan, type PlanSettings, RECEIVERS, secret, WORKERS } from './plan.js';
import { startReplica } from './replica.js';
import { createSender } from './sender.js';

/** What every run of a process has in common. */
export interface Ground {
  readonly servers: Readonly<Record<ServerName, TestServer>>;
  /** Where the programs of the child processes are. */
  readonly programs: string;
}

export interface Outcome {
  readonly name: ModeName;
  readonly settings: PlanSettings;
  readonly plan: Plan;
  readonly log: Log;
  readonly counts: Counts;
  readonly effects: readonly Effect[];
  readonly deadLetters: number;
  readonly seconds: number;
}

const LEASE_MS = 1500;
/** When a sender, or an engine, has had enough time after the last that was sent. */
const PATIENCE_MS = 45_000;
/** pg-boss waits for neither of these, so that its process ends when the database is down just then. Its jobs are not lost. */
const PG_BOSS_ENDS = /async Manager\.(fail|complete)/;
let runs = 0;

/** Runs a mode with one seed: sends, kills, waits until all is settled, sends everything once more, and counts. */
export async function runScenario(name: ModeName, settings: PlanSettings, ground: Ground): Promise<Outcome> {
  const started = Date.now();
  const mode: Mode = modes[name];
  const run = `run_${process.pid}_${++runs}`;
  const plan = makePlan(mode, settings);
  const log = createLog();
  const directory = await mkdtemp(join(tmpdir(), 'chaos-'));
  const urls = { postgres: ground.servers.postgres.url, redis: ground.servers.redis.url };
  const ledger = await openLedger(urls.postgres, run);
  await postgresStore({ pool: ledger.pool, table: `keys_${run}` }).migrate();
  const engine = mode.engine && (await openEngine(mode.engine, run, urls, ledger));

  const child: ChildSettings = {
    store: mode.store,
    engine: mode.engine,
    run,
    postgresUrl: urls.postgres,
    redisUrl: urls.redis,
    sqliteFile: join(directory, 'keys.db'),
    leaseMs: LEASE_MS,
    handlerTimeoutMs: 1000,
    secret,
  };
  const replicas = (kind: 'receiver' | 'worker', count: number) =>
    Array.from({ length: count }, (_, index) =>
      startReplica(`${kind} ${index}`, join(ground.programs, `${kind}.mjs`), child, log),
    );
  const receivers = replicas('receiver', RECEIVERS);
  const workers = replicas('worker', engine ? WORKERS : 0);

  /** What was acknowledged has taken effect by then; what was handed to an engine will have at the end. */
  async function confirm({ name, ids }: Delivery): Promise<void> {
    const missing = engine ? [] : await ledger.missing(ids);
    if (missing.length > 0) log.broken.push({ what: `${name} was acknowledged before all took effect`, ids: missing });
  }
  const deadline = Date.now() + settings.spreadMs + PATIENCE_MS;
  const sender = createSender(receivers, log, confirm, deadline);
  const kill = createKiller({ receivers, workers, servers: ground.servers }, log);

  try {
    await Promise.all([...receivers, ...workers].map((replica) => replica.ready()));
    await Promise.all([
      ...plan.sendings.map((sending) => after(sending.atMs, () => sender.send(sending))),
      ...plan.kills.map((planned) => after(planned.atMs, () => kill(planned))),
    ]);
    if (engine) await settled(engine, log);
    // A last time, when nothing dies any more: nothing of it may take effect again.
    const again = plan.deliveries.map((delivery) => ({ delivery, atMs: 0, copies: 1, retryMs: 100 }));
    await Promise.all(again.map((sending) => sender.send(sending)));
    if (engine) await settled(engine, log);

    const effects = await ledger.effects();
    const ids = plan.events.map(({ id }) => id);
    const counts = checkEffects(ids, effects, isTransactional(mode), log);
    for (const { name, words } of log.crashes) {
      if (mode.engine === 'pg-boss' && PG_BOSS_ENDS.test(words)) continue;
      log.broken.push({ what: `${name} ended by itself: ${words}`, ids: [] });
    }
    const deadLetters = (await engine?.dead()) ?? 0;
    return { name, settings, plan, log, counts, effects, deadLetters, seconds: (Date.now() - started) / 1000 };
  } finally {
    sender.close();
    await Promise.all([...receivers, ...workers].map((replica) => replica.stop()));
    await engine?.close();
    await ledger.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function after(ms: number, work: () => Promise<void>): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  await work();
}

/** Waits until the engine has nothing left to do. */
async function settled(engine: Engine, log: Log): Promise<void> {
  let left = 0;
  try {
    const isDone = async () => {
      left = await engine.pending();
      return left === 0;
    };
    await until('the workers are done', isDone, PATIENCE_MS);
  } catch (error) {
    log.broken.push({ what: `${left} jobs are left: ${error instanceof Error ? error.message : error}`, ids: [] });
  }
}

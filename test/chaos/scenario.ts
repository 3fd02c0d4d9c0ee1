import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestServer } from '../servers/server.js';
import type { ChildSettings } from './child/steps.js';
import { monotonic, sleep } from './clock.js';
import { checkEndings, type Endings } from './endings.js';
import { type Engine, openEngine } from './engine.js';
import { WORKERS } from './faults.js';
import { type Counts, checkEffects } from './invariants.js';
import { type Effect, openLedger } from './ledger.js';
import { createLog, type Log, until } from './log.js';
import { LEASE_MS, type Mode, type ModeName, modes, orms, type ServerName } from './modes.js';
import { createPace } from './pace.js';
import { type Delivery, makePlan, type Plan, type PlanSettings, secret } from './plan.js';
import { type Replica, startReplica } from './replica.js';
import { createSender } from './sender.js';
import { createStriker } from './strike.js';
import { startWire, type Wire } from './wire.js';

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
  readonly endings: Endings;
  readonly deadLetters: number;
  /** How long after the last fault everything was acknowledged and done. */
  readonly calmMs: number;
  readonly seconds: number;
}

/** When a sender, or an engine, has had enough time after the last that was sent. */
const PATIENCE_MS = 45_000;
/** pg-boss waits for neither of these, so that its process ends when the database is down just then. Its jobs are not lost. */
const PG_BOSS_ENDS = /async Manager\.(fail|complete)/;
/** How much of the load may be ahead of the faults, so that these meet some. */
const LEAD = 0.3;
let runs = 0;

/** Runs a mode with one seed: sends, has things go wrong, waits until all is settled, sends everything once more, and counts. */
export async function runScenario(name: ModeName, settings: PlanSettings, ground: Ground): Promise<Outcome> {
  const started = monotonic();
  const mode: Mode = modes[name];
  const run = `run_${process.pid}_${++runs}`;
  const plan = makePlan(mode, settings);
  const log = createLog();
  const directory = await mkdtemp(join(tmpdir(), 'chaos-'));
  const { servers } = ground;
  const sqliteFile = join(directory, 'store.db');
  // Where the handlers write: with the keys where these are in the same transaction.
  const kind = mode.transactional && (mode.store === 'sqlite' || mode.store === 'mariadb') ? mode.store : 'postgres';
  const ledger = await openLedger(kind, kind === 'sqlite' ? sqliteFile : servers[kind].url, run);
  const engine = mode.engine && (await openEngine(mode.engine, run, servers, ledger));

  const wires: Wire[] = [];
  const replicas = (kind: 'receiver' | 'worker', count: number): Promise<Replica[]> =>
    Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const own = {
          postgres: await startWire(servers.postgres),
          mariadb: await startWire(servers.mariadb),
          redis: await startWire(servers.redis),
        };
        wires.push(...Object.values(own));
        const clockFile = join(directory, mode.sharesClock ? 'clock' : `clock-${kind}-${index}`);
        await writeFile(clockFile, '0');
        const child: ChildSettings = {
          mode,
          run,
          postgresUrl: own.postgres.url,
          mariadbUrl: own.mariadb.url,
          redisUrl: own.redis.url,
          effectsUrl: servers.postgres.url,
          sqliteFile,
          orms,
          leaseMs: LEASE_MS,
          handlerTimeoutMs: 1000,
          secret,
          clockFile,
        };
        const program = join(ground.programs, `${kind}.mjs`);
        return startReplica(`${kind} ${index}`, program, child, own, log);
      }),
    );
  const receivers = await replicas('receiver', mode.receivers);
  const workers = await replicas('worker', engine ? WORKERS : 0);

  /** What was acknowledged has taken effect by then; what was handed to an engine will have at the end. */
  async function confirm({ name, ids }: Delivery): Promise<void> {
    const missing = engine ? [] : await ledger.missing(ids);
    if (missing.length > 0) log.broken.push({ what: `${name} was acknowledged before all took effect`, ids: missing });
  }
  const deadline = monotonic() + settings.spreadMs + PATIENCE_MS;
  const sender = createSender(receivers, log, confirm, deadline);
  const pace = createPace(plan.faults.length);
  const strike = createStriker(mode, { receivers, workers, servers: ground.servers }, log);

  try {
    await Promise.all([...receivers, ...workers].map((replica) => replica.ready()));
    await Promise.all([
      ...plan.sendings.map(async (sending) => {
        await after(sending.atMs, () => pace.reached(sending.atMs / settings.spreadMs - LEAD));
        await sender.send(sending);
      }),
      ...plan.faults.map(async (fault) => {
        await after(fault.atMs, () => strike(fault));
        pace.done();
      }),
    ]);
    if (engine) await settled(engine, log);
    const calmMs = monotonic() - healed(log);
    // A last time, when nothing dies any more: nothing of it may take effect again.
    const again = plan.deliveries.map((delivery) => ({ delivery, atMs: 0, copies: 1, retryMs: 100 }));
    await Promise.all(again.map((sending) => sender.send(sending)));
    if (engine) await settled(engine, log);

    await untilNothingWaits([...receivers, ...workers], log);

    const effects = await ledger.effects();
    const ids = plan.events.map(({ id }) => id);
    const counts = checkEffects(ids, effects, mode, log);
    const endings = checkEndings(log);
    for (const { name, words } of log.crashes) {
      if (mode.engine === 'pg-boss' && PG_BOSS_ENDS.test(words)) continue;
      log.broken.push({ what: `${name} ended by itself: ${words}`, ids: [] });
    }
    const deadLetters = (await engine?.dead()) ?? 0;
    return {
      name,
      settings,
      plan,
      log,
      counts,
      effects,
      endings,
      deadLetters,
      calmMs,
      seconds: (monotonic() - started) / 1000,
    };
  } finally {
    sender.close();
    await Promise.all([...receivers, ...workers].map((replica) => replica.stop()));
    for (const wire of wires) wire.stop();
    await engine?.close();
    await ledger.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function after(ms: number, work: () => Promise<void>): Promise<void> {
  await sleep(ms);
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

/** When the last fault was over. */
function healed({ outages }: Log): number {
  return Math.max(0, ...outages.map(({ to }) => to));
}

/** What waits while servers are away must not go on waiting when they are back. */
async function untilNothingWaits(replicas: readonly Replica[], log: Log): Promise<void> {
  for (const replica of replicas) {
    let left = 0;
    const isIdle = async () => {
      await replica.ready();
      left = await replica.waiting();
      return left === 0;
    };
    await until(`nothing waits in ${replica.name}`, isIdle, PATIENCE_MS).catch(() => {
      log.broken.push({ what: `${left} calls still wait in ${replica.name}`, ids: [] });
    });
  }
}

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestServer } from '../servers/server.js';
import { type Chain, startChain } from './chain/chain.js';
import { FINAL_DEPTH } from './chain/history.js';
import { checkChain } from './chain/invariants.js';
import { idOfKey } from './chain/keys.js';
import { allHappenings } from './chain/logs.js';
import type { ChainSettings, ChildSettings } from './child/steps.js';
import { monotonic, sleep } from './clock.js';
import { checkEndings } from './endings.js';
import { type Engine, openEngine } from './engine.js';
import { WORKERS } from './faults.js';
import { checkEffects } from './invariants.js';
import { openLedger } from './ledger.js';
import { isRepaired, retryLetters } from './letters.js';
import { Log, soon } from './log.js';
import { checkMisuses, checkOverruns } from './misuse.js';
import { LEASE_MS, type Mode, type ModeName, modes, orms, type ServerName } from './modes.js';
import { startOperator } from './operator.js';
import { createPace } from './pace.js';
import { type Delivery, makePlan, type PlanSettings, secret } from './plan.js';
import { type Replica, startReplica } from './replica.js';
import { createSender } from './sender.js';
import { createStriker } from './strike.js';
import { startWire, type Wire } from './wire.js';

export interface GroundServer extends TestServer {
  /** The URL for a user who may see and end the sessions of others. (Default: every user may, as in `url`.) */
  readonly rootUrl?: string;
}

/** What every run of a process has in common. */
export interface Ground {
  readonly servers: Readonly<Record<ServerName, GroundServer>>;
  /** Where the programs of the child processes are. */
  readonly programs: string;
}

export type Outcome = Awaited<ReturnType<typeof runScenario>>;

/** When a sender, or an engine, has had enough time after the last that was sent. */
const PATIENCE_MS = 45_000;
/** pg-boss waits for neither of these, so that its process ends when the database is down just then. Its jobs are not lost. */
const PG_BOSS_ENDS = /async Manager\.(fail|complete)/;
/** How long a process may take to give up what is on a silent network. */
const PLACES_MS = 30_000;
/** How much of the load may be ahead of the faults, so that these meet some. */
const LEAD = 0.3;
let runs = 0;

/** Runs a mode with one seed: sends, has things go wrong, waits until all is settled, sends everything once more, and counts. */
export async function runScenario(name: ModeName, settings: PlanSettings, ground: Ground) {
  const started = monotonic();
  const mode: Mode = modes[name];
  const run = `run_${process.pid}_${++runs}`;
  const plan = makePlan(mode, settings);
  const log = new Log();
  const directory = await mkdtemp(join(tmpdir(), 'chaos-'));
  const { servers } = ground;
  const sqliteFile = join(directory, 'store.db');
  // Where the handlers write: with the keys where these are in the same transaction.
  const kind = mode.transactional && (mode.store === 'sqlite' || mode.store === 'mariadb') ? mode.store : 'postgres';
  const ledger = await openLedger(kind, kind === 'sqlite' ? sqliteFile : servers[kind].url, run);
  const engine = mode.engine && (await openEngine(mode.engine, run, mode.handlerTimeoutMs, servers, ledger));

  const chain = plan.chain && (await startChain(settings.seed, plan.chain.history));

  const wires: Wire[] = [];
  const replicas = (kind: 'receiver' | 'worker', count: number): Promise<Replica[]> =>
    Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const own = {
          postgres: await startWire(servers.postgres),
          mariadb: await startWire(servers.mariadb),
          redis: await startWire(servers.redis),
          dynamodb: await startWire(servers.dynamodb),
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
          dynamodbUrl: own.dynamodb.url,
          effectsUrl: servers.postgres.url,
          sqliteFile,
          orms,
          leaseMs: LEASE_MS,
          handlerTimeoutMs: mode.handlerTimeoutMs,
          // Every other one has a pool of one.
          poolSize: index % 2 === 0 ? 10 : 1,
          secret,
          misuses: plan.misuses,
          marks: directory,
          clockFile,
          ...(chain && { chain: chainSettings(settings.seed, chain) }),
        };
        const program = join(ground.programs, `${kind}.mjs`);
        return startReplica(`${kind} ${index}`, program, child, own, log);
      }),
    );
  const receivers = await replicas('receiver', mode.receivers);
  const workers = await replicas('worker', engine ? WORKERS : 0);

  const expected = new Set(plan.expected);
  /** What was acknowledged has taken effect by then; what was handed to an engine will have at the end. */
  async function confirm({ name, ids }: Delivery): Promise<void> {
    const missing =
      engine || (mode.letters && !isRepaired(directory))
        ? []
        : await ledger.missing(
            ids.filter((id) => expected.has(id)),
            mode.transactional ? 2 : 1,
          );
    for (const id of missing) log.early.add(id);
    if (missing.length > 0) log.broken.push({ what: `${name} was acknowledged before all took effect`, ids: missing });
  }
  const pace = createPace(plan.faults.length);
  const sender = createSender(receivers, log, confirm, pace.reached(1), (chain ? 2 : 1) * PATIENCE_MS);
  const strike = createStriker(mode, { receivers, workers, servers: ground.servers, chain }, log);

  const stopWatching = engine?.copies && watchCopies(engine.copies, log);
  let stopOperator: (() => Promise<void>) | undefined;

  try {
    await Promise.all([...receivers, ...workers].map((replica) => replica.ready()));
    // Once there is a table.
    if (mode.transactional) stopOperator = startOperator(mode, run, idOfKey, ledger, log);
    await Promise.all([
      ...plan.sendings.map(async (sending) => {
        await after(sending.atMs, () => pace.reached(Math.min(sending.atMs / settings.spreadMs, 1) - LEAD));
        await sender.send(sending);
      }),
      ...plan.faults.map(async (fault) => {
        await after(fault.atMs, () => strike(fault));
        pace.done();
      }),
      chain && goThrough(chain, (share) => pace.reached(share - LEAD), settings.spreadMs),
    ]);
    if (engine) await settled(engine, log);
    if (chain) await reconciled(chain, log);
    await stopWatching?.();
    /** How long after the last fault everything was acknowledged and done. */
    const calmMs = monotonic() - healed(log);
    const find = async () => {
      const missing = new Set(await ledger.missing(plan.expected, mode.transactional ? 2 : 1));
      return { expected: plan.expected, taken: new Set(plan.expected.filter((id) => !missing.has(id))) };
    };
    const letters = mode.letters ? await retryLetters(receivers, { marks: directory, mode, log, find }) : 0;
    // A last time, when nothing dies any more: nothing of it may take effect again.
    const again = plan.deliveries.map((delivery) => ({ delivery, atMs: 0, copies: 1, retryMs: 100 }));
    await Promise.all(again.map((sending) => sender.send(sending)));
    if (engine) await settled(engine, log);

    await untilNothingWaits([...receivers, ...workers], log);
    await Promise.all([...receivers, ...workers].map((replica) => untilNothingIsLost(replica, log, mode)));

    await stopOperator?.();
    const effects = await ledger.effects();
    checkMisuses(effects, log);
    checkOverruns(effects, log);
    const ofChain = plan.chain && chain && checkChain(plan.chain, chain.steppedAt, effects, mode, log);
    const counts = checkEffects(plan.expected, effects, mode, log);
    const endings = checkEndings(log);
    for (const { name, words } of mode.crashes ? [] : log.crashes) {
      if (mode.engine === 'pg-boss' && PG_BOSS_ENDS.test(words)) continue;
      log.broken.push({ what: `${name} ended by itself: ${words}`, ids: [] });
    }
    const deadLetters = (await engine?.dead()) ?? letters;
    if (chain && deadLetters > 0) log.broken.push({ what: `${deadLetters} events are dead letters`, ids: [] });
    return {
      name,
      settings,
      plan,
      log,
      counts,
      chain: ofChain,
      /** When the node of the chain came to each step. */
      steppedAt: chain?.steppedAt ?? [],
      effects,
      endings,
      deadLetters,
      calmMs,
      seconds: (monotonic() - started) / 1000,
    };
  } finally {
    sender.close();
    await stopOperator?.().catch(() => {});
    await Promise.all([...receivers, ...workers].map((replica) => replica.stop()));
    for (const wire of wires) wire.stop();
    await chain?.stop();
    await engine?.close();
    await ledger.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** What is asked of the nodes differs by seed: every third the same level, and every other one node or two of three. */
function chainSettings(seed: number, { urls }: Chain): ChainSettings {
  const levels = ['finalized', 'safe', { confirmations: FINAL_DEPTH + 1 }] as const;
  const agree = seed % 2 === 0 ? 1 : 2;
  return { level: levels[seed % 3] ?? 'finalized', agree, rpcUrl: agree === 1 ? urls.slice(0, 1) : urls };
}

/** Has the chain go through its history, as fast as the faults happen. */
async function goThrough(chain: Chain, reached: (share: number) => Promise<void>, spreadMs: number): Promise<void> {
  let atMs = 0;
  for (const step of chain.history.steps.slice(1)) {
    await after(step.atMs - atMs, () => reached(Math.min(step.atMs / spreadMs, 1)));
    chain.advance();
    atMs = step.atMs;
  }
}

/** Waits until a run of `reconcile` that began after the last step has found nothing left to do. */
function reconciled(chain: Chain, log: Log): Promise<void> {
  const { all, finalSince } = allHappenings(chain.history);
  const final = Math.max(...[...finalSince.keys()].map((id) => all.get(id)?.mined.number ?? 0));
  return soon(log, PATIENCE_MS, () => {
    if (log.reconciled.some(({ to, left, stopped }) => to >= final && left === 0 && stopped === undefined)) return;
    const { to, left, stopped } = log.reconciled.at(-1) ?? {};
    return `the last run of reconcile came to block ${to} of ${final}, with ${left} left: ${stopped}`;
  });
}

const COUNT_MS = 250;

/** Checks, until it is stopped, that at most one job of an event has yet to begin. */
function watchCopies(copies: () => Promise<number>, log: Log): () => Promise<void> {
  let isStopped = false;
  let most = 0;
  async function watch(): Promise<void> {
    while (!isStopped) {
      most = Math.max(most, await copies());
      await sleep(COUNT_MS);
    }
    // The id of a copy derives from its job, so no death leaves two.
    if (most > 1) log.broken.push({ what: `an event had ${most} jobs that had yet to begin`, ids: [] });
  }
  const watching = watch();
  // Awaited when it is stopped.
  watching.catch(() => {});
  return () => {
    isStopped = true;
    return watching;
  };
}

async function after(ms: number, work: () => Promise<void>): Promise<void> {
  await sleep(ms);
  await work();
}

/** Waits until the engine has no job left. The limit is for each job fewer: a slow machine takes longer for many. */
async function settled(engine: Engine, log: Log): Promise<void> {
  for (let fewest = Number.POSITIVE_INFINITY, end = 0; ; await sleep(20)) {
    const states = await engine.pending();
    const left = Object.values(states).reduce((sum, count) => sum + count, 0);
    if (left === 0) return;
    if (left < fewest) [fewest, end] = [left, monotonic() + PATIENCE_MS];
    if (monotonic() > end) return void log.broken.push({ what: `jobs are left: ${JSON.stringify(states)}`, ids: [] });
  }
}

/** When the last fault was over. */
function healed({ outages }: Log): number {
  return Math.max(0, ...outages.map(({ to }) => to));
}

/** What waits while servers are away must not go on waiting when they are back. */
async function untilNothingWaits(replicas: readonly Replica[], log: Log): Promise<void> {
  for (const replica of replicas) {
    await soon(log, PATIENCE_MS, async () => {
      await replica.ready();
      const left = (await replica.ask('waiting?')) ?? 0;
      return left > 0 ? `${left} calls still wait in ${replica.name}` : undefined;
    });
  }
}

/** A drained process has finished everything, and its pool opens as many transactions as it may. */
function untilNothingIsLost(replica: Replica, log: Log, mode: Mode): Promise<void> {
  return soon(log, PLACES_MS, async () => {
    await replica.ready();
    const { unfinished, places } = (await replica.ask('left?')) ?? {};
    if (unfinished === 0 && (mode.losesPlaces || places?.open === places?.of)) return;
    const pool = places ? `, and its pool opens ${places.open} transactions of ${places.of}` : '';
    return `${replica.name} has ${unfinished} runs that are not finished${pool}`;
  });
}

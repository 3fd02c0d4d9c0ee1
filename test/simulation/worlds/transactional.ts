import type { Choices } from '../kernel/choices.js';
import type { Process } from '../kernel/process.js';
import { World } from '../kernel/world.js';
import { openPool } from '../models/pg/pool.js';
import { PostgresService } from '../models/pg/service.js';
import { SECRET } from '../models/sender.js';
import { Claims } from '../oracle/claims.js';
import { CommittedTogether } from '../oracle/committed.js';
import { Drains } from '../oracle/drains.js';
import { Ledger } from '../oracle/ledger.js';
import type { Subject } from '../subject/load.js';
import { playFleet } from './fleet.js';
import { type Tx, writeEffects } from './transaction-handler.js';
import type { WorldDefinition } from './world-definition.js';

const LEASE_MS = 1000;
const TIMEOUT_MS = 250;
const HORIZON_MS = 3000;

/** How long a handler may take, and what the option says: the lease leaves no more than the last. */
const LIMITS = [
  { handlerMs: 300, handlerTimeoutMs: 300 },
  { handlerMs: 900, handlerTimeoutMs: 30_000 },
] as const;

const LEVELS = [undefined, 'read committed', 'repeatable read', 'serializable'] as const;

/** Replicas whose handlers write in the transaction that records the key. */
export const transactional: WorldDefinition = {
  name: 'transactional',
  about: '2–3 replicas with `sqlStore` on Postgres through pg, transactional, in every isolation level.',
  play(choices: Choices, subject: Subject): Promise<World> {
    const world = new World(choices);
    const service = new PostgresService(world, { version: choices.pick([18, 16]) });
    service.runNow(
      ...subject.sqlDdl({ dialect: 'postgres' }),
      'CREATE TABLE effects (key text NOT NULL)',
      'CREATE TABLE counters (name text PRIMARY KEY, n int NOT NULL)',
      "INSERT INTO counters VALUES ('x', 0), ('y', 0)",
    );
    const { database, server } = service;
    const rowsOf = (done: boolean) =>
      database.table('webhook_idempotency_keys').filter((row) => Reflect.get(row, 'done') === done);
    const committed = new CommittedTogether(world, {
      commits: () => database.commits,
      recorded: () => keysOf(rowsOf(true)),
      open: () => keysOf(rowsOf(false)),
      effects: () => keysOf(database.table('effects')),
    });
    const claims = new Claims(world, service, LEASE_MS);
    const [isolationLevel, isEach] = [choices.pick(LEVELS), choices.below(2) === 1];
    const pooled = { max: choices.between(2, 4), connectionTimeoutMillis: TIMEOUT_MS };
    const { handlerMs, handlerTimeoutMs } = choices.pick(LIMITS);
    const limits = { timeoutMs: handlerMs, horizonMs: HORIZON_MS };
    const ledger = new Ledger(world);
    const drains = new Drains(world, ledger);

    async function handle(process: Process, tx: Tx, keys: readonly string[]): Promise<void> {
      const runs = keys.map((key) => ledger.begin(process, key, key));
      for (const run of runs) drains.began(run);
      try {
        await writeEffects(process, tx, keys, limits);
      } finally {
        for (const run of runs) ledger.end(run, 'resolved');
      }
    }

    function open(process: Process) {
      const db = subject.fromPg(openPool(subject.pg, process, service, pooled));
      const times = { leaseMs: LEASE_MS, timeoutMs: TIMEOUT_MS };
      const store = subject.sqlStore({ db, transactional: true, isolationLevel, ...times });
      const common = { secret: SECRET, store, handlerTimeoutMs };
      return isEach
        ? subject.createReceiver({
            ...common,
            onEvents: (events, { tx, fencingToken }) => {
              claims.began(process, fencingToken);
              const keys = events.map(({ idempotencyKey }) => idempotencyKey);
              return handle(process, tx, keys);
            },
          })
        : subject.createReceiver({
            ...common,
            concurrency: 2,
            onEvent: (_event, { tx, idempotencyKey, fencingToken }) => {
              claims.began(process, fencingToken);
              return handle(process, tx, [idempotencyKey]);
            },
          });
    }

    function restartServer(): void {
      server.stop();
      world.after(choices.pick([5, 100, 400, 1200]), () => server.restart());
    }

    /** What somebody does who is told of open keys. */
    function settle(): void {
      const open = "done = false AND expires_at = 'infinity'";
      service.runNow(
        `UPDATE webhook_idempotency_keys SET done = true WHERE ${open} AND key IN (SELECT key FROM effects)`,
        `DELETE FROM webhook_idempotency_keys WHERE ${open}`,
      );
    }

    return playFleet(world, {
      open,
      servers: [server],
      kinds: ['crash', 'pause', 'stall', 'cut', 'cut', 'half open', 'server pause', 'sleep', 'clock', 'server clock'],
      others: [restartServer],
      horizonMs: HORIZON_MS,
      leaseMs: LEASE_MS,
      handlerMs,
      drains,
      onAnswer(result) {
        committed.answered(result);
        const isUnknown = result.outcomes.some(({ error }) => error?.code === 'ERR_WEBHOOK_OUTCOME_UNKNOWN');
        if (isUnknown) world.after(choices.below(LEASE_MS), settle);
      },
    });
  },
};

function keysOf(rows: readonly object[]): string[] {
  return rows.map((row) => String(Reflect.get(row, 'key')));
}

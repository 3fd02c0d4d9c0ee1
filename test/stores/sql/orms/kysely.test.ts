import { describe, expect, it } from 'vitest';
import { hasMariadb, needsMariadb } from '../../../servers/mariadb.js';
import { hasPostgres, needsPostgres } from '../../../servers/postgres.js';
import { useServer } from '../client.js';
import { hasOrms, importOrms, needsOrms } from './installed.js';

type Results = (url: string) => Promise<unknown>;
const importResults = () => importOrms<Record<'resultsOverMysql2' | 'resultsOverPostgresJs', Results>>('kysely');
const counts = { updated: 2n, deleted: 1n, rows: [{ id: 2, name: 'c' }] };

describe.skipIf(!hasMariadb || !hasOrms)(`fromKysely over mysql2${needsMariadb}${needsOrms}`, () => {
  const { server } = useServer('mysql');

  it('gives the results that Kysely gives', async () => {
    const { resultsOverMysql2 } = await importResults();
    expect(await resultsOverMysql2(server().url)).toEqual({ inserted: 2n, insertId: 1n, ...counts });
  });
});

describe.skipIf(!hasPostgres || !hasOrms)(`fromKysely over postgres.js${needsPostgres}${needsOrms}`, () => {
  const { server } = useServer('postgres');

  it('gives the results that Kysely gives', async () => {
    const { resultsOverPostgresJs } = await importResults();
    expect(await resultsOverPostgresJs(server().url)).toEqual({ inserted: 2n, insertId: undefined, ...counts });
  });
});

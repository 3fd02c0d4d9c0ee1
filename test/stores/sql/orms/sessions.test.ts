import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually, failing, unique } from '../../../contracts/store-helpers.js';
import { hasPostgres, needsPostgres } from '../../../servers/postgres.js';
import { countOf, useServer, write } from '../client.js';
import { pgClient } from '../clients/pg.js';
import { hasOrms, needsOrms } from './installed.js';

const child = fileURLToPath(new URL('frozen-child.mjs', import.meta.url));

describe.skipIf(!hasPostgres || !hasOrms)(`sessions of ORMs over Postgres${needsPostgres}${needsOrms}`, () => {
  const { open, server } = useServer('postgres');

  it.skipIf(process.platform === 'win32')(
    'end with the lease if the process is stopped, which then writes nothing',
    async () => {
      const opened = await open(pgClient);
      const leaseMs = 1000;
      const key = unique();
      const args = [child, server().url, String(leaseMs), key];
      const frozen = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      onTestFinished(() => void frozen.kill('SIGKILL'));
      await once(frozen.stdout, 'data');
      const other = opened.transactional({ leaseMs });
      await eventually(async () => expect(await other.once(key, write(key))).toBe('handled'), 10 * leaseMs);
      let told = '';
      frozen.stdout.on('data', (text) => {
        told += text;
      });
      frozen.kill('SIGCONT');
      await once(frozen, 'close');
      // Knex logs that it drops the connection.
      expect(told.trim().split('\n').at(-1)).toBe('rejected');
      expect(await countOf(opened, key)).toBe(1);
      expect(await other.once(key, failing)).toBe('duplicate');
    },
    30_000,
  );
});

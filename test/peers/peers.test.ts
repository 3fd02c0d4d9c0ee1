import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import * as pgBoss from 'pg-boss';
import { describe, expect, it } from 'vitest';
import { hasOtherPeers } from './other-peers.js';

const execute = promisify(execFile);
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const isInstalled = existsSync(here('node_modules/pg-boss'));
const needs = isInstalled ? '' : ' (skipped: not installed; npm run test:tier peers fetches them)';
const require = createRequire(import.meta.url);

describe.skipIf(!isInstalled)(`pg-boss 12 and ioredis 6${needs}`, { timeout: 60_000 }, () => {
  it('have types that the queues and stores accept', async () => {
    const tsc = here('../../node_modules/typescript7/bin/tsc');
    await expect(execute(process.execPath, [tsc, '-p', here('.')], { cwd: here('../..') })).resolves.toBeTruthy();
  });

  // Without `npm run test:tier peers`, the suites run with the other versions.
  if (!hasOtherPeers) return;

  it('are the versions that the suites and their child processes use', async () => {
    expect(pgBoss).toHaveProperty('PgBoss');
    expect(Redis).toBe(require('./node_modules/ioredis').Redis);
    const program = `import('pg-boss').then(({ PgBoss }) => console.log(typeof PgBoss))`;
    const { stdout } = await execute(process.execPath, ['--eval', program], { cwd: here('../..') });
    expect(stdout).toBe('function\n');
  });
});

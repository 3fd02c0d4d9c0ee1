import { execFile, spawn } from 'node:child_process';
import { once as emitted } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import Database from 'libsql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fromBetterSqlite3, sqlStore } from '../../../../src/stores/sql/index.js';
import { eventually, failing, nothing, unique } from '../../../contracts/store-helpers.js';
import { once } from '../../calls.js';
import { useDirectory } from './file.js';

const child = fileURLToPath(new URL('sqlite-child.mjs', import.meta.url));

/** What several processes of a runtime do with one file, through the driver that they use there. */
export function describeProcesses(title: string, command: string, driver: string): void {
  const path = useDirectory();

  async function open(journal: string) {
    const file = path(`${unique()}.db`);
    const db = new Database(file);
    onTestFinished(() => void db.close());
    db.exec(`PRAGMA journal_mode = ${journal}; CREATE TABLE effects (id TEXT)`);
    const lease = sqlStore({ db: fromBetterSqlite3(db), timeoutMs: 300 });
    await lease.migrate();
    const effects = () => db.prepare('SELECT id FROM effects').all() as { id: string }[];
    return { file, db, lease, effects, args: (...rest: string[]) => [child, driver, file, ...rest] };
  }

  describe.each(['wal', 'delete'])(`${title}, several processes on one file, journal mode %s`, (journal) => {
    it.each(['lease', 'transactional'])(
      'runs every key once among four processes at the same time, %s',
      async (mode) => {
        const { args, effects } = await open(journal);
        const race = () => promisify(execFile)(command, args(mode, 'race', '40'));
        const outputs = await Promise.all([race(), race(), race(), race()]);
        const ran = outputs.flatMap(({ stdout }) => (JSON.parse(stdout) as { ran: string[] }).ran);
        expect(new Set(ran).size).toBe(40);
        // A transaction is run again if a reader delayed its commit.
        if (mode === 'lease') expect(ran).toHaveLength(40);
        else expect(effects()).toHaveLength(40);
      },
      120_000,
    );

    it('has every effect once although its processes are killed at any moment', async () => {
      const { args, effects } = await open(journal);
      for (let round = 0; ; round++) {
        const runner = spawn(command, args('transactional', 'race', '60'), { stdio: ['ignore', 'pipe', 'inherit'] });
        const ended = emitted(runner, 'exit');
        // Longer each time, so that it gets to the end.
        const timer = setTimeout(() => runner.kill('SIGKILL'), 150 + 60 * round);
        const [code] = await ended;
        clearTimeout(timer);
        if (code === 0) break;
      }
      const ids = effects().map(({ id }) => id);
      expect([ids.length, new Set(ids).size]).toEqual([60, 60]);
    }, 120_000);

    it.each([
      ['SIGCONT', 'duplicate', 1],
      ['SIGKILL', 'handled', 0],
    ] as const)(
      'keeps others waiting while a process is frozen in a transaction, until %s',
      async (signal, word, count) => {
        const { args, effects, lease } = await open(journal);
        const key = unique();
        const holder = spawn(command, args('transactional', 'hold', key), { stdio: ['ignore', 'pipe', 'inherit'] });
        onTestFinished(() => void holder.kill('SIGKILL'));
        await emitted(holder.stdout, 'data');
        await expect(once(lease, key, failing)).rejects.not.toThrow('the run failed');
        const ended = emitted(holder.stdout, signal === 'SIGCONT' ? 'data' : 'end');
        holder.kill(signal);
        // Nobody else asks for the key before: a reader may delay the commit, and the next claim then takes the key over.
        const [said = ''] = await ended;
        expect(String(said).trim()).toBe(signal === 'SIGCONT' ? 'handled' : '');
        await eventually(async () => expect(await once(lease, key, nothing)).toBe(word));
        expect(effects().filter((row) => row.id === key)).toHaveLength(count);
      },
      30_000,
    );
  });
}

// Reconciles a chain with a database in a file, and kills itself at a step of its work: `tsx kill-child.ts <settings>`.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import Database from 'libsql';
import { chainSource, reconcile } from '../../../src/chain/index.js';
import { logIdentity } from '../../../src/evm/index.js';
import { createReceiver } from '../../../src/index.js';
import { fromBetterSqlite3, sqlStore } from '../../../src/stores/sql/index.js';
import { token } from '../watching.js';

export interface KillSettings {
  readonly url: string;
  readonly folder: string;
  /** Where to kill the process, and how often to get there first. */
  readonly at?: 'handler' | 'before write' | 'after write' | undefined;
  readonly count: number;
}

const { url, folder, at, count }: KillSettings = JSON.parse(process.argv[2] ?? '');
const file = `${folder}/cursor`;
let left = count;
const reach = (place: KillSettings['at']) => {
  if (place === at && left-- === 0) process.kill(process.pid, 'SIGKILL');
};

const database = new Database(`${folder}/app.db`);
database.exec('CREATE TABLE IF NOT EXISTS effects (key TEXT)');
const store = sqlStore({ db: fromBetterSqlite3(database), transactional: true });
await store.migrate();

const receiver = createReceiver({
  secret: 'whsec-test',
  store,
  idempotencyKey: (event) => logIdentity(event, { chainId: 31337 }),
  onEvent(_, { tx, idempotencyKey }) {
    tx.prepare('INSERT INTO effects VALUES (?)').run(idempotencyKey);
    reach('handler');
  },
});

const report = await reconcile({
  source: chainSource({ rpcUrl: url, contracts: [token], level: { confirmations: 1 }, maxRange: 3 }),
  receiver,
  from: 0,
  batchSize: 2,
  cursor: {
    read: () => (existsSync(file) ? readFileSync(file, 'utf8') : undefined),
    write(next) {
      reach('before write');
      writeFileSync(`${file}.new`, next);
      renameSync(`${file}.new`, file);
      reach('after write');
      return true;
    },
  },
});
const effects = database.prepare('SELECT key FROM effects').all() as { key: string }[];
console.log(JSON.stringify({ report, keys: effects.map(({ key }) => key) }));
process.exit();

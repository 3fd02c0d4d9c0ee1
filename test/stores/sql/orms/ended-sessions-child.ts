// A process that handles events until its input ends, and then until one more was handled. Its sessions are ended meanwhile.
// node --import tsx ended-sessions-child.ts <title of the client> <dialect> <url>
import { setTimeout as pause } from 'node:timers/promises';
import { sqlStore } from '../../../../src/stores/sql/index.js';
import { unique } from '../../../contracts/store-helpers.js';
import { mysqlClients } from '../mysql/clients.js';
import { postgresClients } from '../postgres/clients.js';
import { importClients } from './installed.js';

const [title, dialect, url = ''] = process.argv.slice(2) as [string, 'postgres' | 'mysql', string];
const drivers = dialect === 'postgres' ? postgresClients : mysqlClients;
const client = [...drivers, ...(await importClients(dialect))].find((each) => each.title === title);
if (!client) throw new Error(`There is no client ${title}.`);
const { db, runIn } = await client.open(url, { max: 6 });
const store = sqlStore({ db, transactional: true, timeoutMs: 3000 });
const slow = dialect === 'postgres' ? 'SELECT pg_sleep(0.02)' : 'DO SLEEP(0.02)';
let isOver = false;
process.stdin.on('end', () => (isOver = true)).resume();

/** Writes the effect of an event; idle, busy or at once. */
async function handle(id: string, tx: unknown): Promise<void> {
  const kind = Math.random();
  if (kind < 0.3) await pause(kind * 100);
  else if (kind < 0.6) await runIn(tx, slow);
  await runIn(tx, `INSERT INTO effects VALUES ('${id}')`);
}

async function work(): Promise<void> {
  for (;;) {
    const id = unique();
    const wasOver = isOver;
    try {
      await store.once(id, (tx) => handle(id, tx));
      console.log(id);
      if (wasOver) return;
    } catch {
      // Its session was ended.
      await pause(1);
    }
  }
}

console.log('ready');
await Promise.all(Array.from({ length: 6 }, work));
process.exit();

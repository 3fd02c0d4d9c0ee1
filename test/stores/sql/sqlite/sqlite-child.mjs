// A process that takes events through a sqlStore of the built package, on whichever runtime runs it.
// node sqlite-child.mjs <driver> <file> <mode> race <keys>: takes every key, and prints those that it ran. Mode is lease,
// or transactional, which also writes an effect for each.
// node sqlite-child.mjs <driver> <file> <mode> hold <key>: freezes once in its handler, and prints the outcome.
import * as sql from 'event-webhook-receiver/stores/sql';

const [driver, file, mode, task, argument] = process.argv.slice(2);

const OPENERS = {
  async libsql() {
    const db = new (await import('libsql')).default(file);
    return { db: sql.fromBetterSqlite3(db), run: (text) => void db.exec(text) };
  },
  async 'node:sqlite'() {
    const db = new (await import('node:sqlite')).DatabaseSync(file);
    return { db: sql.fromNodeSqlite(db), run: (text) => void db.exec(text) };
  },
  async 'bun:sqlite'() {
    const db = new (await import('bun:sqlite')).Database(file);
    return { db: sql.fromBunSqlite(db), run: (text) => void db.exec(text) };
  },
  async '@libsql/client'() {
    const client = (await import('@libsql/client')).createClient({ url: `file:${file}` });
    return { db: sql.fromLibsql(client), run: (text, tx = client) => tx.execute(text) };
  },
};

const { db, run } = await OPENERS[driver]();
// Four of these at once, on a machine that may be busy.
const store = sql.sqlStore({ db, transactional: mode === 'transactional', timeoutMs: 60_000, leaseMs: 300_000 });
await store.migrate();
// Outside of a transaction of the store, a write would have to wait for other processes.
const write = (text, tx) => (mode === 'transactional' ? run(text, tx) : undefined);

const DELIVERY = { from: 'free', to: 'done' };
/** A signal for each call: Node warns about one with many listeners. */
const limitOf = () => ({ signal: new AbortController().signal, deadline: Date.now() + 300_000 });

/** Calls the store as a receiver does. */
async function once(key, work) {
  if (store.once) return (await store.once([key], DELIVERY, (_fresh, tx) => work(tx), limitOf())).get(key);
  const owner = crypto.randomUUID();
  const answer = (await store.claim([key], owner, DELIVERY)).get(key);
  if (typeof answer === 'string') return answer;
  await work();
  return (await store.record([key], owner, DELIVERY)).get(key) ? 'handled' : 'taken over';
}

if (task === 'hold') {
  let runs = 0;
  const word = await once(argument, (tx) => {
    const written = write(`INSERT INTO effects VALUES ('${argument}')`, tx);
    // The store runs it again if a reader delays its commit.
    if (runs++ > 0) return written;
    console.log('frozen');
    process.kill(process.pid, 'SIGSTOP');
    return written;
  });
  console.log(word);
} else {
  const ran = [];
  const keys = Array.from({ length: Number(argument) }, (_, index) => `key-${index}`);
  const take = (key) =>
    once(key, (tx) => {
      ran.push(key);
      return write(`INSERT INTO effects VALUES ('${key}')`, tx);
    });
  const words = await Promise.all(keys.map(take));
  console.log(JSON.stringify({ ran, left: words.filter((word) => word === 'in-progress').length }));
}

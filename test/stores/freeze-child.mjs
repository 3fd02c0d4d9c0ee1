// A process that handles one key with a lease store of the built package on command, and prints the outcome.
// node freeze-child.mjs ioredis|node-redis <url> <leaseMs>: stops itself soon after its claim was sent.
// node freeze-child.mjs sqlite <file> <leaseMs>: stops itself as soon as its claim is committed.
import { once } from 'node:events';

const [engine, address, leaseMs] = process.argv.slice(2);
const settings = { leaseMs: Number(leaseMs) };
let stopAtCommit = false;

async function openStore() {
  if (engine === 'sqlite') {
    const { fromBetterSqlite3, sqlStore } = await import('event-webhook-receiver/stores/sql');
    const { default: Database } = await import('libsql');
    const database = new Database(address);
    const db = fromBetterSqlite3(database);
    const runNow = (sql) => {
      const rows = db.runNow(sql);
      if (stopAtCommit && sql === 'COMMIT') {
        stopAtCommit = false;
        process.kill(process.pid, 'SIGSTOP');
      }
      return rows;
    };
    const store = sqlStore({ db: { ...db, runNow }, ...settings });
    await store.migrate();
    return store;
  }
  const { redisStore } = await import('event-webhook-receiver/stores/redis');
  const options = { socketTimeout: 30_000 };
  if (engine === 'ioredis') {
    const { Redis } = await import('ioredis');
    return redisStore({ client: new Redis(address, options), ...settings });
  }
  const { createClient } = await import('redis');
  const client = createClient({ url: address, socket: { ...options, reconnectStrategy: 100 } });
  return redisStore({ client: await client.connect(), ...settings });
}

const store = await openStore();
await store.once(`warm-up-${process.pid}`, async () => {});
console.log('ready');
const [key] = await once(process.stdin, 'data');
stopAtCommit = true;
// In a timer's callback: sockets are then read before timers that became due meanwhile.
if (engine !== 'sqlite') setTimeout(() => process.kill(process.pid, 'SIGSTOP'), 100);
let started = false;
const run = async () => {
  started = true;
};
const result = await store.once(String(key).trim(), run).catch((error) => error.code);
console.log(JSON.stringify({ started, result }));
process.exit();

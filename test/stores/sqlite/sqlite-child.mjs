// A process that takes events through a sqliteStore of the built package, on whichever runtime runs it.
// node sqlite-child.mjs <driver> <file> race <keys>: takes every key, and prints those that it ran.
// node sqlite-child.mjs <driver> <file> hold <key>: holds a key until it is killed.
import { sqliteStore } from 'event-webhook-receiver/stores/sqlite';

const [driver, file, task, argument] = process.argv.slice(2);
const { DatabaseSync, Database = DatabaseSync, default: Libsql } = await import(driver);
const database = new (Database ?? Libsql)(file);
// Four of these at once, on a machine that may be busy.
const store = sqliteStore({ database, timeoutMs: 30_000, leaseMs: task === 'race' ? 300_000 : 60_000 });

if (task === 'hold') {
  await store.once(argument, async () => {
    console.log('holding');
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  });
} else {
  const ran = [];
  const keys = Array.from({ length: Number(argument) }, (_, index) => `key-${index}`);
  await Promise.all(keys.map((key) => store.once(key, async () => void ran.push(key))));
  const again = await Promise.all(ran.map((key) => store.once(key, async () => console.log('ran twice'))));
  console.log(JSON.stringify({ ran, duplicates: again.filter((status) => status === 'duplicate').length }));
}

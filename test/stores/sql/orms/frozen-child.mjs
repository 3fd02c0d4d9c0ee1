// A process that stops itself while its handler has a transaction of Knex open, and prints what became of it.
// node frozen-child.mjs <url> <leaseMs> <key>
import { createRequire } from 'node:module';
import { fromKnex, sqlStore } from 'event-webhook-receiver/stores/sql';

const [connectionString, leaseMs, key] = process.argv.slice(2);
const createKnex = createRequire(new URL('../../../../examples/orms/package.json', import.meta.url))('knex');
const knex = createKnex({ client: 'pg', connection: { connectionString, connectionTimeoutMillis: 5000 } });
const store = sqlStore({ db: fromKnex(knex), transactional: true, leaseMs: Number(leaseMs) });
const result = await store
  .once(key, async (tx) => {
    await tx('effects').insert({ id: key });
    console.log('in the transaction');
    process.kill(process.pid, 'SIGSTOP');
    await tx('effects').insert({ id: key });
  })
  .catch(() => 'rejected');
console.log(result);
process.exit();

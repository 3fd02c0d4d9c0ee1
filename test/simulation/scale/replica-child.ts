// A replica as its own process: an Express app with one of the stores. Arguments: the secret, the store, the server's URL.
import express from 'express';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { expressHandler } from '../../../src/adapters/express.js';
import { memoryStore } from '../../../src/stores/memory.js';
import { redisStore } from '../../../src/stores/redis/index.js';
import { fromPg, sqlStore } from '../../../src/stores/sql/index.js';

const [secret = '', kind, url = ''] = process.argv.slice(2);

function handlerOf() {
  if (kind === 'redis') {
    const store = redisStore({ client: new Redis(url, { socketTimeout: 3000 }) });
    return expressHandler({ secret, store, onEvents: () => {} });
  }
  if (kind === 'postgres') {
    const db = fromPg(new Pool({ connectionString: url, max: 20, connectionTimeoutMillis: 5000 }));
    return expressHandler({ secret, store: sqlStore({ db }), onEvents: () => {} });
  }
  return expressHandler({ secret, store: memoryStore({ maxKeys: 10_000 }), onEvents: () => {} });
}

const app = express();
app.post('/webhooks', handlerOf());
const server = app.listen(0, '127.0.0.1', () => {
  process.send?.((server.address() as { port: number }).port);
});
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.((user + system) / 1000);
});

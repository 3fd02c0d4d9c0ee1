// The Worker of examples/queues/cloudflare.ts in workerd, with its queues and a D1 database.
import { fileURLToPath } from 'node:url';
import { sqlDdl } from 'event-webhook-receiver/stores/sql';
import { Miniflare } from 'miniflare';
import { bundle } from './workerd.js';

/** Takes the dead letters, so that they can be read. */
const DEAD = `export default { async queue({ messages }, env) {
  for (const { body } of messages) await env.DB.prepare('INSERT INTO dead (text) VALUES (?)').bind(body).run();
} };`;

export async function startQueueWorker(secret: string) {
  const common = { compatibilityDate: '2026-04-01', d1Databases: { DB: 'events' } };
  const module = (contents: string) => [{ type: 'ESModule' as const, path: 'worker.mjs', contents }];
  const program = await bundle(fileURLToPath(new URL('../../queues/cloudflare.ts', import.meta.url)));
  const miniflare = new Miniflare({
    workers: [
      {
        ...{ ...common, name: 'events', modules: module(program), bindings: { WEBHOOK_SECRET: secret } },
        queueProducers: { EVENTS: 'events', DEAD: 'dead' },
        queueConsumers: { events: { maxBatchSize: 10, maxBatchTimeout: 0, maxRetries: 100 } },
      },
      { ...common, name: 'dead', modules: module(DEAD), queueConsumers: { dead: { maxBatchTimeout: 0 } } },
    ],
  });
  const database = await miniflare.getD1Database('DB', 'events');
  const tables = ["CREATE TABLE handled (id TEXT CHECK (id <> 'refused'))", 'CREATE TABLE dead (text TEXT)'];
  for (const sql of [...tables, ...sqlDdl({ dialect: 'sqlite' })]) await database.prepare(sql).run();
  const producer = await miniflare.getQueueProducer<string>('EVENTS', 'events');
  return {
    url: await miniflare.ready,
    add: (text: string) => producer.send(text, { contentType: 'text' }),
    query: async (sql: string) => (await database.prepare(sql).all<Record<string, string>>()).results,
    stop: () => miniflare.dispose(),
  };
}

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fromD1, sqlStore } from 'event-webhook-receiver/stores/sql';
import { createTestDelivery, sampleEventEmitted } from 'event-webhook-receiver/testing';
import { Miniflare } from 'miniflare';
import worker from './worker.js';

const secret = 'whsec-test';
const workerd = new Miniflare({ modules: true, script: 'export default {};', d1Databases: ['DB'] });
const DB = await workerd.getD1Database('DB');
const context = { waitUntil: () => {} };

before(async () => {
  await sqlStore({ db: fromD1(DB) }).migrate();
  await DB.prepare('CREATE TABLE effects (key TEXT PRIMARY KEY, event_id TEXT NOT NULL)').run();
});
after(() => workerd.dispose());

const send = async (event: object, signedWith = secret) =>
  (
    await worker.fetch(
      createTestDelivery([event], { secret: signedWith }).request(),
      { DB, WEBHOOK_SECRET: secret },
      context,
    )
  ).status;

const effectsOf = async (id: string) =>
  (await DB.prepare('SELECT 1 FROM effects WHERE event_id = ?').bind(id).all()).results.length;

test('an event takes effect once, however often it is delivered', async () => {
  const event = sampleEventEmitted();
  assert.equal(await send(event), 200);
  assert.equal(await send(event), 200);
  assert.equal(await effectsOf(event.id), 1);
});

test('a forged delivery is refused', async () => {
  const event = sampleEventEmitted();
  assert.equal(await send(event, 'guessed'), 403);
  assert.equal(await effectsOf(event.id), 0);
});

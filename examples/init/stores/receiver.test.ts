import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { signDelivery } from 'event-webhook-receiver';
import { sampleEventEmitted } from 'event-webhook-receiver/testing';
import { close, effectsOf, migrate, receiver } from './receiver.js';

const secret = 'whsec-test';
process.env.WEBHOOK_SECRET = secret;
before(migrate);
after(close);

test('an event takes effect once, however often it is delivered', async () => {
  const event = sampleEventEmitted();
  const delivery = signDelivery(JSON.stringify([event]), { secret });
  assert.equal((await receiver.handle(delivery)).status, 200);
  assert.equal((await receiver.handle(delivery)).status, 200);
  assert.equal(await effectsOf(event.id), 1);
});

test('a forged delivery is refused', async () => {
  const event = sampleEventEmitted();
  const { status } = await receiver.handle(signDelivery(JSON.stringify([event]), { secret: 'guessed' }));
  assert.equal(status, 403);
  assert.equal(await effectsOf(event.id), 0);
});

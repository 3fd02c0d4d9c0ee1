// `npm run demo`: starts the Express example on a free port, sends it what a receiver meets, and prints what came of it.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { WebhookEvent } from 'event-webhook-receiver';
import {
  createTestDelivery,
  sampleEventEmitted,
  sampleTransactionIncluded,
  type TestDelivery,
} from 'event-webhook-receiver/testing';
import { signDelivery } from 'event-webhook-receiver/verify';
import { createApp } from './express/app.js';

const secret = 'whsec-demo';
const saw: string[] = [];
const failing = new Set<string>();

async function onEvent(event: WebhookEvent): Promise<void> {
  const name = event.event === 'event.emitted' ? event.data.event.name : event.event;
  if (failing.delete(event.id)) {
    saw.push(`${name}, and threw`);
    throw new Error('the database is away');
  }
  saw.push(name);
}

const server = createApp({ secret, toleranceSeconds: 300, onEvent }).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;

const sign = (events: unknown[], options = {}) => createTestDelivery(events, { secret, ...options });
const post = ({ body, headers }: Pick<TestDelivery, 'body' | 'headers'>) =>
  fetch(url, { method: 'POST', body, headers });

const transfer = sign([sampleEventEmitted()]);
const unlucky = sampleEventEmitted({ data: { event: { name: 'Approval' } } });
failing.add(unlucky.id);
const retried = sign([unlucky]);

const rows: [sent: string, delivery: Pick<TestDelivery, 'body' | 'headers'>, status: number, sees: string][] = [
  ['a genuine event.emitted', transfer, 200, 'Transfer'],
  ['a genuine transaction.included', sign([sampleTransactionIncluded()]), 200, 'transaction.included'],
  ['the first one again (duplicate)', transfer, 200, ''],
  ['a body forged after signing', { ...transfer, body: transfer.body.replace('Transfer', 'Mint') }, 403, ''],
  ['signed with a wrong secret', sign([sampleEventEmitted()], { secret: 'guessed' }), 403, ''],
  [
    'signed ten minutes ago (stale)',
    sign([sampleEventEmitted()], { timestamp: Math.floor(Date.now() / 1000) - 600 }),
    403,
    '',
  ],
  ['signed, but malformed: no JSON', signDelivery('[{"id":', { secret }), 400, ''],
  ['signed, but no valid event', sign([{ id: 'x', event: 'event.emitted', data: {} }]), 422, ''],
  ['an event whose handler fails', retried, 500, 'Approval, and threw'],
  ['the same, delivered again', retried, 200, 'Approval'],
];

const table: Record<string, string | number>[] = [];
for (const [sent, delivery, status, sees] of rows) {
  const response = await post(delivery);
  const seen = saw.splice(0).join('; ');
  const bytes = (await response.arrayBuffer()).byteLength;
  const ok = response.status === status && seen === sees && bytes === 0;
  table.push({
    sent,
    status: response.status,
    'handler saw': seen || '-',
    ok: ok ? 'yes' : `NO, not ${status} ${sees}`,
  });
}
console.table(table);
server.close();

const wrong = table.filter(({ ok }) => ok !== 'yes').length;
console.log(
  wrong === 0 ? `All ${table.length} rows are as they should be.` : `${wrong} rows are not as they should be.`,
);
process.exitCode = wrong === 0 ? 0 : 1;

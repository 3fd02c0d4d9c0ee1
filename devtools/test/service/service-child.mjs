// A process that runs the built local service on a file, until it is killed. Tells what it is doing over IPC.
// node service-child.mjs <file> hold: has the file, and does nothing with it.
// node service-child.mjs <file> emit <url> <name>: emits events <name>-0, <name>-1, … without an end to one webhook.
// node service-child.mjs <file> close <url>: closes while a delivery is under way and another one waits, and ends by itself.

import { sampleTransactionIncluded } from 'event-webhook-receiver/testing';
import { createLocalService } from 'event-webhooks/local';

const [file, task, url, name] = process.argv.slice(2);
const waitMs = task === 'close' ? 60_000 : 5;
const seen = new Set();
const service = await createLocalService({
  file,
  retries: { initialDelayMs: waitMs, maxDelayMs: waitMs },
  onDelivery({ label, nextAttemptAt }) {
    if (task !== 'close') return;
    if (label === 'hanging' || nextAttemptAt !== undefined) seen.add(label);
    if (seen.size === 2) void service.close().then(() => process.disconnect());
  },
});
const [known] = service.webhooks();
const { id } = known ?? (task === 'emit' ? service.register({ label: 'mine', url }) : {});
process.send({ secret: service.secretOf(id) });

if (task === 'emit') {
  for (let count = 0; ; count++) {
    const event = sampleTransactionIncluded({ id: `${name}-${count}` });
    service.emit([event]);
    // Backs off from a parent that reads no faster than this.
    await new Promise((resolve) => process.send({ emitted: event.id }, resolve));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

if (task === 'close') {
  service.register({ label: 'hanging', url });
  service.register({ label: 'refusing', url: 'http://127.0.0.1:1/' });
  service.emit([sampleTransactionIncluded()]);
}

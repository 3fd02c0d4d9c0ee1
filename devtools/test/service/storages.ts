import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { fc } from '../../../test/fixtures/property.js';
import { type Delivery, newDelivery } from '../../src/service/delivery.js';
import type { Change, State } from '../../src/service/state.js';
import type { Storage } from '../../src/service/storage.js';
import type { CreatedWebhook } from '../../src/service/webhook.js';

export const directory = mkdtempSync(join(tmpdir(), 'storage-'));
afterAll(() => rmSync(directory, { recursive: true }));

let files = 0;
export const newFile = () => join(directory, `storage-${++files}`);

/** The parts of a state to compare. A restart orders webhooks and pending deliveries by id. */
function comparable({ key, next, webhooks }: State): string {
  const inOrder = [...webhooks.values()].sort((a, b) => a.record.id - b.record.id);
  const plain = inOrder.map(({ record, deliveries, pending, events, bytes }) => ({
    ...{ record, events, bytes, pending: [...pending].sort((a, b) => a - b) },
    deliveries: [...deliveries.values()].map(({ body, ...fields }) => ({
      ...fields,
      body: Buffer.from(body).toString(),
    })),
  }));
  return JSON.stringify({ key, next, plain }, (_name, value) => (value === undefined ? null : value));
}

// A state that was read from JSON has absent keys instead of undefined ones.
export const same = (state: State) =>
  JSON.stringify(JSON.parse(comparable(state), (_name, value) => value ?? undefined));

const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 8 }), fc.constantFrom('__proto__', '\n', '"', '\u2028'));
const id = fc.integer({ min: 1, max: 3 });
const webhook = fc
  .record({ id, label: text, secret: text.filter((each) => each !== ''), failedCalls: id })
  .map((fields) => ({
    ...{ url: 'https://example.com/', subscriptions: [], createdAt: '', updatedAt: '' },
    ...fields,
  }));
const state = fc.constantFrom('pending', 'delivered', 'given-up');
const attempt = fc.record({ at: id, headers: fc.constant([]), reason: fc.option(text, { nil: undefined }) });
const optional = fc.option(id, { nil: undefined });

/** A change, which depends on the state before it. */
const operation: fc.Arbitrary<(now: State) => Change> = fc.oneof(
  webhook.map((each) => () => ({ webhook: each })),
  id.map((removed) => () => ({ removed })),
  text.map((key) => () => ({ key })),
  { weight: 4, arbitrary: fc.array(fc.array(text, { minLength: 1, maxLength: 3 }), { maxLength: 2 }).map(emitted) },
  {
    weight: 4,
    arbitrary: fc
      .record({ attempts: fc.array(attempt, { maxLength: 2 }), failures: id, state })
      .chain((fields) =>
        fc.record({ deliveredAt: optional, nextAttemptAt: optional }).map((more) => ({ ...fields, ...more })),
      )
      .chain((fields) => fc.tuple(id, id, webhook).map((of) => progress(fields, ...of))),
  },
);

/** Two webhooks, and any changes after that. */
export const history = (constraints: fc.ArrayConstraints) =>
  fc
    .tuple(webhook, webhook, fc.array(operation, constraints))
    .map(([first, second, operations]) => [
      ...[first, second].map((each, index) => (): Change => ({ webhook: { ...each, id: index + 1 } })),
      ...operations,
    ]);

/** The progress of a delivery and of its webhook, if there are such. */
function progress(fields: Partial<Delivery>, id: number, webhookId: number, record: CreatedWebhook) {
  return ({ webhooks }: State): Change => {
    const delivery = webhooks.get(webhookId)?.deliveries.get(id);
    if (delivery === undefined) return {};
    return { webhook: { ...record, id: webhookId }, deliveries: [{ ...delivery, ...fields }] };
  };
}

function emitted(bodies: string[][]) {
  return ({ webhooks, next }: State): Change => {
    let { delivery: id, event: firstEvent } = next;
    const deliveries = [...webhooks.keys()].flatMap((webhookId) =>
      bodies.map((events) => {
        firstEvent += events.length;
        const body = new TextEncoder().encode(JSON.stringify(events));
        const about = { id: id++, webhookId, body, events: events.length, firstEvent: firstEvent - events.length };
        return newDelivery({ ...about, createdAt: 1 });
      }),
    );
    return { deliveries };
  };
}

/** A change that adds a delivery to the first webhook. */
export function oneEmitted({ next }: State, body: string, events = 1, webhookId = 1): Change {
  const { delivery: id, event: firstEvent } = next;
  return { deliveries: [newDelivery({ id, webhookId, body: Buffer.from(body), events, firstEvent, createdAt: 1 })] };
}

export const LIMITS = { events: 6, bytes: 60 };

export async function using<T>(opening: Promise<Storage>, use: (storage: Storage) => T): Promise<T> {
  const storage = await opening;
  try {
    return use(storage);
  } finally {
    storage.close();
  }
}

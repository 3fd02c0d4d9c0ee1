import { isRecord } from '../guards.js';
import type { Progress } from './change.js';
import { type Connection, damaged } from './database.js';
import type { Delivery } from './delivery.js';
import { addDelivery, addWebhook, emptyState, type KeepLimits, type State, trim } from './state.js';
import type { CreatedWebhook } from './webhook.js';

/** The variable fields of a delivery, and its number of attempts. */
export type ProgressColumn = Pick<Progress, 'failures' | 'state' | 'deliveredAt' | 'nextAttemptAt'> &
  Pick<Delivery, 'attempts' | 'once'>;

// A damaged page can hide rows.
const INTEGRITY = `SELECT integrity_check = 'ok' AS isWhole FROM pragma_integrity_check(1)`;

// libsql ends the process when it reads text or a column name that is not UTF-8, so a damaged file could end it. All text
// is read as bytes, all columns have names from here, and the types of damaged values do not matter.
const SETTINGS = 'SELECT CAST(name AS BLOB) AS name, CAST(value AS BLOB) AS value FROM settings';
const WEBHOOKS = 'SELECT id AS id, CAST(record AS BLOB) AS record FROM webhooks ORDER BY id';
const BODIES = 'SELECT id AS id, CAST(body AS BLOB) AS body FROM bodies';
const DELIVERIES = `SELECT id AS id, CAST(webhook_id AS INTEGER) AS webhookId, CAST(body_id AS INTEGER) AS bodyId,
  CAST(events AS INTEGER) AS events, CAST(first_event AS INTEGER) AS firstEvent, CAST(created_at AS INTEGER) AS createdAt,
  CAST(progress AS BLOB) AS progress FROM deliveries ORDER BY id`;

type DeliveryRow = Pick<Delivery, 'id' | 'webhookId' | 'events' | 'firstEvent' | 'createdAt'> & {
  readonly bodyId: number;
  readonly progress: ArrayBuffer;
};

/** Reads the state from the tables. Throws {@link damaged} when a row cannot be read, or refers to one that is gone. */
export function loadState(database: Connection, limits: KeepLimits | undefined): State {
  const state = emptyState(limits);
  const rows = <Row>(sql: string) => database.prepare(sql).all() as Row[];
  check(rows<{ isWhole: number }>(INTEGRITY)[0]?.isWhole === 1);
  const settings = new Map(
    rows<{ name: ArrayBuffer; value: ArrayBuffer }>(SETTINGS).map(({ name, value }) => [text(name), text(value)]),
  );
  state.key = settings.get('key');
  const last = { webhook: 0, delivery: 0, event: 0 };
  for (const { id, record } of rows<{ id: number; record: ArrayBuffer }>(WEBHOOKS)) {
    addWebhook(state, object(record) as CreatedWebhook);
    last.webhook = id;
  }
  const bodies = new Map(
    rows<{ id: number; body: ArrayBuffer }>(BODIES).map(({ id, body }) => [id, new Uint8Array(body)]),
  );
  for (const { id, webhookId, bodyId, events, firstEvent, createdAt, progress } of rows<DeliveryRow>(DELIVERIES)) {
    const body = bodies.get(bodyId);
    if (body === undefined) throw damaged();
    const fixed = { id, webhookId, body, events, firstEvent, createdAt };
    const webhook = addDelivery(state, { ...fixed, ...(object(progress) as ProgressColumn) });
    if (webhook === undefined) throw damaged();
    trim(webhook, state.limits);
    last.delivery = id;
    last.event = Math.max(last.event, firstEvent + events - 1);
  }
  for (const name of ['webhook', 'delivery', 'event'] as const) {
    const next = Number(settings.get(name) ?? 1);
    // An id must not be assigned twice.
    check(next > last[name]);
    state.next[name] = next;
  }
  return state;
}

function check(isWhole: boolean): void {
  if (!isWhole) throw damaged();
}

function text(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw damaged();
  }
}

/** The JSON object that a column contains. */
function object(bytes: ArrayBuffer): unknown {
  const json = text(bytes);
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    // Not an object either.
  }
  check(isRecord(value));
  return value;
}

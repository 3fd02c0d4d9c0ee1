import { isRecord } from '../guards.js';
import type { Progress } from './change.js';
import { type Connection, damaged } from './database.js';
import type { Delivery } from './delivery.js';
import { addDelivery, addWebhook, emptyState, type KeepLimits, type State } from './state.js';
import { type CreatedWebhook, EVENT_KINDS } from './webhook.js';

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

type DeliveryNumbers = Pick<Delivery, 'id' | 'webhookId' | 'events' | 'firstEvent' | 'createdAt'>;

/** Reads the state from the tables. Throws {@link damaged} unless it is one that a service could have written. */
export function loadState(database: Connection, limits: KeepLimits | undefined): State {
  const state = emptyState(limits);
  const rows = <Row>(sql: string) => database.prepare(sql).all() as Row[];
  check(rows<{ isWhole: number }>(INTEGRITY)[0]?.isWhole);
  const settings = new Map(
    rows<{ name: ArrayBuffer; value: ArrayBuffer }>(SETTINGS).map(({ name, value }) => [text(name), text(value)]),
  );
  state.key = settings.get('key');
  for (const { id, record } of rows<{ id: number; record: ArrayBuffer }>(WEBHOOKS)) {
    const webhook: unknown = parse(record);
    check(isWebhook(webhook) && webhook.id === id && isId(id));
    addWebhook(state, webhook as CreatedWebhook);
  }
  const bodies = new Map(
    rows<{ id: number; body: ArrayBuffer }>(BODIES).map(({ id, body }) => [id, new Uint8Array(body)]),
  );
  let lastEvent = 0;
  for (const row of rows<DeliveryNumbers & { bodyId: number; progress: ArrayBuffer }>(DELIVERIES)) {
    const { id, webhookId, events, firstEvent, createdAt } = row;
    const [progress, body] = [parse(row.progress), bodies.get(row.bodyId)];
    check(body && isId(id) && isId(events) && isId(firstEvent) && isTime(createdAt));
    check(state.webhooks.has(webhookId) && isProgress(progress));
    const fixed = { id, webhookId, body: body as Uint8Array, events, firstEvent, createdAt };
    addDelivery(state, { ...fixed, ...(progress as ProgressColumn) });
    lastEvent = Math.max(lastEvent, firstEvent + events - 1);
  }
  const deliveries = [...state.webhooks.values()].flatMap((webhook) => [...webhook.deliveries.keys()]);
  const last = { webhook: greatest(state.webhooks.keys()), delivery: greatest(deliveries), event: lastEvent };
  for (const name of ['webhook', 'delivery', 'event'] as const) {
    const next = Number(settings.get(name) ?? 1);
    // An id must not be assigned twice.
    check(isId(next) && next > last[name]);
    state.next[name] = next;
  }
  return state;
}

function check(isWhole: unknown): void {
  if (!isWhole) throw damaged();
}

function text(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw damaged();
  }
}

function parse(bytes: ArrayBuffer): unknown {
  const json = text(bytes);
  try {
    return JSON.parse(json);
  } catch {
    throw damaged();
  }
}

const greatest = (ids: Iterable<number>) => {
  let most = 0;
  for (const id of ids) most = Math.max(most, id);
  return most;
};
const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isId = (value: unknown) => isCount(value) && value > 0;
/** Whether `Date` can represent it. */
const isTime = (value: unknown) => isCount(value) && value <= 8.64e15;
const optional = (is: (value: unknown) => boolean, value: unknown) => value === undefined || is(value);

function isWebhook(value: unknown): value is CreatedWebhook {
  if (!isRecord(value)) return false;
  const { url, label, secret, subscriptions, createdAt, updatedAt, failedCalls } = value;
  const { nextAttempt, lastAttempt, lastError } = value;
  return (
    [label, createdAt, updatedAt].every(isText) &&
    [nextAttempt, lastAttempt, lastError].every((each) => optional(isText, each)) &&
    isText(secret) &&
    secret !== '' &&
    isText(url) &&
    URL.canParse(url) &&
    ['http:', 'https:'].includes(new URL(url).protocol) &&
    isCount(failedCalls) &&
    Array.isArray(subscriptions) &&
    subscriptions.every((each) => EVENT_KINDS.includes(each))
  );
}

function isProgress(value: unknown): value is ProgressColumn {
  if (!isRecord(value)) return false;
  const { attempts, failures, state, deliveredAt, nextAttemptAt, once } = value;
  return (
    Array.isArray(attempts) &&
    attempts.every(isAttempt) &&
    isCount(failures) &&
    ['pending', 'delivered', 'given-up'].includes(state as string) &&
    [deliveredAt, nextAttemptAt].every((each) => optional(isTime, each)) &&
    (once === undefined || once === true)
  );
}

function isAttempt(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { at, headers, fault, tampered, status, reason, code, durationMs } = value;
  const isLine = (line: unknown) => Array.isArray(line) && line.length === 2 && line.every(isText);
  return (
    isTime(at) &&
    Array.isArray(headers) &&
    headers.every(isLine) &&
    [fault, reason, code].every((each) => optional(isText, each)) &&
    optional(isByteChange, tampered) &&
    [status, durationMs].every((each) => optional(isCount, each))
  );
}

const isByteChange = (value: unknown) =>
  isRecord(value) && isCount(value.at) && isCount(value.sent) && Number(value.sent) <= 255;

import { isRecord } from '../guards.js';
import type { Change, Emitted, Progress } from './change.js';
import { type Connection, closeDatabase, damaged, explaining, openDatabase } from './database.js';
import type { Delivery } from './delivery.js';
import {
  addDelivery,
  addWebhook,
  apply,
  emptyState,
  type KeepLimits,
  nextAfter,
  progressed,
  recordAfter,
  type State,
  trim,
} from './state.js';
import type { CreatedWebhook } from './webhook.js';

/** The state of a service, and where it is stored. */
export interface Storage {
  readonly state: State;
  /** Stores a change, then applies it to the state. Throws and changes nothing when it cannot be stored. Returns the pending deliveries that were dropped. */
  commit(change: Change): Delivery[];
  close(): void;
}

/** Keeps the state until the process ends. */
export function memoryStorage(limits?: KeepLimits): Storage {
  const state = emptyState(limits);
  return { state, commit: (change) => apply(state, change), close() {} };
}

/**
 * Keeps the state in a SQLite file. What is committed survives the end of the process, even by SIGKILL; a power failure
 * may lose the latest changes.
 *
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when the file is in use, was not created by a local service, or cannot be read
 * or written.
 */
export async function fileStorage(path: string, limits?: KeepLimits): Promise<Storage> {
  const database = await openDatabase(path);
  try {
    const state = explaining(path, () => loadState(database, limits));
    const { write, deleteOlder } = explaining(path, () => createWriter(database, state));
    const inTransaction = (work: () => void) => {
      database.exec('BEGIN IMMEDIATE');
      try {
        work();
        database.exec('COMMIT');
      } catch (error) {
        // SQLite has already rolled back when the disk is full.
        if (database.inTransaction) database.exec('ROLLBACK');
        throw error;
      }
    };
    return {
      state,
      commit(change) {
        explaining(path, () => inTransaction(() => write(change)));
        const dropped = apply(state, change);
        try {
          if (change.type === 'emitted') inTransaction(() => deleteOlder(change));
        } catch {
          // The next one deletes them too, and until then loading drops them.
        }
        return dropped;
      },
      close: () => closeDatabase(database),
    };
  } catch (error) {
    closeDatabase(database);
    throw error;
  }
}

/** Writes changes to the tables before they are applied to the state. */
function createWriter(database: Connection, state: State) {
  const upsert = (table: string) =>
    database.prepare(`INSERT INTO ${table} VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET fields = excluded.fields`);
  const [saveService, saveWebhook] = [upsert('service'), upsert('webhooks')];
  const deleteWebhook = database.prepare('DELETE FROM webhooks WHERE id = ?');
  const insertDelivery = database.prepare('INSERT INTO deliveries VALUES (?, ?, ?, ?)');
  const saveDelivery = database.prepare('UPDATE deliveries SET fields = ? WHERE id = ?');
  const deleteBefore = database.prepare('DELETE FROM deliveries WHERE webhook_id = ? AND id < ?');

  function progress(change: Progress): void {
    const webhook = state.webhooks.get(change.webhookId);
    const delivery = webhook?.deliveries.get(change.id);
    if (webhook && change.calls) saveWebhook.run(change.webhookId, json(recordAfter(webhook.record, change)));
    if (delivery) saveDelivery.run(fieldsOf({ ...delivery, ...progressed(delivery, change) }), change.id);
  }

  return {
    write(change: Change): void {
      if (change.type === 'progress') progress(change);
      else if (change.type === 'removed') deleteWebhook.run(change.id);
      else if (change.type === 'webhook') saveWebhook.run(change.webhook.id, json(change.webhook));
      else if (change.type === 'emitted') {
        for (const delivery of change.deliveries) {
          insertDelivery.run(delivery.id, delivery.webhookId, fieldsOf(delivery), Buffer.from(delivery.body));
        }
      }
      if (change.type === 'progress') return;
      const { key } = change.type === 'key' ? change : state;
      saveService.run(1, json({ key, next: nextAfter(state, change) }));
    },
    /** Deletes the deliveries that the state has dropped since. */
    deleteOlder({ deliveries }: Emitted): void {
      for (const webhookId of new Set(deliveries.map((each) => each.webhookId))) {
        const [oldest = 0] = state.webhooks.get(webhookId)?.deliveries.keys() ?? [];
        deleteBefore.run(webhookId, oldest);
      }
    },
  };
}

const json = (value: object) => Buffer.from(JSON.stringify(value));
const fieldsOf = ({ body: _, ...fields }: Delivery) => json(fields);

// A damaged page can hide rows, and a damaged column name would end the process.
const INTEGRITY = `SELECT integrity_check = 'ok' AS isWhole FROM pragma_integrity_check(1)`;
const SERVICE = 'SELECT fields AS fields FROM service';
const WEBHOOKS = 'SELECT fields AS fields FROM webhooks ORDER BY id';
const DELIVERIES = 'SELECT fields AS fields, body AS body FROM deliveries ORDER BY id';

/** Reads the state from the tables. Throws {@link damaged} when a row cannot be read, or refers to one that is gone. */
function loadState(database: Connection, limits: KeepLimits | undefined): State {
  const state = emptyState(limits);
  const rows = <Row>(sql: string) => database.prepare(sql).all() as Row[];
  check(rows<{ isWhole: number }>(INTEGRITY)[0]?.isWhole === 1);
  const last = { webhook: 0, delivery: 0, event: 0 };
  for (const { fields } of rows<Fields>(WEBHOOKS)) {
    const record = read<CreatedWebhook>(fields);
    addWebhook(state, record);
    last.webhook = record.id;
  }
  for (const { fields, body } of rows<Fields & { readonly body: ArrayBuffer }>(DELIVERIES)) {
    const delivery = { ...read<Delivery>(fields), body: new Uint8Array(body) };
    const webhook = addDelivery(state, delivery);
    if (webhook === undefined) throw damaged();
    trim(webhook, state.limits);
    last.delivery = delivery.id;
    last.event = Math.max(last.event, delivery.firstEvent + delivery.events - 1);
  }
  for (const { fields } of rows<Fields>(SERVICE)) Object.assign(state, read<Pick<State, 'key' | 'next'>>(fields));
  // An id must not be assigned twice.
  for (const name of ['webhook', 'delivery', 'event'] as const) check(state.next?.[name] > last[name]);
  return state;
}

/** A row with JSON. */
interface Fields {
  readonly fields: ArrayBuffer;
}

function check(isWhole: boolean): void {
  if (!isWhole) throw damaged();
}

/** The JSON object that a column contains. */
function read<Value extends object>(bytes: ArrayBuffer): Value {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    if (isRecord(value)) return value as Value;
  } catch {
    // Not an object either.
  }
  throw damaged();
}

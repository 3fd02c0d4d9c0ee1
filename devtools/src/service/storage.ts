import { attempt, isRecord } from '../guards.js';
import { type Connection, closeDatabase, damaged, explaining, openDatabase } from './database.js';
import type { Delivery } from './delivery.js';
import { apply, type Change, emptyState, type KeepLimits, nextAfter, type State } from './state.js';
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
    const write = explaining(path, () => createWriter(database, state));
    return {
      state,
      commit(change) {
        explaining(path, () => write(change));
        return apply(state, change);
      },
      close: () => closeDatabase(database),
    };
  } catch (error) {
    closeDatabase(database);
    throw error;
  }
}

/** Writes changes to the tables before they are applied to the state. */
function createWriter(database: Connection, state: State): (change: Change) => void {
  const upsert = (table: string) =>
    database.prepare(`INSERT INTO ${table} VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET fields = excluded.fields`);
  const [saveService, saveWebhook] = [upsert('service'), upsert('webhooks')];
  const deleteWebhook = database.prepare('DELETE FROM webhooks WHERE id = ?');
  const insertDelivery = database.prepare('INSERT INTO deliveries VALUES (?, ?, ?, ?)');
  const updateDelivery = database.prepare('UPDATE deliveries SET fields = ? WHERE id = ?');
  const deleteBefore = database.prepare('DELETE FROM deliveries WHERE webhook_id = ? AND id < ?');

  function write(change: Change): void {
    const { key = state.key, webhook, removed, deliveries = [] } = change;
    if (removed !== undefined) deleteWebhook.run(removed);
    if (webhook) saveWebhook.run(webhook.id, json(webhook));
    for (const { body, ...fields } of deliveries) {
      const { id, webhookId } = fields;
      if (updateDelivery.run(json(fields), id).changes > 0) continue;
      insertDelivery.run(id, webhookId, json(fields), Buffer.from(body));
    }
    // Those that earlier changes have dropped. Until then, loading drops them.
    for (const webhookId of new Set(deliveries.map((each) => each.webhookId))) {
      const [oldest = 0] = state.webhooks.get(webhookId)?.deliveries.keys() ?? [];
      deleteBefore.run(webhookId, oldest);
    }
    saveService.run(1, json({ key, next: nextAfter(state, change) }));
  }

  return (change) => {
    database.exec('BEGIN IMMEDIATE');
    try {
      write(change);
      database.exec('COMMIT');
    } catch (error) {
      // SQLite has already rolled back when the disk is full.
      if (database.inTransaction) database.exec('ROLLBACK');
      throw error;
    }
  };
}

const json = (value: object) => Buffer.from(JSON.stringify(value));

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
  for (const { fields } of rows<Fields>(WEBHOOKS)) apply(state, { webhook: read<CreatedWebhook>(fields) });
  for (const { fields, body } of rows<Fields & { readonly body: ArrayBuffer }>(DELIVERIES)) {
    const delivery = { ...read<Delivery>(fields), body: new Uint8Array(body) };
    check(state.webhooks.has(delivery.webhookId));
    apply(state, { deliveries: [delivery] });
  }
  const least = state.next;
  const { next } = emptyState();
  Object.assign(
    state,
    { next },
    ...rows<Fields>(SERVICE).map(({ fields }) => read<Pick<State, 'key' | 'next'>>(fields)),
  );
  // An id must not be assigned twice.
  for (const name of ['webhook', 'delivery', 'event'] as const) check(state.next?.[name] >= least[name]);
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
  const text = () => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  const value = attempt(() => JSON.parse(text()) as unknown);
  if (isRecord(value)) return value as Value;
  throw damaged();
}

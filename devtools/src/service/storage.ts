import type { Change, Emitted, Progress } from './change.js';
import { type Connection, closeDatabase, explaining, openDatabase } from './database.js';
import type { Delivery } from './delivery.js';
import { loadState, type ProgressColumn } from './load-state.js';
import { apply, attemptsAfter, emptyState, type KeepLimits, recordAfter, type State } from './state.js';

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
  const upsert = (table: string, key: string, value: string) =>
    database.prepare(
      `INSERT INTO ${table} VALUES (?, ?) ON CONFLICT (${key}) DO UPDATE SET ${value} = excluded.${value}`,
    );
  const set = upsert('settings', 'name', 'value');
  const saveWebhook = upsert('webhooks', 'id', 'record');
  const deleteWebhook = database.prepare('DELETE FROM webhooks WHERE id = ?');
  const insertBody = database.prepare('INSERT INTO bodies VALUES (?, ?)');
  const insertDelivery = database.prepare('INSERT INTO deliveries VALUES (?, ?, ?, ?, ?, ?, ?)');
  const deleteBefore = database.prepare('DELETE FROM deliveries WHERE webhook_id = ? AND id < ?');
  const saveProgress = database.prepare('UPDATE deliveries SET progress = ? WHERE id = ?');

  function emitted(change: Emitted): void {
    let { delivery, event } = state.next;
    for (const { body, events, once, to } of change.batches) {
      const [first] = to;
      if (first === undefined) continue;
      const fresh: ProgressColumn = { attempts: [], failures: 0, state: 'pending', once };
      insertBody.run(first.id, Buffer.from(body));
      for (const { id, webhookId, firstEvent } of to) {
        insertDelivery.run(id, webhookId, first.id, events, firstEvent, change.at, JSON.stringify(fresh));
        delivery = Math.max(delivery, id + 1);
        event = Math.max(event, firstEvent + events);
      }
    }
    set.run('delivery', delivery);
    set.run('event', event);
  }

  function progressed(change: Progress): void {
    const webhook = state.webhooks.get(change.webhookId);
    const delivery = webhook?.deliveries.get(change.id);
    if (webhook && change.calls) saveWebhook.run(change.webhookId, JSON.stringify(recordAfter(webhook.record, change)));
    if (delivery === undefined) return;
    const { failures, state: now, deliveredAt, nextAttemptAt } = change;
    const attempts = attemptsAfter(delivery, change);
    const { once } = delivery;
    saveProgress.run(JSON.stringify({ attempts, failures, state: now, deliveredAt, nextAttemptAt, once }), change.id);
  }

  return {
    write(change: Change): void {
      if (change.type === 'key') set.run('key', change.key);
      else if (change.type === 'webhook') {
        saveWebhook.run(change.webhook.id, JSON.stringify(change.webhook));
        set.run('webhook', Math.max(state.next.webhook, change.webhook.id + 1));
      } else if (change.type === 'removed') deleteWebhook.run(change.id);
      else if (change.type === 'emitted') emitted(change);
      else progressed(change);
    },
    /** Deletes the deliveries that the state has dropped since. */
    deleteOlder({ batches }: Emitted): void {
      for (const webhookId of new Set(batches.flatMap(({ to }) => to.map((each) => each.webhookId)))) {
        const [oldest = 0] = state.webhooks.get(webhookId)?.deliveries.keys() ?? [];
        deleteBefore.run(webhookId, oldest);
      }
    },
  };
}

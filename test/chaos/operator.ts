import { monotonic, sleep } from './clock.js';
import type { Ledger } from './ledger.js';
import type { Ended, Log } from './log.js';
import { LEASE_MS, type Mode } from './modes.js';

/** How long a key is left open: its redeliveries come to nothing meanwhile, and no lease would last as long. */
const OPEN_MS = LEASE_MS + 500;
const LOOK_MS = 250;

/** The statements of docs/errors.md, ERR_WEBHOOK_OUTCOME_UNKNOWN. */
const sqlFor = (column: string) => ({
  open: (table: string) => `SELECT ${column} AS name FROM ${table} WHERE state = 'open'`,
  done: (table: string, key: string) => `UPDATE ${table} SET state = 'done' WHERE ${column} = '${key}'`,
  free: (table: string, key: string) => `DELETE FROM ${table} WHERE ${column} = '${key}' AND state = 'open'`,
});

/**
 * Settles keys that were left open, as somebody does by hand: what has taken effect as a whole is marked as done, and
 * anything else is removed, so that it runs again. Until it is stopped.
 *
 * @param idOf The event of a key.
 */
export function startOperator(
  { store, engine }: Mode,
  run: string,
  idOf: (key: string) => string,
  ledger: Ledger,
  log: Log,
): () => Promise<void> {
  const { open, done, free } = sqlFor(store === 'mariadb' ? '`key`' : 'key');
  const table = `keys_${run}`;
  const since = new Map<string, number>();
  let isStopped = false;

  async function look(): Promise<void> {
    const now = monotonic();
    const keys = (await ledger.query(open(table))).map(({ name }) => String(name));
    for (const key of since.keys()) if (!keys.includes(key)) since.delete(key);
    for (const key of keys) {
      if (!since.has(key)) since.set(key, now);
      const id = idOf(key);
      if (now - (since.get(key) ?? now) < OPEN_MS) continue;
      const ended = log.ended.get(id);
      // A process that was paused when its key was settled may leave it open once more.
      const [, again] = log.settled.filter((settled) => settled.id === id && settled.at > (ended?.at ?? 0));
      if (ended === undefined || again) {
        log.broken.push({ what: 'is open, and no handler ended its transaction', ids: [id] });
        await settle(key, id);
      } else if (isOver(ended, log) && (engine || log.unknown.has(id))) {
        // An operator knows what receivers report; workers of a queue report to its engine.
        await settle(key, id);
      }
    }
  }

  async function settle(key: string, id: string): Promise<void> {
    const parts = (await ledger.effects()).filter((effect) => effect.id === id).length;
    log.settled.push({ id, at: monotonic(), parts });
    if (parts === 2) return void (await ledger.query(done(table, key)));
    await ledger.query(`DELETE FROM effects WHERE run = '${run}' AND event_id = '${id}'`);
    await ledger.query(free(table, key));
  }

  async function watch(): Promise<void> {
    while (!isStopped) {
      await look();
      await sleep(LOOK_MS);
    }
  }
  const watching = watch();
  // Awaited when it is stopped.
  watching.catch(() => {});
  return () => {
    isStopped = true;
    return watching;
  };
}

/** Whether a handler writes nothing more: it has settled, or its process is dead. */
function isOver({ isOver, pid }: Ended, { outages }: Log): boolean {
  return isOver || outages.some((outage) => outage.kind === 'kill' && outage.pid === pid);
}

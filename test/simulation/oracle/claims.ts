import type { World } from '../kernel/world.js';
import type { PostgresService } from '../models/pg/service.js';

interface ClaimedRow {
  readonly key: string;
  /** The id of the transaction. */
  readonly owner: string;
}

const ASKED = /unnest\(ARRAY\[([^\]]*)\]\)[\s\S]*pg_try_advisory_xact_lock/;

/**
 * Watches the claims of transactions at the server: a key is refused only if it is recorded, or if a transaction claimed it
 * within the last lease; and the fencing tokens of a key grow.
 *
 * @param leaseMs Undefined if the server does not limit transactions.
 */
export function watchClaims(world: World, { server, database, onAnswer }: PostgresService, leaseMs?: number): void {
  const lastClaims = new Map<string, { readonly at: number; readonly token: bigint }>();
  onAnswer.push((text, results) => {
    const asked = ASKED.exec(text)?.[1];
    const rows = results.at(-1)?.rows as ClaimedRow[] | undefined;
    if (asked === undefined || rows === undefined) return;
    const claimed = new Map(rows.map(({ key, owner }) => [key, BigInt(owner)]));
    for (const key of asked.split(', ').map((quoted) => quoted.slice(1, -1))) {
      const last = lastClaims.get(key);
      const token = claimed.get(key);
      if (token !== undefined) {
        if (last && token <= last.token) {
          world.fail('fencing token did not grow', `${key} got ${token} after ${last.token}.`);
        }
        lastClaims.set(key, { at: world.now, token });
        continue;
      }
      const isRecorded = database.table('webhook_idempotency_keys').some((row) => Reflect.get(row, 'key') === key);
      if (isRecorded || leaseMs === undefined) continue;
      const frozenMs = server.pauses.reduce((sum, { from, to }) => sum + to - from, 0);
      if (!last || world.now - last.at > leaseMs + frozenMs + 1) {
        world.fail('stuck key', `${key} was refused, but the last claim of it was at ${last?.at} ms.`);
      }
    }
  });
}

import type { WebhookEvent } from '../../src/index.js';
import type { LeaseDatabase, SqlDatabase, SynchronousDatabase } from '../../src/stores/sql/index.js';

// biome-ignore lint/suspicious/noExplicitAny: each client has its own type of transactions
type Tx = any;

/** A client as its own documentation creates it. */
export type QuickStart = (urlOrFile: string) => Opened | Promise<Opened>;

interface Opened {
  readonly db: SqlDatabase<Tx> | SynchronousDatabase<Tx> | LeaseDatabase;
  /** What a handler does in a transaction; none if the client has leases only. */
  write?(tx: Tx, event: WebhookEvent): unknown;
  /** Where it writes. (Default: `transfers`.) */
  readonly table?: string;
  close(): unknown;
}

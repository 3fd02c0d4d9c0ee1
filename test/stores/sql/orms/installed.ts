import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { hasOtherPeers } from '../../../peers/other-peers.js';
import type { SqlClient } from '../client.js';

const orms = new URL('../../../../examples/orms/', import.meta.url);

/** What stands in the title of a suite that needs the ORMs. */
export const hasOrms = existsSync(new URL('generated/mysql', orms));
export const needsOrms = hasOrms ? '' : ' (skipped: no ORMs; npm run test:tier servers installs them)';

/** A file of examples/orms/testing, where the types of the ORMs stay. */
export async function importOrms<Module>(name: string): Promise<Module> {
  return await import(/* @vite-ignore */ fileURLToPath(new URL(`testing/${name}.ts`, orms)));
}

/** Clients of which `npm run test:tier peers` has no other version. */
const PINNED_ONCE = /Prisma|Sequelize/;

/** The clients of a database; none where the ORMs are not installed. */
export async function importClients(name: 'postgres' | 'mysql'): Promise<readonly SqlClient[]> {
  if (!hasOrms) return [];
  const { clients } = await importOrms<{ clients: readonly SqlClient[] }>(name);
  return hasOtherPeers ? clients.filter(({ title }) => !PINNED_ONCE.test(title)) : clients;
}

// biome-ignore lint/suspicious/noExplicitAny: each ORM has its own type of transactions
type Tx = any;

/** What the transactions of an ORM can do beyond statements. */
export interface Habits {
  readonly client: SqlClient;
  /** Runs a statement in a transaction within the transaction, and then `then`. */
  nested?(tx: Tx, text: string, then: () => Promise<void>): Promise<unknown>;
  /** Ways to end the transaction by the ORM, and whether they commit, or only give the connection back. */
  readonly endings?: Readonly<
    Record<string, { readonly commits: boolean; readonly releases?: boolean; end(tx: Tx): unknown }>
  >;
  /** What is refused in a transaction. */
  readonly refused?: Readonly<Record<string, (tx: Tx) => unknown>>;
  /** Begins a transaction within the transaction that nobody ends. */
  leaveOpen?(tx: Tx): Promise<unknown>;
}

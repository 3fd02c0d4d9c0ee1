import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { SqlClient } from '../client.js';

const orms = new URL('../../../../examples/orms/', import.meta.url);

/** What stands in the title of a suite that needs the ORMs. */
export const hasOrms = existsSync(new URL('generated/mysql', orms));
export const needsOrms = hasOrms ? '' : ' (skipped: no ORMs; npm run test:servers installs them)';

/** The clients of examples/orms/testing, where the types of the ORMs stay; none where the ORMs are not installed. */
export async function importClients(name: 'postgres' | 'mysql'): Promise<readonly SqlClient[]> {
  if (!hasOrms) return [];
  const path = fileURLToPath(new URL(`testing/${name}.ts`, orms));
  const { clients }: { clients: readonly SqlClient[] } = await import(/* @vite-ignore */ path);
  return clients;
}

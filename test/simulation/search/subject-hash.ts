import { createHash } from 'node:crypto';

/** Names the code that a schedule was found with. */
export function hashOf(bundle: string): string {
  return createHash('sha256').update(bundle).digest('hex').slice(0, 16);
}

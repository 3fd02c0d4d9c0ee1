import { expect } from 'vitest';
import type { LeaseTable } from '../../src/stores/leased-store.js';
import type { ClaimAnswer } from '../../src/stores/store.js';

/** The error of a store that does not answer. */
export const store503 = expect.objectContaining({ code: 'ERR_WEBHOOK_STORE', status: 503 });

/** A table in memory that can be told what goes wrong. */
export function fakeTable(wrong: Partial<LeaseTable> = {}) {
  const rows = new Map<string, { owner: string; done: boolean }>();

  function claim(key: string, owner: string): ClaimAnswer {
    const row = rows.get(key);
    if (row !== undefined) return row.done ? 'duplicate' : 'in-progress';
    rows.set(key, { owner, done: false });
    return {};
  }

  const right: LeaseTable = {
    claim: async (keys, owner) => new Map(keys.map((key) => [key, claim(key, owner)])),
    async record(keys, owner) {
      const recorded = keys.filter((key) => (rows.get(key)?.owner ?? owner) === owner);
      for (const key of recorded) rows.set(key, { owner, done: true });
      return new Set(recorded);
    },
    async release(keys, owner) {
      for (const key of keys) if (rows.get(key)?.owner === owner) rows.delete(key);
    },
  };
  return { rows, right, table: { ...right, ...wrong } };
}

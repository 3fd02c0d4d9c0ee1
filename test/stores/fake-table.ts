import type { LeaseTable } from '../../src/stores/leased-store.js';

/** A table in memory that can be told what goes wrong. */
export function fakeTable(wrong: Partial<LeaseTable> = {}) {
  const rows = new Map<string, { owner: string; done: boolean }>();
  const right: LeaseTable = {
    async claim(key, owner) {
      const row = rows.get(key);
      if (row !== undefined) return row.done ? 'duplicate' : 'in-progress';
      rows.set(key, { owner, done: false });
      return 'claimed';
    },
    async complete(key, owner) {
      if (rows.has(key) && rows.get(key)?.owner !== owner) return false;
      rows.set(key, { owner, done: true });
      return true;
    },
    async release(key, owner) {
      if (rows.get(key)?.owner === owner) rows.delete(key);
    },
  };
  return { rows, right, table: { ...right, ...wrong } };
}

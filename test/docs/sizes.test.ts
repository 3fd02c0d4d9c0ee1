import { expect, it } from 'vitest';
import { readPage } from './pages.js';

it('docs/hosts/runtimes.md states the sizes that the budgets allow', async () => {
  const { budgetOf } = await import('../../scripts/budgets.mjs');
  const { text } = readPage('docs/hosts/runtimes.md');
  const rows = [...text.matchAll(/^\| `([\w./-]+)` \| ([\d.]+) kB \| (?:([\d.]+) kB )?\|$/gm)];
  expect(rows.length).toBeGreaterThan(5);
  for (const [, name = '', node, edge] of rows) {
    const subpath = name === 'event-webhook-receiver' ? '.' : name;
    const stated = [Number(node), edge === undefined ? undefined : Number(edge)];
    const allowed = [budgetOf(subpath, 'node'), budgetOf(subpath, 'workerd')].map((bytes) => bytes / 1000);
    stated.forEach((size, at) => {
      // A budget leaves some bytes of room.
      if (size !== undefined) expect([subpath, Math.abs(size - (allowed[at] ?? 0)) <= 0.15]).toEqual([subpath, true]);
    });
  }
});

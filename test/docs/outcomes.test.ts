import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isPossible, type RunState } from '../../src/handle/outcome.js';

const page = readFileSync(new URL('../../docs/stores/your-own.md', import.meta.url), 'utf8');
const COLUMNS: readonly (readonly RunState[])[] = [['idle'], ['done'], ['failed'], ['running', 'late']];

/** The rows of the table of outcomes: the answer, and a cell for each state of the run. */
const rows = [...page.matchAll(/^\| `(handled|duplicate|in-progress|unknown)` \| (.*) \|$/gm)].map(
  ([, answer, cells = '']) => [answer, cells.split(' | ')] as const,
);

describe('the table of outcomes on the page about your own store', () => {
  it('has a row for each answer', () => {
    expect(rows.map(([answer]) => answer)).toEqual(['handled', 'duplicate', 'in-progress', 'unknown']);
  });

  it.each(rows)('says what the code does with %s', (answer, cells) => {
    for (const [index, cell] of cells.entries()) {
      for (const run of COLUMNS[index] ?? []) {
        expect([run, isPossible(answer, run, true, true)]).toEqual([run, cell !== 'error']);
        expect([run, isPossible(answer, run, false, true)]).toEqual([run, !/error|transactional/.test(cell)]);
      }
    }
  });
});

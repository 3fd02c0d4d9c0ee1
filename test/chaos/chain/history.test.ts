import { describe, expect, it } from 'vitest';
import { chainOf, FINAL_DEPTH, makeHistory } from './history.js';
import { allHappenings, shortIdOfKey } from './logs.js';

const settings = { events: 120, spreadMs: 2000, genesisAt: 1_700_000_000 };
const seeds = Array.from({ length: 20 }, (_, seed) => seed + 1);

describe('the chain of the chaos test', () => {
  it('has re-orgs, and blocks that are put back', () => {
    for (const seed of seeds) {
      const kinds = makeHistory({ ...settings, seed }).steps.map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === 're-org').length, `seed ${seed}`).toBeGreaterThan(1);
      expect(kinds, `seed ${seed}`).toContain('put back');
    }
  });

  it('grows with each step, and never removes a final block', () => {
    for (const seed of seeds) {
      const { steps } = makeHistory({ ...settings, seed });
      for (const [index, { head, final, added, removed }] of steps.entries()) {
        const before = steps[index - 1];
        expect(head.number).toBeGreaterThan(before?.head.number ?? -1);
        expect(final).toBe(Math.max(0, head.number - FINAL_DEPTH));
        for (const { number } of removed) expect(number).toBeGreaterThan(before?.final ?? 0);
        const expected = new Set([...chainOf(before?.head ?? head), ...added]);
        for (const block of removed) expected.delete(block);
        expect(new Set(chainOf(head))).toEqual(expected);
      }
    }
  });

  it('makes final everything that the chain ends with, and nothing else', () => {
    for (const seed of seeds) {
      const history = makeHistory({ ...settings, seed });
      const { all, finalSince } = allHappenings(history);
      const last = new Set(
        history.steps.flatMap(({ head }, at) => (at === history.steps.length - 1 ? chainOf(head) : [])),
      );
      for (const [id, { block }] of all) expect(finalSince.has(id)).toBe(last.has(block));
      expect(finalSince.size).toBeGreaterThan(40);
      expect(all.size).toBeGreaterThan(finalSince.size);
    }
  });

  it('reads an id from the key of a log, of a removal and of a transaction', () => {
    const key = `31337:0x${'ab'.repeat(32)}:0x${'cd'.repeat(32)}`;
    expect(shortIdOfKey(`${key}:7`)).toBe('ababababababab-7-cdcdcdcdcdcdcd');
    expect(shortIdOfKey(`${key}:7:removed`)).toBe('ababababababab-7-cdcdcdcdcdcdcd-r');
    expect(shortIdOfKey(key)).toBe('ababababababab-t-cdcdcdcdcdcdcd');
    expect(shortIdOfKey('event.emitted:8b6a')).toBeUndefined();
  });
});

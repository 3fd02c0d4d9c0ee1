import { describe, expect, it } from 'vitest';
import { type Filters, isFiltering, matcher, NO_FILTERS } from '../../../src/page/browser/filter.js';
import type { Summary } from '../../../src/page/browser/types.js';

const summary: Summary = {
  id: '7',
  at: 5000,
  target: 'http://127.0.0.1:3000/webhooks',
  label: 'Ledger',
  verdict: 'refused',
  status: 403,
  attempts: 1,
  bytes: 10,
  events: 1,
  kinds: ['event.emitted'],
  contracts: ['coin'],
  names: ['Transfer'],
  gist: '0xf39F… → 0x7099… · 4.5 TKN',
};
const matches = (change: Partial<Filters>, found?: ReadonlySet<string>) =>
  matcher({ ...NO_FILTERS, ...change }, found)({ seq: 0, summary });

describe('filters', () => {
  it('match everything until one is set', () => {
    expect(isFiltering(NO_FILTERS)).toBe(false);
    expect(isFiltering({ ...NO_FILTERS, text: '  ' })).toBe(false);
    expect(matches({})).toBe(true);
  });

  it.each<[Partial<Filters>, Partial<Filters>]>([
    [{ verdicts: ['accepted', 'refused'] }, { verdicts: ['accepted'] }],
    [{ kind: 'event.emitted' }, { kind: 'event' }],
    [{ contract: 'coin' }, { contract: 'deeds' }],
    [{ span: { from: 5000, to: 5001 } }, { span: { from: 4000, to: 5000 } }],
    [{ text: ' transfer ' }, { text: 'approval' }],
    [{ text: '4.5 tkn' }, { text: '4.6 tkn' }],
    [{ text: '403' }, { text: '500' }],
  ])('%j matches, and %j does not', (one, other) => {
    expect(isFiltering({ ...NO_FILTERS, ...one })).toBe(true);
    expect([matches(one), matches(other)]).toEqual([true, false]);
  });

  it('match what the server has found by the text', () => {
    expect(matches({ text: 'in the body' }, new Set(['7']))).toBe(true);
    expect(matches({ text: 'in the body', kind: 'other' }, new Set(['7']))).toBe(false);
  });
});

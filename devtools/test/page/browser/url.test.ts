import { describe, expect, it } from 'vitest';
import { NO_FILTERS } from '../../../src/page/browser/filter.js';
import { fromHash, toHash } from '../../../src/page/browser/url.js';

describe('the address of the page', () => {
  it('is empty for the list without filters', () => {
    expect(toHash({ open: undefined, filters: { ...NO_FILTERS, text: '  ' } })).toBe('');
    expect(fromHash('')).toEqual({ open: undefined, filters: NO_FILTERS });
  });

  it('keeps the open delivery and every filter, whatever is in them', () => {
    const place = {
      open: 'r1',
      filters: {
        verdicts: ['accepted', 'failed'] as const,
        kind: 'a&b=#c',
        contract: 'ünï 🎈',
        text: '0xF39F… → 1,5 %',
        span: { from: 1000, to: 2000 },
      },
    };
    expect(fromHash(`#${toHash(place)}`)).toEqual(place);
  });

  it('ignores what it does not know', () => {
    expect(fromHash('#list').filters).toEqual(NO_FILTERS);
    expect(fromHash('#verdict=odd&verdict=refused&from=x&to=2&other=1').filters).toEqual({
      ...NO_FILTERS,
      verdicts: ['refused'],
    });
  });
});

import { describe, expect, it } from 'vitest';
import { ageOf, signedAt } from '../../../src/page/browser/detail/age.js';
import { explorerUrl } from '../../../src/page/browser/detail/explorer-url.js';
import { groupsOf, isNumber } from '../../../src/page/browser/detail/groups.js';
import { statusLine } from '../../../src/page/browser/detail/status-text.js';
import { duration } from '../../../src/page/browser/shared/format.js';
import type { State } from '../../../src/page/browser/types.js';

it('groups digits from the right, and only those of numbers', () => {
  expect(groupsOf('-1234567.0001')).toEqual({ sign: '-', groups: ['1', '234', '567'], fraction: '.0001' });
  expect(groupsOf('123456').groups).toEqual(['123', '456']);
  expect(['1', '-0.5', '1e3', '0x1', '', '1.', '1 2'].map(isNumber)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});

it('names a status', () => {
  expect([statusLine(403), statusLine(299)]).toEqual(['403 Forbidden', '299']);
});

describe('the age of a timestamp', () => {
  const attempt = (value: string) => ({ headers: [['x-timestamp', value]] as const });
  it('is read from the header, whatever its case', () => {
    expect(signedAt(attempt('1700000000'), 'X-Timestamp')).toBe(1_700_000_000_000);
    expect(signedAt(attempt('1700000000'), 'X-Other')).toBeUndefined();
    for (const odd of ['', 'soon', '1.5', '-1', '9'.repeat(12)])
      expect(signedAt(attempt(odd), 'X-Timestamp')).toBeUndefined();
  });

  it.each([
    [0, 999, 'signed in the same second'],
    [0, 2_100, 'signed 2 s before it was sent'],
    [0, 300_000, 'signed 5 min before it was sent'],
    [0, 4 * 3_600_000, 'signed 4 h before it was sent'],
    [61_000, 1_000, 'its timestamp is 60 s ahead'],
  ])('%d signed, %d sent: %s', (signed, sent, text) => {
    expect(ageOf(signed, sent)).toBe(text);
  });
});

describe('explorerUrl', () => {
  const state = (tx: string) => ({ chain: { explorer: { tx, address: tx, block: tx } } }) as unknown as State;
  const hash = `0x${'a1'.repeat(32)}`;
  it('fills in the template', () => {
    expect(explorerUrl(state('https://explorer.example/tx/{}'), 'tx', hash)).toBe(
      `https://explorer.example/tx/${hash}`,
    );
    expect(explorerUrl(state('http://explorer.example/{}'), 'block', '17')).toBe('http://explorer.example/17');
  });

  it('links to nothing but http and https, and fills in nothing but hashes, addresses and block numbers', () => {
    for (const template of ['javascript:alert("{}")', 'data:text/html,{}', '//elsewhere/{}', 'https://', '']) {
      expect(explorerUrl(state(template), 'tx', hash)).toBeUndefined();
    }
    for (const value of ['../..', `${hash}/..`, '0x', 'x"onclick']) {
      expect(explorerUrl(state('https://explorer.example/{}'), 'tx', value)).toBeUndefined();
    }
    expect(explorerUrl(undefined, 'tx', hash)).toBeUndefined();
  });
});

it('gives durations no more digits than were measured, and no 60 s of a minute', () => {
  const texts = [0.44, 3, 9.96, 999.4, 999.6, 59_940, 59_960, 119_600].map(duration);
  expect(texts).toEqual(['0.4 ms', '3 ms', '10 ms', '999 ms', '1.0 s', '59.9 s', '1 min 0 s', '2 min 0 s']);
});

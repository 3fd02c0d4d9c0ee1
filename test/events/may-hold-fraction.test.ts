import { expect, it } from 'vitest';
import { mayHoldFraction } from '../../src/events/exact-json.js';

it.each([
  '[1.5]',
  '[-1.5]',
  '[0.5]',
  '[9.5]',
  '[10.5]',
  '[0,1.5]',
  '[ \t\r\n1.5]',
  '[ -1.5]',
  '{"a":1.5}',
  '{"a" \t\r\n: \t\r\n-1.5}',
  '["1.2.3",1.5]',
  '[1e-3]',
  '[12E-3]',
  '[-1e-3]',
  '{"a":1e-3}',
  '["a-b","e-1",0,1e-3]',
])('sees the number in %s', (text) => {
  expect(mayHoldFraction(text)).toBe(true);
});

it.each([
  '[]',
  '[1,-1,1e3,1e+3,12]',
  '["1.5","-1.5","1e-3","1E-3"]',
  '{"1.5":"1e-3"}',
  '["v1.5","x-1","e-1","-","."]',
  '["a:1.5","1:1e-3","1: 1.5"]',
  '["2026-01-02T03:04:05.678Z"]',
])('sees none in %s', (text) => {
  expect(mayHoldFraction(text)).toBe(false);
});

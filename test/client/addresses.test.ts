import { expect, it } from 'vitest';
import { isLoopback, isSameUrl } from '../../src/client/addresses.js';

it.each(['localhost', 'LOCALHOST', 'api.localhost', '127.0.0.1', '127.255.0.9', '::1', '[::1]'])(
  '%s is a loopback host',
  (host) => {
    expect(isLoopback(host)).toBe(true);
  },
);

it.each([
  '',
  'localhost.example',
  'notlocalhost',
  '.localhost',
  '127.0.0.1.example',
  '128.0.0.1',
  '0.0.0.0',
  '::',
  '::ffff:127.0.0.1',
])('%j is not a loopback host', (host) => {
  expect(isLoopback(host)).toBe(false);
});

it.each([
  ['no url', 'no url', true],
  ['no url', 'other', false],
  ['https://shop.example', 'no url', false],
  ['no url', 'https://shop.example', false],
  ['https://SHOP.example:443', 'https://shop.example/', true],
])('%j and %j are the same URL: %j', (a, b, isSame) => {
  expect(isSameUrl(a, b)).toBe(isSame);
});

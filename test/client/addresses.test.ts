import { expect, it } from 'vitest';
import { apiAddress, isLoopback, isSameUrl } from '../../src/client/addresses.js';

it.each<[host: string, expected: boolean]>([
  ...['LOCALHOST', 'localhost', 'api.localhost', '127.255.0.9', '[::1]'].map((host): [string, boolean] => [host, true]),
  ...['', 'notlocalhost', '.localhost', '127.0.0.1.example', '128.0.0.1', '0.0.0.0', '::ffff:127.0.0.1'].map(
    (host): [string, boolean] => [host, false],
  ),
])('isLoopback of %j is %j', (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});

it.each([
  ['no url', 'no url', true],
  ['no url', 'https://shop.example', false],
  ['https://shop.example', 'no url', false],
  ['https://SHOP.example:443', 'https://shop.example/', true],
])('%j and %j are the same URL: %j', (a, b, isSame) => {
  expect(isSameUrl(a, b)).toBe(isSame);
});

it.each([
  ['https://a.example', 'https://A.Example/', true],
  ['https://a.example', 'https://a.example/api/v0', true],
  ['https://localhost:8545/t', 'http://localhost:8545/t/api/v0/', true],
  ['https://a.example/t', 'https://a.example', false],
  ['https://a.example/a:1', 'https://a.example/a', false],
  ['https://a.example/%3A', 'https://a.example/:', false],
])('%s and %s are one service: %s', (a, b, isSame) => {
  expect(apiAddress(a).service === apiAddress(b).service).toBe(isSame);
});

import { expect, it } from 'vitest';
import { isLoopback } from '../../src/client/addresses.js';

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

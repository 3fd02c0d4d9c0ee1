import { expect, it } from 'vitest';
import { isLoopback } from '../src/guards.js';

it.each(['localhost', 'LOCALHOST', 'shop.localhost', '127.0.0.1', '127.9.9.9', '::1', '[::1]'])(
  '%s is this machine',
  (host) => {
    expect(isLoopback(host)).toBe(true);
  },
);

it.each(['notlocalhost', 'localhost.example', '127.0.0.1.example', '128.0.0.1', '0.0.0.0', '::', '.localhost', ''])(
  '%j is not known to be this machine',
  (host) => {
    expect(isLoopback(host)).toBe(false);
  },
);

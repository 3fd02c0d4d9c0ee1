import { createSecretKey } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { hmacHex } from '../../src/runtime/hmac-node.js';

vi.mock('node:crypto', { spy: true });

const MOST = 64;

/** How many secrets are imported as keys while the body is signed with each of these. */
function imported(...secrets: string[]): number {
  vi.mocked(createSecretKey).mockClear();
  for (const secret of secrets) hmacHex('[]', '1', secret);
  return vi.mocked(createSecretKey).mock.calls.length;
}

it('a secret in use is imported as a key once; a 65th takes the place of the 64 that are kept', () => {
  const secrets = Array.from({ length: MOST }, (_, index) => `secret ${index}`);
  expect(imported(...secrets)).toBe(MOST);
  expect(imported(...secrets, ...secrets)).toBe(0);
  expect(imported('one more', 'one more')).toBe(1);
  expect(imported(...secrets)).toBe(MOST);
});

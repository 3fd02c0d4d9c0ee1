import { afterAll, expect, it, vi } from 'vitest';
import { cases, type Verify } from './signature.cases.js';

// The files of a worker may share modules, so this one loads its own.
vi.resetModules();
vi.doMock('#runtime', () => import('../../src/runtime/edge.js'));
const { verifySignature } = await import('../../src/signature/verify-signature.js');
afterAll(() => {
  vi.doUnmock('#runtime');
  vi.resetModules();
});

it.each(cases)('without Node modules, verifySignature gives $expected for $name', ({ args, expected }) => {
  expect((verifySignature as Verify)(...args)).toBe(expected);
});

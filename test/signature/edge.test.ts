import { expect, it, vi } from 'vitest';
import { verifySignature } from '../../src/signature/verify-signature.js';
import { cases, type Verify } from './signature.cases.js';

vi.mock('#runtime', () => import('../../src/runtime/edge.js'));

it.each(cases)('without Node modules, verifySignature gives $expected for $name', ({ args, expected }) => {
  expect((verifySignature as Verify)(...args)).toBe(expected);
});

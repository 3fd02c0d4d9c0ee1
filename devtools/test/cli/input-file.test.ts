import { expect, it } from 'vitest';
import { fileReason } from '../../src/cli/input-file.js';

it.each([
  [{ code: 'EISDIR' }, 'it is a directory'],
  [{ code: 'EIO' }, 'EIO'],
  [new Error('no code'), 'it cannot be read'],
])('says why %j kept a file from being read', (error, reason) => {
  expect(fileReason(error)).toBe(reason);
});

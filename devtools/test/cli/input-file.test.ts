import { expect, it } from 'vitest';
import { fileReason } from '../../src/cli/input-file.js';

it.each([
  [{ code: 'EISDIR' }, 'it is a directory'],
  [{ code: 'EIO' }, 'EIO'],
  [new Error('no code'), 'unknown error'],
])('says why a file could not be read: %j', (error, reason) => {
  expect(fileReason(error)).toBe(reason);
});

import { describe, expect, it } from 'vitest';
import { Problem } from '../../src/evm/decode-error.js';
import { DecodeError } from '../../src/evm/index.js';

describe('a DecodeError', () => {
  it.each([
    ['i'.repeat(80), `"${'i'.repeat(80)}"`],
    ['i'.repeat(81), `"${'i'.repeat(80)}…"`],
    ['a "b"\n', '"a \\"b\\"\\n"'],
  ])('has an id whole, and clipped and quoted in its message: %j', (id, shown) => {
    const error = new DecodeError('ERR_WEBHOOK_DECODE', { id }, 'value', 'is bad.');
    expect(error).toMatchObject({ name: 'DecodeError', code: 'ERR_WEBHOOK_DECODE', input: 'value', reason: 'is bad.' });
    expect(error).toMatchObject({ eventId: id, message: `Event ${shown}, value: is bad.` });
  });
});

describe('a problem', () => {
  it('has the path of the steps to it, and other errors have none', () => {
    const path = (error: unknown) => Problem.at('[2]', Problem.at('.fee', error));
    expect(path(new Problem('is bad.'))).toMatchObject({ path: '[2].fee', message: 'is bad.' });
    const defect = new TypeError('a defect');
    expect(path(defect)).toBe(defect);
    expect(defect).not.toHaveProperty('path');
    expect(path('text')).toBe('text');
  });
});

import { describe, expect, it } from 'vitest';
import { allPoints, goString } from '../../../test/fixtures/go-json.js';
import { writeEvents } from '../../src/service/emission.js';

describe('the local service writes JSON as Go does', () => {
  it('with every code point in text and in keys', () => {
    for (const points of allPoints()) {
      const text = points.map((point) => String.fromCodePoint(point)).join('');
      const [written] = writeEvents([{ id: text, [`_${text}`]: [text] }], true);
      const expected = `{"id":${goString(text)},${goString(`_${text}`)}:[${goString(text)}]}`;
      expect(written?.json === expected, `from ${points[0]}`).toBe(true);
    }
  });
});

import { expect, it } from 'vitest';
import { parseExactJson } from '../../../src/events/exact-json.js';
import { describeShared, sharedBytes, sharedText } from '../../shared.js';
import { differenceFrom, parseReference } from './reference.js';

const folder = 'vectors/json-test-suite';

/** The text of a body; undefined if it is not UTF-8. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function isAccepted(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describeShared('JSONTestSuite', `${folder}/manifest.json`, () => {
  const { cases } = JSON.parse(sharedText(`${folder}/manifest.json`)) as { cases: { file: string; klass: string }[] };
  const texts = cases.flatMap(({ file, klass }) => {
    const text = textOf(sharedBytes(`${folder}/files/${file}`));
    return text === undefined ? [] : [{ file, klass, text }];
  });
  const accepted = texts.filter(({ text }) => isAccepted(text));

  it('has valid texts, all of which are accepted, and invalid ones, none of which is', () => {
    expect(accepted.filter(({ klass }) => klass === 'y')).toHaveLength(95);
    expect(accepted.some(({ klass }) => klass === 'n')).toBe(false);
  });

  it.each(accepted)('$file: as another parser reads it, with every number exact or as its digits', ({ text }) => {
    expect(differenceFrom(parseReference(text), parseExactJson(text))).toBeUndefined();
  });

  it.each(texts.filter(({ klass }) => klass === 'n'))('$file: the other parser rejects it too', ({ text }) => {
    expect(() => parseReference(text)).toThrow();
  });
});

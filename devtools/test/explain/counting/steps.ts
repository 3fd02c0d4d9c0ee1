import { bodySteps, viewOf } from '../../../src/explain/body.js';
import { isBoundaryMoved } from '../../../src/explain/boundary.js';
import { utf8 } from '../../../src/explain/bytes.js';
import { inspectParts } from '../../../src/explain/inspect.js';
import { readOptions } from '../../../src/explain/options.js';
import { readSecret } from '../../../src/explain/secret.js';
import { formOfSignature, readSignature } from '../../../src/explain/signature.js';
import { readTimestamp } from '../../../src/explain/timestamp.js';

export { frames, repeated, timesIn, units } from './units.js';

/** A step that takes a text; what it gives is to be called, which is what is measured. */
type Prepare = (text: string) => () => unknown;

const timestamp = '1795176000';
const ordinary = { rawBody: '[]', signature: 'ab'.repeat(32), timestamp, secret: 'whsec-test', now: 1795176000000 };

const fields: readonly (readonly [field: string, options: (text: string) => object])[] = [
  ['rawBody', (text) => ({ rawBody: text })],
  ['rawBody as bytes', (text) => ({ rawBody: utf8(text) })],
  ['rawBody as parsed', (text) => ({ rawBody: { text } })],
  ['signature', (text) => ({ signature: text })],
  ['signature as bytes', (text) => ({ signature: utf8(text) })],
  ['signature as a list', (text) => ({ signature: [text, text] })],
  ['timestamp', (text) => ({ timestamp: text })],
  ['secret', (text) => ({ secret: text })],
  ['secret as bytes', (text) => ({ secret: utf8(text) })],
  ['secret as a list', (text) => ({ secret: Array.from({ length: 20 }, () => text) })],
  ['otherSecrets', (text) => ({ otherSecrets: { text } })],
  ['a label of otherSecrets', (text) => ({ otherSecrets: { [text]: 'other' } })],
];

/** Those of secrets and headers, of which longer ones are not read. */
export const shortSteps: ReadonlyMap<string, Prepare> = new Map<string, Prepare>([
  ['what a secret may stand for', (text) => () => readSecret(text)],
  ['what a signature may stand for', (text) => () => readSignature(text)],
  ['the form of a signature', (text) => () => formOfSignature(text)],
  ['what a timestamp may stand for', (text) => () => readTimestamp(text)],
  ['the forms of a time', (text) => () => readTimestamp(`${timestamp}${' '.repeat(text.length)}`)],
]);

/** Each step of explainFailure by itself. */
export const steps: ReadonlyMap<string, Prepare> = new Map<string, Prepare>([
  [
    'the view of a body',
    (text) => {
      const bytes = utf8(text);
      return () => viewOf(bytes);
    },
  ],
  ...Object.entries(bodySteps).map(([name, step]): readonly [string, Prepare] => [
    `the body, ${name}`,
    (text) => {
      // Read for all of them once.
      const read = viewOf(utf8(text));
      return () => step(read);
    },
  ]),
  ['the seam in a body', (text) => () => isBoundaryMoved(readOptions({ ...ordinary, rawBody: text }))],
  ['the seam in a timestamp', (text) => () => isBoundaryMoved(readOptions({ ...ordinary, timestamp: text }))],
  ...fields.flatMap(([field, options]): (readonly [string, Prepare])[] => [
    [`reading ${field}`, (text) => () => readOptions({ ...ordinary, ...options(text) })],
    [
      `the form of ${field}`,
      (text) => {
        const given = readOptions({ ...ordinary, ...options(text) });
        return () => inspectParts(given);
      },
    ],
  ]),
  ...shortSteps,
]);

/** What the measurement is to find: steps whose work grows with the square of the text. */
export const quadratic: ReadonlyMap<string, Prepare> = new Map<string, Prepare>([
  [
    'a loop in a loop',
    (text) => () => {
      let equal = 0;
      for (const a of text) for (const b of text) if (a === b) equal++;
      return equal;
    },
  ],
  ['a native function in a loop', (text) => () => Array.from(text).filter((_, at) => text.includes('none', at))],
  ['marks that are put in order', (text) => () => `a${text}`.normalize('NFD')],
  [
    'text that is looked through from each place',
    (text) => () => Array.from(text, (_, at) => text.indexOf('\uffff', at)),
  ],
]);

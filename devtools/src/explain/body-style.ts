import type { BodyView, Step, Undone } from './body-view.js';
import { join, utf8 } from './bytes.js';
import type { Fault } from './finding.js';
import { compact, indented, type Layout, laidOut, spaced } from './json-layout.js';
import { asSent, type Order, ordered, sorted } from './json-order.js';
import { endOfToken, isDigit } from './json-scan.js';
import { escapesMore, spelled, spellings } from './json-spelling.js';

const raw =
  "Verify the bytes as received: in Express, mount the route before app.use(express.json()), or give it express.raw({ type: 'application/json' }) and pass req.body; in Fastify, Nest, Lambda and Fetch pass the raw body (await request.arrayBuffer()). expressHandler and the other adapters do this for you.";

const faults = {
  reserialized: {
    cause: 'body-reserialized',
    what: 'The body was parsed and serialized again. The service writes &, < and > as \\u0026, \\u003c and \\u003e; JSON.stringify does not, and changes other spellings too.',
    fix: raw,
  },
  escaped: {
    cause: 'body-escaped',
    what: 'The body was serialized again by something that escapes characters (\\u…, \\/) that were sent unescaped.',
    fix: raw,
  },
  pretty: {
    cause: 'body-pretty-printed',
    what: 'The body was pretty-printed; compact JSON was signed.',
    fix: `${raw} If it was saved for a test, save the bytes: no formatter, no JSON.stringify(…, null, 2), no jq.`,
  },
  minified: {
    cause: 'body-minified',
    what: 'The body is compact; JSON with white space between its values was signed.',
    fix: `${raw} If you sign it yourself, sign the text that you send.`,
  },
  keys: {
    cause: 'body-keys-reordered',
    what: 'The keys of the body are not in the order in which they were sent.',
    fix: `${raw} Python's sort_keys, a Map, jsonb of Postgres and many loggers reorder keys.`,
  },
  numbers: {
    cause: 'body-numbers-rounded',
    what: 'A number in the body changed: parsing turned 1.0 into 1, or rounded a large number.',
    fix: raw,
  },
} satisfies Record<string, Fault>;

/** A body with a rounded number, whose lost digits cannot be restored. */
export const rounded: Fault = faults.numbers;

/** `same` leaves strings unchanged. */
type Spelled = keyof typeof spellings | 'same';

const TRIED: readonly (readonly [Layout, Spelled])[] = [
  [compact, 'go'],
  [compact, 'same'],
  [compact, 'javascript'],
  [indented(' ', 2), 'go'],
  [indented(' ', 2), 'same'],
  [indented(' ', 2), 'javascript'],
  [spaced, 'python'],
  [spaced, 'same'],
  [spaced, 'javascript'],
  [compact, 'olderGo'],
  [compact, 'python'],
  [compact, 'php'],
  [indented(' ', 4), 'same'],
  [indented(' ', 4), 'go'],
  [indented(' ', 4), 'python'],
  [indented('\t', 1), 'same'],
  [indented('\t', 1), 'go'],
];

/** Serializes valid JSON in the style of a program. */
export const rewritten = (json: Uint8Array, layout: Layout, spelling: Spelled): Uint8Array =>
  laidOut(spelling === 'same' ? json : spelled(json, spellings[spelling]), layout);

const ofJson = (undo: (view: BodyView) => Iterable<Undone>): Step =>
  function* ofJson(view) {
    if (view.kind !== undefined) yield* undo(view);
  };

const isEscaped = ({ bytes, looks }: BodyView, spelling: Spelled) =>
  looks.escaped && spelling !== 'same' && escapesMore(bytes, spellings[spelling]);

const restyled = (layout: Layout, spelling: Spelled) =>
  ofJson(function* restyled(view) {
    const { bytes, looks } = view;
    const written = rewritten(bytes, layout, spelling);
    if (looks.space === 'indented') yield [written, faults.pretty];
    else if (looks.space === 'spaced') yield [written, faults.reserialized];
    else if (layout !== compact) yield [written, faults.minified];
    else yield [written, isEscaped(view, spelling) ? faults.escaped : faults.reserialized];
  });

const replaced = (spelling: Spelled): Step =>
  function* replaced(view) {
    if (view.text?.includes('\ufffd')) yield* restyled(compact, spelling)(view);
  };

/** Keys of larger bodies are not reordered: the index takes many times their size. */
const MOST_ORDERED = 512 * 1024;

const reordered = (order: Order, spelling: Spelled) =>
  ofJson(function* reordered({ bytes }) {
    if (bytes.length <= MOST_ORDERED) yield [ordered(rewritten(bytes, compact, spelling), order), faults.keys];
  });

const MOST_NUMBERS = 24;
const FRACTION = utf8('.0');

/** Restores a fraction to each whole number in turn. */
const unrounded = ofJson(function* unrounded({ bytes }) {
  let left = MOST_NUMBERS;
  for (let at = 0, end = 0; at < bytes.length && left > 0; at = end) {
    end = endOfToken(bytes, at);
    if (!isDigit(bytes[end - 1]) || !bytes.subarray(at + 1, end).every(isDigit)) continue;
    yield [join(bytes.subarray(0, end), FRACTION, bytes.subarray(end)), faults.numbers];
    left--;
  }
});

/** Steps that undo parsing and serializing again. */
export const styleSteps: readonly Step[] = [
  ...TRIED.map(([layout, spelling]) => restyled(layout, spelling)),
  replaced('goReplacing'),
  replaced('olderGoReplacing'),
  reordered(asSent, 'go'),
  reordered(asSent, 'same'),
  reordered(sorted, 'go'),
  reordered(sorted, 'same'),
  unrounded,
];

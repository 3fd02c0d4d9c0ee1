import type { Fault } from './fault.js';
import {
  compact,
  goEscapes,
  indented,
  type Json,
  kindOf,
  type Layout,
  type Looks,
  looksOf,
  type Member,
  readJson,
  spaced,
  spellings,
  writeJson,
} from './json-text.js';

const raw =
  "Verify the bytes as they came: in Express mount the route before app.use(express.json()), or give it express.raw({ type: 'application/json' }) and pass req.body; in Fastify, Nest, Lambda and Fetch pass the raw body (await request.arrayBuffer()). expressHandler and the other adapters do so by themselves.";

const faults = {
  reserialized: {
    cause: 'body-reserialized',
    what: 'The body was parsed and serialised again: the service writes &, < and > as \\u0026, \\u003c and \\u003e, and JSON.stringify does not, nor does it keep other spellings.',
    fix: raw,
  },
  escaped: {
    cause: 'body-escaped',
    what: 'The body was serialised again by something that escapes characters (\\u…, \\/) which were sent as they are.',
    fix: raw,
  },
  pretty: {
    cause: 'body-pretty-printed',
    what: 'The body was laid out over several lines; what was signed is compact.',
    fix: `${raw} Where it was saved for a test, save the bytes: no formatter, no JSON.stringify(…, null, 2), no jq.`,
  },
  minified: {
    cause: 'body-minified',
    what: 'The body is compact; what was signed has white space between its values.',
    fix: `${raw} Where you sign it yourself, sign the text that you send.`,
  },
  keys: {
    cause: 'body-keys-reordered',
    what: 'The keys of the body are in another order than they were sent in.',
    fix: `${raw} Python's sort_keys, a Map, jsonb of Postgres and many loggers reorder keys.`,
  },
  numbers: {
    cause: 'body-numbers-rounded',
    what: 'A number in the body is not as it was sent: parsing made 1.0 a 1, or rounded a large one.',
    fix: raw,
  },
} satisfies Record<string, Fault>;

/** A body with a rounded number in it, where nothing can give the digits back. */
export const rounded: Fault = faults.numbers;

type Spelling = keyof typeof spellings;

const TRIED: readonly (readonly [Layout, Spelling])[] = [
  [compact, 'go'],
  [compact, 'same'],
  [compact, 'javascript'],
  [indented('  '), 'go'],
  [indented('  '), 'same'],
  [indented('  '), 'javascript'],
  [spaced, 'python'],
  [spaced, 'same'],
  [spaced, 'javascript'],
  [compact, 'olderGo'],
  [compact, 'python'],
  [compact, 'php'],
  [indented('    '), 'same'],
  [indented('    '), 'go'],
  [indented('    '), 'python'],
  [indented('\t'), 'same'],
  [indented('\t'), 'go'],
];

/** Over a larger body than this, only the most frequent of these faults are tried: a tree of it takes memory. */
const LARGE = 1024 * 1024;

/** The texts that a body may have been before something parsed it and wrote it again. */
export function* restyled(text: string): Generator<readonly [text: string, fault: Fault]> {
  const kind = kindOf(text);
  if (kind === undefined) return;
  const looks = looksOf(text);
  if (text.length > LARGE) {
    const smaller = looks.space === 'none' ? text : JSON.stringify(JSON.parse(text));
    yield [goEscapes(smaller), faultOf(looks, compact, true)];
    return;
  }
  const tree = readJson(text);
  for (const [layout, spelling] of TRIED) {
    const written = writeJson(tree, layout, spellings[spelling]);
    yield [written, faultOf(looks, layout, written.length > text.length)];
  }
  yield* reordered(tree);
  yield* unrounded(text);
}

function faultOf({ space, escaped }: Looks, layout: Layout, longer: boolean): Fault {
  if (space === 'indented') return faults.pretty;
  if (space === 'spaced') return faults.reserialized;
  if (layout !== compact) return faults.minified;
  return escaped && !longer ? faults.escaped : faults.reserialized;
}

/** The keys of the service's objects in the order in which it writes them. */
const SHAPES = [
  'id event data',
  'triggeredAt event transaction',
  'name signature inputs rawFields contract indexInLog',
  'name value hashed type',
  'address addressLabel addressAlias name label',
  'from txData txHash txIndexInBlock blockHash blockNumber contract method',
  'name signature inputs',
  'tx status from failed blockNumber blockHash resubmissionAttempts successfulResubmissions createdAt updatedAt',
  'type chainId nonce to gas gasPrice maxPriorityFeePerGas maxFeePerGas value input accessList v r s yParity hash',
].map((shape) => shape.split(' ').map((key) => `"${key}"`));

/** In the order of the shape that has most of the keys; those that it has not follow as they are. */
function asSent(members: readonly Member[]): readonly Member[] {
  const known = (shape: readonly string[]) => members.filter(([key]) => shape.includes(key)).length;
  const [shape = []] = [...SHAPES].sort((a, b) => known(b) - known(a) || a.length - b.length);
  const rank = (key: string) => (shape.includes(key) ? shape.indexOf(key) : shape.length);
  return [...members].sort(([a], [b]) => rank(a) - rank(b));
}

const sorted = (members: readonly Member[]) => [...members].sort(([a], [b]) => (a < b ? -1 : 1));

function rearranged(json: Json, order: (members: readonly Member[]) => readonly Member[]): Json {
  if (typeof json === 'string') return json;
  if ('items' in json) return { items: json.items.map((each) => rearranged(each, order)) };
  return { members: order(json.members.map(([key, value]) => [key, rearranged(value, order)])) };
}

function* reordered(tree: Json): Generator<readonly [text: string, fault: Fault]> {
  for (const order of [asSent, sorted]) {
    const other = rearranged(tree, order);
    for (const spelling of ['go', 'same'] as const) yield [writeJson(other, compact, spellings[spelling]), faults.keys];
  }
}

const MOST_NUMBERS = 24;

/** With a fraction given back to each whole number in turn, and to all of them. */
function* unrounded(text: string): Generator<readonly [text: string, fault: Fault]> {
  const ends: number[] = [];
  // It looks behind from digits alone: from each space of many it would take as long as their number squared.
  for (const { 0: number, index } of text.matchAll(/(?=[-0-9])(?<=[[:,]\s*)-?[0-9]+(?=\s*[,\]}])/g))
    ends.push(index + number.length);
  for (const end of ends.slice(0, MOST_NUMBERS)) yield [`${text.slice(0, end)}.0${text.slice(end)}`, faults.numbers];
}

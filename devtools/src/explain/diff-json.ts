import { fromCodes, sameBytes, textOf } from './bytes.js';
import { MOST_CHANGES } from './diff-bytes.js';
import { compact, laidOut } from './json-layout.js';
import { plainNumber, withPlainNumbers } from './json-numbers.js';
import { DEEPEST, endsOf, type Member, membersOf, ordered, sorted } from './json-order.js';
import { isOpening, kindOf, OBJECT } from './json-scan.js';
import { spelled, spellings } from './json-spelling.js';
import { withoutEnd } from './text.js';

/** How two texts of the same JSON differ. */
export type JsonFormat = 'whitespace' | 'escapes' | 'numbers' | 'order';

/** A value of JSON that differs. Both are JSON text, cut; one is undefined where the value was added or removed. */
export interface ValueChange {
  /** Such as `[0].data.event.name`; empty for the whole body. */
  readonly path: string;
  readonly signed?: string | undefined;
  readonly received?: string | undefined;
}

export interface JsonDiff {
  /** What differs besides the values, where the values are equal. */
  readonly format: readonly JsonFormat[];
  readonly values: readonly ValueChange[];
  readonly more: boolean;
}

type Pair = readonly [signed: Uint8Array, received: Uint8Array];

const STEPS: Readonly<Record<JsonFormat, (json: Uint8Array) => Uint8Array>> = {
  whitespace: (json) => laidOut(json, compact),
  escapes: (json) => spelled(json, spellings.javascript),
  numbers: withPlainNumbers,
  order: (json) => ordered(json, sorted),
};
const isSameThrough = (pair: Pair, ...formats: readonly JsonFormat[]): boolean => {
  const [signed, received] = through(pair, formats);
  return sameBytes(signed, received);
};

function through(pair: Pair, formats: readonly JsonFormat[]): Pair {
  const [signed, received] = pair.map((json) => formats.reduce((written, format) => STEPS[format](written), json));
  return [signed as Uint8Array, received as Uint8Array];
}

/** How many bytes of white space JSON has. */
const spaceIn = (json: Uint8Array) => json.length - STEPS.whitespace(json).length;

/** What differs between two texts of the same JSON: what has to be undone so that they are equal. */
function formatsOf(pair: Pair): JsonFormat[] {
  const found: JsonFormat[] = [];
  const isOrdered = isSameThrough(pair, 'whitespace', 'escapes', 'numbers');
  const order: JsonFormat[] = isOrdered ? [] : ['order'];
  // Sorting removes white space too.
  const isSameSpace = isOrdered ? isSameThrough(pair, 'escapes', 'numbers') : spaceIn(pair[0]) === spaceIn(pair[1]);
  if (!isSameSpace) found.push('whitespace');
  if (!isSameThrough(pair, 'whitespace', 'numbers', ...order)) found.push('escapes');
  if (!isSameThrough(pair, 'whitespace', 'escapes', ...order)) found.push('numbers');
  return [...found, ...order];
}

const isJson = (bytes: Uint8Array) => textOf(bytes) !== undefined && kindOf(bytes) !== undefined;

/** The difference between two JSON texts; undefined if one is not JSON or is nested too deeply. */
export function diffJson(signed: Uint8Array, received: Uint8Array): JsonDiff | undefined {
  if (!isJson(signed) || !isJson(received)) return undefined;
  const pair: Pair = [signed, received];
  const values = changedValues(through(pair, ['whitespace', 'escapes']));
  if (values === undefined) return undefined;
  const format = values.length === 0 ? formatsOf(pair) : [];
  return { format, values: values.slice(0, MOST_CHANGES), more: values.length > MOST_CHANGES };
}

const LONGEST_VALUE = 200;
const LONGEST_KEY = 80;
const lossy = new TextDecoder();

function cut(json: Uint8Array, longest: number): string {
  if (json.length <= longest) return lossy.decode(json);
  return `${withoutEnd(lossy.decode(json.subarray(0, longest)), '\ufffd')}…`;
}

interface Node {
  readonly json: Uint8Array;
  readonly ends: Uint32Array;
  readonly start: number;
  readonly end: number;
}

const childOf = ({ json, ends }: Node, { value, end }: Member): Node => ({ json, ends, start: value, end });
const textIn = ({ json, start, end }: Node) => cut(json.subarray(start, end), LONGEST_VALUE);

function isEqual(a: Node, b: Node): boolean {
  const length = a.end - a.start;
  if (b.end - b.start !== length) return false;
  for (let at = 0; at < length; at++) if (a.json[a.start + at] !== b.json[b.start + at]) return false;
  return true;
}

/** Whether two values, which are not both objects or arrays, are numbers with different spellings of one value. */
function isSameNumber(a: Node, b: Node): boolean {
  return a.end - a.start <= LONGEST_VALUE && plainNumber(textIn(a)) === plainNumber(textIn(b));
}

/**
 * The values that differ, in the order in which they were signed; one more than are listed if there are. Undefined where
 * they are nested too deeply.
 */
function changedValues([signed, received]: Pair): ValueChange[] | undefined {
  const changes: ValueChange[] = [];
  let isTooDeep = false;
  const isFull = () => changes.length > MOST_CHANGES || isTooDeep;
  const add = (path: string, a: Node | undefined, b: Node | undefined) => {
    if (!isFull()) changes.push({ path, signed: a && textIn(a), received: b && textIn(b) });
  };

  function compare(path: string, a: Node, b: Node, depth: number): void {
    if (isFull() || isEqual(a, b)) return;
    const opening = a.json[a.start];
    if (depth > DEEPEST) isTooDeep = true;
    else if (!isOpening(opening) || opening !== b.json[b.start]) {
      if (!isSameNumber(a, b)) add(path, a, b);
    } else if (opening === OBJECT) compareObjects(path, a, b, depth + 1);
    else compareArrays(path, a, b, depth + 1);
  }

  function compareObjects(path: string, a: Node, b: Node, depth: number): void {
    const [before, after] = [membersByKey(a), membersByKey(b)];
    for (const [key, member] of before) {
      const other = after.get(key);
      const place = path + step(a, member);
      if (other) compare(place, childOf(a, member), childOf(b, other), depth);
      else add(place, childOf(a, member), undefined);
      if (isFull()) return;
    }
    for (const [key, member] of after) {
      if (!before.has(key)) add(path + step(b, member), undefined, childOf(b, member));
    }
  }

  function compareArrays(path: string, a: Node, b: Node, depth: number): void {
    const before = membersOf(a.json, a.start, a.ends).map((member) => childOf(a, member));
    const after = membersOf(b.json, b.start, b.ends).map((member) => childOf(b, member));
    const shorter = Math.min(before.length, after.length);
    const isSameAt = (at: number, other: number) => isEqual(before.at(at) as Node, after.at(other) as Node);
    let [first, last] = [0, 0];
    // Where one was added or removed, those around it are not compared with their neighbours.
    if (before.length !== after.length) {
      while (first < shorter && isSameAt(first, first)) first++;
      while (last < shorter - first && isSameAt(-1 - last, -1 - last)) last++;
    }
    for (let at = first; at < Math.max(before.length, after.length) - last && !isFull(); at++) {
      const one = at < before.length - last ? before[at] : undefined;
      const other = at < after.length - last ? after[at] : undefined;
      if (one && other) compare(`${path}[${at}]`, one, other, depth);
      else add(`${path}[${at}]`, one, other);
    }
  }

  const nodeOf = (json: Uint8Array): Node => ({ json, ends: endsOf(json), start: 0, end: json.length });
  compare('', nodeOf(signed), nodeOf(received), 0);
  return isTooDeep ? undefined : changes;
}

/** The members of an object by their keys, which are quoted; a key that is there again, with its number. */
function membersByKey({ json, start, ends }: Node): Map<string, Member> {
  const members = new Map<string, Member>();
  const repeats = new Map<string, number>();
  for (const member of membersOf(json, start, ends)) {
    const key = fromCodes(json.subarray(member.start, member.keyEnd));
    if (members.has(key)) {
      const repeat = (repeats.get(key) ?? 0) + 1;
      repeats.set(key, repeat);
      members.set(`${key}${repeat}`, member);
    } else members.set(key, member);
  }
  return members;
}

function step({ json }: Node, { start, keyEnd }: Member): string {
  const key = cut(json.subarray(start, keyEnd), LONGEST_KEY);
  return /^"[a-z_$][\w$]*"$/i.test(key) ? `.${key.slice(1, -1)}` : `[${key}]`;
}

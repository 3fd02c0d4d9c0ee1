import { ByteSink } from './byte-sink.js';
import { afterSpace, CLOSING, COMMA, endOfString, endOfToken, isClosing, isOpening, OBJECT } from './json-scan.js';

/** Where one thing in an array or an object stands. */
export interface Member {
  /** Where its key begins, or in an array its value. */
  readonly start: number;
  /** Where its key ends; `start` in an array. */
  readonly keyEnd: number;
  readonly value: number;
  readonly end: number;
}

/** For every bracket that opens, the position behind the one that closes it. */
export function endsOf(json: Uint8Array): Uint32Array {
  const ends = new Uint32Array(json.length);
  const open: number[] = [];
  for (let at = 0; at < json.length; at = endOfToken(json, at)) {
    if (isOpening(json[at])) open.push(at);
    else if (isClosing(json[at])) ends[open.pop() as number] = at + 1;
  }
  return ends;
}

/** What stands directly in the array or object of valid JSON that opens at a position. */
export function membersOf(
  json: Uint8Array,
  opening: number,
  ends: Uint32Array,
  most = Number.POSITIVE_INFINITY,
): Member[] {
  const members: Member[] = [];
  const isObject = json[opening] === OBJECT;
  for (let at = afterSpace(json, opening + 1); !isClosing(json[at]) && members.length < most; ) {
    const start = at;
    const keyEnd = isObject ? endOfString(json, start) : start;
    const value = isObject ? afterSpace(json, afterSpace(json, keyEnd) + 1) : start;
    const end = isOpening(json[value]) ? (ends[value] as number) : endOfToken(json, value);
    members.push({ start, keyEnd, value, end });
    at = afterSpace(json, end);
    if (json[at] === COMMA) at = afterSpace(json, at + 1);
  }
  return members;
}

export type Order = (members: readonly Member[], json: Uint8Array) => readonly Member[];

/** Deepest nesting to write in another order. */
export const DEEPEST = 200;

/** Writes compact JSON with the members of every object in another order. Throws where it is nested too deeply. */
export function ordered(json: Uint8Array, order: Order): Uint8Array {
  const ends = endsOf(json);
  const sink = new ByteSink(json.length);
  function write(start: number, end: number, depth: number): void {
    const opening = json[start] as number;
    if (!isOpening(opening)) {
      sink.append(json, start, end);
      return;
    }
    if (depth > DEEPEST) throw new RangeError('nested too deeply');
    const members = membersOf(json, start, ends);
    sink.push(opening);
    for (const [at, member] of (opening === OBJECT ? order(members, json) : members).entries()) {
      if (at > 0) sink.push(COMMA);
      sink.append(json, member.start, member.value);
      write(member.value, member.end, depth + 1);
    }
    sink.push(opening + CLOSING);
  }
  write(0, json.length, 0);
  return sink.done();
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
].map((shape) => new Map(shape.split(' ').map((key, rank) => [`"${key}"`, rank])));
const LONGEST_KEY = 32;

const keyOf = (json: Uint8Array, { start, keyEnd }: Member) =>
  keyEnd - start > LONGEST_KEY ? '' : String.fromCharCode(...json.subarray(start, keyEnd));

/** In the order of the shape that has most of the keys; those that it has not follow as they are. */
export const asSent: Order = (members, json) => {
  const known = SHAPES.map(() => 0);
  for (const member of members) {
    const key = keyOf(json, member);
    for (const [at, shape] of SHAPES.entries()) if (shape.has(key)) known[at] = (known[at] as number) + 1;
  }
  const most = Math.max(...known);
  const [shape] = SHAPES.filter((_, at) => known[at] === most).sort((a, b) => a.size - b.size);
  const ranks = members.map((member) => shape?.get(keyOf(json, member)) ?? LONGEST_KEY);
  const places = Array.from(members.keys()).sort((a, b) => (ranks[a] as number) - (ranks[b] as number));
  return places.map((place) => members[place] as Member);
};

export const sorted: Order = (members, json) => [...members].sort((a, b) => compare(json, a, b));

function compare(json: Uint8Array, a: Member, b: Member): number {
  let at = 0;
  // Behind a key there is a colon, and before that a quote which no key has in it: they differ before either ends.
  while (a.start + at < a.keyEnd && json[a.start + at] === json[b.start + at]) at++;
  return a.start + at === a.keyEnd ? 0 : (json[a.start + at] as number) - (json[b.start + at] as number);
}

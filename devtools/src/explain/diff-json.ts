import { isReadable } from '../readable-json.js';
import { attempt, textOf } from './bytes.js';
import { MOST_CHANGES } from './diff-bytes.js';

/** Ways in which two texts of the same JSON differ. */
export type JsonFormat = 'whitespace' | 'escapes' | 'numbers' | 'order';

/** A different JSON value. Both are JSON text, cut; one is undefined if the value was added or removed. */
export interface ValueChange {
  /** Such as `[0].data.event.name`; empty for the whole body. */
  readonly path: string;
  readonly signed?: string | undefined;
  readonly received?: string | undefined;
}

export interface JsonDiff {
  /** The differences in format between equal values. */
  readonly format: readonly JsonFormat[];
  readonly values: readonly ValueChange[];
  readonly more: boolean;
}

interface Written {
  readonly value: unknown;
  readonly space: number;
  readonly strings: string;
  readonly numbers: string;
}

/** A JSON text as a value and its tokens; undefined if it is not JSON or has too many values. */
function read(bytes: Uint8Array): Written | undefined {
  const text = isReadable(bytes) ? textOf(bytes) : undefined;
  const value = text === undefined ? undefined : attempt(() => JSON.parse(text) as unknown);
  if (text === undefined || value === undefined) return undefined;
  let space = 0;
  const [strings, numbers]: [string[], string[]] = [[], []];
  for (let at = 0, start = 0; at < text.length; start = at) {
    const first = text.charAt(at++);
    if (/\s/.test(first)) space++;
    else if (first === '"') {
      while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
      strings.push(text.slice(start, ++at));
    } else if (/[-0-9]/.test(first)) {
      while (/[-+.0-9e]/i.test(text.charAt(at))) at++;
      numbers.push(text.slice(start, at));
    }
  }
  return { value, space, strings: strings.sort().join(), numbers: numbers.sort().join() };
}

function formatOf(signed: Written, received: Written): JsonFormat[] {
  const found: JsonFormat[] = [];
  if (signed.space !== received.space) found.push('whitespace');
  if (signed.strings !== received.strings) found.push('escapes');
  if (signed.numbers !== received.numbers) found.push('numbers');
  if (JSON.stringify(signed.value) !== JSON.stringify(received.value)) found.push('order');
  return found.length === 0 ? ['whitespace'] : found;
}

/** The difference between two JSON texts; undefined if one is not JSON, has too many values, or is nested too deeply. */
export function diffJson(signed: Uint8Array, received: Uint8Array): JsonDiff | undefined {
  const [before, after] = [read(signed), read(received)];
  if (before === undefined || after === undefined) return undefined;
  return attempt(() => {
    const values = changedValues(before.value, after.value);
    const format = values.length === 0 ? formatOf(before, after) : [];
    return { format, values: values.slice(0, MOST_CHANGES), more: values.length > MOST_CHANGES };
  });
}

const LONGEST_VALUE = 100;
const LONGEST_KEY = 80;
const DEEPEST = 200;

const cut = (text: string, longest: number) => (text.length > longest ? `${text.slice(0, longest)}…` : text);
const textIn = (value: unknown) => (value === undefined ? undefined : cut(JSON.stringify(value), LONGEST_VALUE));
const step = (key: string) => (/^[a-z_$][\w$]*$/i.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`);

type Entries = Map<string | number, unknown>;

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;
const entriesOf = (value: object): Entries =>
  Array.isArray(value) ? new Map(value.entries()) : new Map(Object.entries(value));

/**
 * Drops equal items at the end of lists of different lengths, so that an added or removed item is not reported as a
 * change of all items after it.
 */
function dropCommonEnd(before: Entries, after: Entries, a: readonly unknown[], b: readonly unknown[]): void {
  const shift = b.length - a.length;
  if (shift === 0) return;
  for (let at = a.length - 1; at >= 0 && at + shift >= 0; at--) {
    if (JSON.stringify(a[at]) !== JSON.stringify(b[at + shift])) return;
    before.delete(at);
    after.delete(at + shift);
  }
}

/**
 * The values that differ, in the order of the signed body; at most one more than is listed. Throws if they nest too
 * deeply.
 */
function changedValues(signed: unknown, received: unknown): ValueChange[] {
  const changes: ValueChange[] = [];

  function compare(path: string, a: unknown, b: unknown, depth: number): void {
    if (changes.length > MOST_CHANGES || a === b) return;
    if (depth > DEEPEST) throw new RangeError('nested too deeply');
    if (!isNested(a) || !isNested(b) || Array.isArray(a) !== Array.isArray(b)) {
      changes.push({ path, signed: textIn(a), received: textIn(b) });
      return;
    }
    const [before, after] = [entriesOf(a), entriesOf(b)];
    if (Array.isArray(a) && Array.isArray(b)) dropCommonEnd(before, after, a, b);
    for (const key of new Set([...before.keys(), ...after.keys()])) {
      const place = typeof key === 'number' ? `[${key}]` : step(cut(key, LONGEST_KEY));
      compare(path + place, before.get(key), after.get(key), depth + 1);
    }
  }
  compare('', signed, received, 0);
  return changes;
}

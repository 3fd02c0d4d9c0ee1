import { isReadable } from '../readable-json.js';
import { attempt, textOf } from './bytes.js';
import { MOST_CHANGES } from './diff-bytes.js';

/** A different JSON value. Both are JSON text, cut; one is undefined if the value was added or removed. */
export interface ValueChange {
  /** Such as `[0].data.event.name`; empty for the whole body. */
  readonly path: string;
  readonly signed?: string | undefined;
  readonly received?: string | undefined;
}

/** The values of a JSON text; undefined if it is not JSON or has too many values. */
function read(bytes: Uint8Array): unknown {
  const text = isReadable(bytes) ? textOf(bytes) : undefined;
  return text === undefined ? undefined : attempt(() => JSON.parse(text) as unknown);
}

/** The values that differ; undefined if a text is not JSON, has too many values, or is nested too deeply. */
export function diffJson(signed: Uint8Array, received: Uint8Array): ValueChange[] | undefined {
  const [before, after] = [read(signed), read(received)];
  if (before === undefined || after === undefined) return undefined;
  return attempt(() => changedValues(before, after));
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

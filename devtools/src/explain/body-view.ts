import { textOf } from './bytes.js';
import type { Fault } from './finding.js';
import { type Looks, looksOf } from './json-looks.js';
import { type Kind, kindOf } from './json-scan.js';

/** A body, and what is read of it when it is first asked for. */
export interface BodyView {
  readonly bytes: Uint8Array;
  /** Undefined when the bytes are not UTF-8. */
  readonly text: string | undefined;
  /** Undefined when it is not JSON. */
  readonly kind: Kind | undefined;
  readonly looks: Looks;
}

/** What a body may have been, and the fault that made of it what was given. */
export type Undone = readonly [body: string | Uint8Array, fault: Fault];

/**
 * Undoes one thing, in time and memory linear in the body. Where it throws (too deep, too long, not encoded in this
 * way) there is nothing more to undo.
 */
export type Step = (view: BodyView) => Iterable<Undone>;

function once<T>(read: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => {
    known ??= { value: read() };
    return known.value;
  };
}

export function viewOf(bytes: Uint8Array): BodyView {
  const text = once(() => textOf(bytes));
  const kind = once(() => (text() === undefined ? undefined : kindOf(bytes)));
  const looks = once(() => looksOf(bytes));
  return {
    bytes,
    get text() {
      return text();
    },
    get kind() {
      return kind();
    },
    get looks() {
      return looks();
    },
  };
}

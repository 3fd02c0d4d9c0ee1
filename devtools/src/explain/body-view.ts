import { textOf } from './bytes.js';
import type { Fault } from './finding.js';
import { type Looks, looksOf } from './json-looks.js';
import { type Kind, kindOf } from './json-scan.js';

/** A body with lazily computed views of it. */
export interface BodyView {
  readonly bytes: Uint8Array;
  /** The text; undefined if the bytes are not UTF-8. */
  readonly text: string | undefined;
  /** Undefined if the body is not JSON. */
  readonly kind: Kind | undefined;
  readonly looks: Looks;
}

/** A possible original body, and the fault that turned it into the given one. */
export type Undone = readonly [body: string | Uint8Array, fault: Fault];

/**
 * Undoes one fault, in time and memory linear in the body. It may throw (too deep, too long, another encoding): then there
 * is nothing to undo.
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

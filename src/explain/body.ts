import { recoded } from './body-encoding.js';
import { reshaped } from './body-shape.js';
import { restyled } from './body-style.js';
import { sameBytes, textOf, utf8 } from './bytes.js';
import type { Candidate, Fault } from './fault.js';
import type { Work } from './work.js';

type Undone = Generator<readonly [body: string | Uint8Array, fault: Fault]>;

/** Takes from each in turn, so that the most frequent of every subject come first. */
function* inTurn(generators: Undone[]): Undone {
  let left = generators;
  while (left.length > 0) {
    const going: Undone[] = [];
    for (const generator of left) {
      const next = following(generator);
      if (!next || next.done) continue;
      yield next.value;
      going.push(generator);
    }
    left = going;
  }
}

function following(generator: Undone) {
  try {
    return generator.next();
  } catch {
    // Too deep, or too long, to be undone in this way.
    return undefined;
  }
}

/** The bodies that one may stand for, the most frequent faults first, the body itself not among them. */
export function* readBody(bytes: Uint8Array, work: Work): Generator<Candidate<Uint8Array>> {
  const text = textOf(bytes);
  const generators = text === undefined ? [] : [reshaped(text), restyled(text)];
  const seen = [bytes];
  for (const [body, fault] of inTurn([...generators, recoded(bytes)])) {
    // Making one takes as long as hashing a part of it.
    if (!work.spend(body.length >> 2)) return;
    const value = typeof body === 'string' ? utf8(body) : body;
    if (value.length === 0 || seen.some((each) => sameBytes(each, value))) continue;
    // All of a large body are not kept: the bytes that are hashed for it twice are bounded anyway.
    if (value.length < 65_536) seen.push(value);
    yield { value, faults: [fault] };
  }
}

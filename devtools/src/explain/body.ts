import { encodingSteps } from './body-encoding.js';
import { shapeSteps } from './body-shape.js';
import { styleSteps } from './body-style.js';
import { type BodyView, type Step, type Undone, viewOf } from './body-view.js';
import { createSeen, utf8 } from './bytes.js';
import type { Candidate } from './finding.js';
import type { Work } from './work-limit.js';

/** All steps, by subject. */
export const bodySteps: readonly (readonly Step[])[] = [shapeSteps, styleSteps, encodingSteps];

function* undone(steps: readonly Step[], view: BodyView, work: Work): Generator<Undone> {
  for (const step of steps) {
    // A step that finds nothing has read the body too, at a fraction of the cost of hashing it.
    if (!work.spend(view.bytes.length >> 4)) return;
    try {
      yield* step(view);
    } catch {
      // This fault did not happen to this body.
    }
  }
}

/** Interleaves the lists, so that the most frequent steps of every subject come first. */
function* inTurn(generators: readonly Generator<Undone>[]): Generator<Undone> {
  for (let left = generators; left.length > 0; ) {
    const going: Generator<Undone>[] = [];
    for (const generator of left) {
      const next = generator.next();
      if (next.done) continue;
      yield next.value;
      going.push(generator);
    }
    left = going;
  }
}

/** Possible original bodies, the most frequent faults first, without the body itself. */
export function* readBody(bytes: Uint8Array, work: Work): Generator<Candidate<Uint8Array>> {
  // Inspecting the body takes a few passes.
  if (!work.spend(bytes.length >> 2)) return;
  const view = viewOf(bytes);
  const isNew = createSeen();
  isNew(bytes);
  for (const [body, fault] of inTurn(bodySteps.map((steps) => undone(steps, view, work)))) {
    if (!work.spend(body.length >> 2)) return;
    const value = typeof body === 'string' ? utf8(body) : body;
    if (value.length > 0 && isNew(value)) yield { value, faults: [fault] };
  }
}

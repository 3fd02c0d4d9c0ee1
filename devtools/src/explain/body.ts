import { encodingSteps } from './body-encoding.js';
import { shapeSteps } from './body-shape.js';
import { styleSteps } from './body-style.js';
import { type BodyView, type Step, type Undone, viewOf } from './body-view.js';
import { createSeen, utf8 } from './bytes.js';
import type { Candidate } from './finding.js';
import type { Work } from './work-limit.js';

/** Every step, by what it is about. */
export const bodySteps: readonly (readonly Step[])[] = [shapeSteps, styleSteps, encodingSteps];

function* undone(steps: readonly Step[], view: BodyView, work: Work): Generator<Undone> {
  for (const step of steps) {
    // What finds nothing has gone over the body too, which takes a part of the time of hashing it.
    if (!work.spend(view.bytes.length >> 4)) return;
    try {
      yield* step(view);
    } catch {
      // It was not done to this body.
    }
  }
}

/** Takes from each in turn, so that the most frequent of every subject come first. */
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

/** The bodies that one may stand for, the most frequent faults first, the body itself not among them. */
export function* readBody(bytes: Uint8Array, work: Work): Generator<Candidate<Uint8Array>> {
  // To look at it takes a few passes.
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

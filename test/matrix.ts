import { describe } from 'vitest';
import { expectNothingUnhandled } from './matrix/app.js';
import { authenticityCases } from './matrix/authenticity.js';
import { bodyCases, largeBodyCases, unfinishedBodyCases } from './matrix/bodies.js';
import { connectionCases } from './matrix/connections.js';
import { contentCases, itemCases } from './matrix/contents.js';
import { effectCases, placeCases } from './matrix/effects.js';
import type { Target } from './matrix/targets.js';

/** The cases that every adapter has to pass, over real HTTP; those with large bodies unless another tier has them. */
export function matrix(target: Target, { large = true } = {}): void {
  const leftOut = [target.buffered, target.losesRepeated].filter((reason) => reason !== undefined);
  const title = leftOut.length > 0 ? `${target.name} (${leftOut.join('; ')})` : target.name;
  describe(title, () => {
    expectNothingUnhandled();
    authenticityCases(target);
    contentCases(target);
    bodyCases(target);
    if (large) largeBodyCases(target);
    if (target.buffered === undefined) unfinishedBodyCases(target);
    connectionCases(target);
    if (target.buffered === undefined) placeCases(target);
    if (target.role === 'handler') {
      itemCases(target);
      effectCases(target);
    }
  });
}

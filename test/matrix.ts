import { describe, it } from 'vitest';
import { sampleEventEmitted, sampleTransactionIncluded } from '../src/testing/index.js';
import { expectNothingUnhandled, startApp } from './matrix/app.js';
import { bodyCases, largeBodyCases, unfinishedBodyCases } from './matrix/bodies.js';
import { authenticCases } from './matrix/cases/authentic.js';
import { handledCases } from './matrix/cases/handled.js';
import type { MatrixCase, Site } from './matrix/cases/site.js';
import { connectionCases } from './matrix/connections.js';
import { genuine, headersOf, sign } from './matrix/deliveries.js';
import { leftCases, placeCases } from './matrix/places.js';
import type { Target } from './matrix/targets.js';
import { head } from './matrix/wire.js';

/** The target over HTTP. */
const siteOf = (target: Target): Site => ({
  sign,
  genuine,
  sample: (id) => sampleEventEmitted(id === undefined ? {} : { id }),
  included: () => sampleTransactionIncluded(),
  async start(settings) {
    const { receiver, seen, errors, requests, exchange } = await startApp(target, settings);
    return {
      receiver,
      seen,
      codes: errors.entries,
      arrived: (count) => requests.reaches(count),
      post(delivery, { headers = headersOf(delivery), method, body = delivery.body } = {}) {
        const bytes = body ?? new Uint8Array(0);
        return exchange(head([...headers, ['Content-Length', String(bytes.length)]], method), bytes);
      },
    };
  },
});

/** The cases that every adapter has to pass, over real HTTP; those with large bodies unless another tier has them. */
export function matrix(target: Target, { large = true } = {}): void {
  const leftOut = [target.buffered, target.losesRepeated].filter((reason) => reason !== undefined);
  const title = leftOut.length > 0 ? `${target.name} (${leftOut.join('; ')})` : target.name;
  const site = siteOf(target);
  const register = (areas: Readonly<Record<string, readonly MatrixCase[]>>) => {
    for (const [area, cases] of Object.entries(areas)) {
      const possible = cases.filter(({ repeats }) => target.losesRepeated === undefined || !repeats);
      describe(area, () => {
        for (const { name, run } of possible) it(name, () => run(site));
      });
    }
  };
  describe(title, () => {
    expectNothingUnhandled();
    register(authenticCases);
    bodyCases(target);
    if (large) largeBodyCases(target);
    if (target.buffered === undefined) unfinishedBodyCases(target);
    connectionCases(target);
    if (target.buffered === undefined) placeCases(target);
    if (target.role === 'handler') {
      register(handledCases);
      leftCases(target);
    }
  });
}

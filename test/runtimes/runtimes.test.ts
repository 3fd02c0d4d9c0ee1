import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGround, type Ground } from './ground.js';
import { needsRuntimes } from './installed.js';
import { type Outcome, runtimes } from './runtimes.js';
import { casesFor } from './suite/suite.js';

// One suite, built once, against the packed tarball, in every runtime. A case that fails there fails here by its name.

let ground: Ground;

beforeAll(async () => {
  ground = await createGround();
}, 60_000);

afterAll(() => ground?.remove());

for (const runtime of runtimes) {
  const cases = casesFor(runtime.traits);

  describe.skipIf(!runtime.present)(`${runtime.title}${runtime.present ? '' : needsRuntimes}`, () => {
    let outcome: Outcome;

    beforeAll(async () => {
      outcome = await runtime.run(ground, await ground.input(runtime.traits));
    }, 330_000);

    it('runs every case once', () => {
      expect(outcome.results.map(({ name }) => name)).toEqual(cases.map(({ name }) => name));
      expect(outcome.noise).toBe('');
    });

    it('loads the HMAC that is right for it', () => {
      expect(outcome.file).toBe(runtime.file);
    });

    if (runtime.bundled) {
      it('is given no module or global of Node', async () => {
        const bundled = outcome.bundled ?? '';
        expect(bundled).toContain('hmacHex');
        expect(bundled).not.toMatch(/\bnode:|\brequire\(/);
        // explainFailure names both in what it says: it is the names that mean the globals that must not be there.
        const define = { Buffer: 'globalOfNode', process: 'globalOfNode' };
        expect((await transform(bundled, { define })).code).not.toContain('globalOfNode');
      });
    }

    for (const { name } of cases) {
      it(name, () => {
        const result = outcome.results.find((each) => each.name === name);
        if (result === undefined)
          expect.fail(`The runtime ended before this case, or said nothing of it: ${outcome.noise}`);
        if (!result.ok) expect.fail(result.error);
      });
    }
  });
}

import { describe, it } from 'vitest';
import { isInstalled } from '../../examples/frameworks/recipes.js';
import { NEXT, NEXT_EDGE, SVELTEKIT } from './host-answers.js';
import { expectOurs, Remote, useRecipe } from './remote.js';
import { recipeSuite } from './suites.js';

recipeSuite('next', NEXT, NEXT_EDGE);
recipeSuite('nitro');
recipeSuite('sveltekit', SVELTEKIT);

describe.skipIf(!isInstalled('sveltekit'))(
  'the recipe for sveltekit with the limit that adapter-node has by itself',
  () => {
    const remote = new Remote(useRecipe('sveltekit', { BODY_SIZE_LIMIT: '512K' }), '/webhooks');

    it('answers 413 to what is over it, and takes what is not', async () => {
      expectOurs(await remote.post(remote.ofSize(600_000, 'refused')), 413);
      expectOurs(await remote.post(remote.ofSize(400_000, 'taken')), 200);
      await remote.expectEffects();
    });
  },
);

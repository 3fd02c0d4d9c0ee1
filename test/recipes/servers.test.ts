import { describe } from 'vitest';
import { isInstalled } from '../../examples/frameworks/recipes.js';
import { AZURE, NEST_FASTIFY, OWN_LIMIT, PARSED_FIRST } from './host-answers.js';
import { Remote, useRecipe } from './remote.js';
import { remoteMatrix } from './remote-matrix.js';
import { recipeSuite } from './suites.js';

recipeSuite('hono');
recipeSuite('koa');
recipeSuite('h3');
recipeSuite('hapi');
recipeSuite('elysia-node');
recipeSuite('nest');
recipeSuite('nest-fastify', NEST_FASTIFY);
recipeSuite('nest-controller', [...PARSED_FIRST, ...OWN_LIMIT]);
recipeSuite('google-cloud-functions', PARSED_FIRST);
recipeSuite('azure-functions', AZURE);

describe.skipIf(!isInstalled('azure-functions'))(
  'the recipe for azure-functions with HTTP streams',
  { timeout: 30_000 },
  () => remoteMatrix(new Remote(useRecipe('azure-functions', { HTTP_STREAM: '1' }), '/api/webhooks'), new Map(AZURE)),
);

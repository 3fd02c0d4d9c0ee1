import { OWN_LIMIT, PARSED_FIRST } from './host-answers.js';
import { recipeSuite } from './suites.js';

recipeSuite('hono');
recipeSuite('koa');
recipeSuite('h3');
recipeSuite('nest', [...PARSED_FIRST, ...OWN_LIMIT]);
recipeSuite('google-cloud-functions', PARSED_FIRST);

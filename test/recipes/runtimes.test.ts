import { WORKER } from './host-answers.js';
import { recipeSuite } from './suites.js';

recipeSuite('bun');
recipeSuite('deno');
recipeSuite('worker', WORKER);

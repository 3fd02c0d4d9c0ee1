import { DENO, WORKER } from './host-answers.js';
import { recipeSuite } from './suites.js';

recipeSuite('bun');
recipeSuite('deno', DENO);
recipeSuite('worker', WORKER);

import { VERCEL_NODE, VERCEL_WEB, WORKER } from './host-answers.js';
import { recipeSuite } from './suites.js';

recipeSuite('bun');
recipeSuite('elysia');
recipeSuite('deno');
recipeSuite('deno-serve');
recipeSuite('vercel', VERCEL_WEB, VERCEL_NODE);
recipeSuite('worker', WORKER);

import { NEXT, NEXT_EDGE, SVELTEKIT } from './host-answers.js';
import { recipeSuite } from './suites.js';

recipeSuite('next', NEXT, NEXT_EDGE);
recipeSuite('nitro');
recipeSuite('sveltekit', SVELTEKIT);

import { inject } from 'vitest';

/** As src/confined/explain-files.ts: the bundles of explain-setup.ts. */
export const processFile = new URL('explain-process.js', inject('explainDirectory'));
export const threadFile = new URL('explain-thread.js', inject('explainDirectory'));

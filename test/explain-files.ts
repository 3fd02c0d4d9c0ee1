import { inject } from 'vitest';

/** As src/workbench/explain-files.ts: the bundles of test/explain-setup.ts. */
export const processFile = new URL('explain-process.js', inject('explainDirectory'));
export const threadFile = new URL('explain-thread.js', inject('explainDirectory'));

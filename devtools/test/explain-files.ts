import { inject } from 'vitest';

/** As src/confined/explain-files.ts: the bundle of explain-setup.ts. */
export const threadFile = new URL('explain-thread.js', inject('explainDirectory'));

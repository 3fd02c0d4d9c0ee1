import type { Defect } from './defect.js';

/** Mutations that no schedule can show, and why. The tests check that they fit the code, and nothing else. */
export const unfound: readonly (Omit<Defect, 'foundWithin'> & { readonly why: string })[] = [
  {
    name: 'no deduplication in a delivery',
    about: 'Two equal events of a delivery are both passed to the store.',
    patches: [
      { file: 'src/receiver/dispatch.ts', find: 'const same = settled.get(key);', replace: 'const same = undefined;' },
    ],
    worlds: ['memory', 'leased'],
    why: 'The store runs a key once, so that the second of two equal events is a duplicate there.',
  },
  {
    name: 'Redis does not know its own claim',
    about: 'A claim that the client repeats is in progress, as another one would be.',
    patches: [
      {
        file: 'src/stores/redis/index.ts',
        find: 'elseif held == owner then\nredis',
        replace: 'elseif false then\nredis',
      },
    ],
    worlds: ['redis'],
    why: 'The repeated claim is answered as in progress until its lease ends: a delay, which every invariant allows.',
  },
];

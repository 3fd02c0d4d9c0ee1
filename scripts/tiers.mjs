// The tiers of the tests: what `npm test` and `npm run test:…` run, by folders and endings of names, so that a new test
// file is in the right one. A file is in the first tier that it fits, and in `fast` if it fits none.
import { existsSync } from 'node:fs';

const hasShared = existsSync(new URL('../../shared/vectors/', import.meta.url));
/** Vectors that a clone of the project alone does not have. */
const NEVER = ['**/node_modules/**', '**/.stryker-tmp/**', ...(hasShared ? [] : ['**/*.shared.test.ts'])];

/**
 * `include`: its test files. `builds`: the types too, or the JavaScript alone. `needs`: see scripts/test.mjs. `computes`: its
 * tests use a core each, and hardly wait.
 */
const OTHERS = {
  runtimes: { include: ['test/runtimes/**', '**/*.runtimes'], builds: 'types', needs: ['runtimes'] },
  frameworks: {
    include: ['test/recipes/**', 'test/bundlers/**', '**/*.frameworks'],
    builds: 'types',
    needs: ['frameworks', 'bundlers', 'runtimes', 'postgres'],
  },
  // What takes long and needs nothing: it starts processes, waits for real time, or takes large inputs and many schedules.
  slow: {
    include: [
      'test/strangers/**',
      'devtools/test/{confined,explain}/**',
      'devtools/test/cli/{explain,fire}',
      '**/*.slow',
    ],
    builds: 'js',
    needs: [],
    computes: true,
  },
  browser: {
    include: ['devtools/test/browser/**', 'test/docs/site', '**/*.browser'],
    builds: 'js',
    needs: ['chromium', 'firefox', 'anvil', 'docs'],
  },
  package: {
    include: ['test/package/**', 'test/docs/{programs,shell}', '**/*.package'],
    builds: 'types',
    needs: [
      'consumers',
      'redis',
      'postgres',
      'anvil',
      ...['frameworks', 'orms', 'java', 'serverless'], // the templates of init
    ],
  },
  servers: {
    include: [
      'test/{chaos,examples,queues,real-chain}/**',
      'test/stores/{dynamodb,redis}/**',
      // The suites of SQLite need no server.
      'test/stores/sql/**/!(*sqlite*|*libsql*)',
      '**/*.servers',
    ],
    builds: 'js',
    needs: [
      'redis',
      'postgres',
      'mariadb',
      'pgbouncer',
      'orms',
      'java',
      'serverless',
      'anvil',
      'frameworks',
      'python',
      'nats',
      'rabbitmq',
      'queues',
    ],
  },
};

const toFiles = (patterns) =>
  patterns.map((pattern) => (pattern.endsWith('/**') ? `${pattern}/*.test.ts` : `${pattern}.test.ts`));

const others = Object.entries(OTHERS).map(([name, tier]) => [name, { ...tier, include: toFiles(tier.include) }]);

/** Every tier by its name, with patterns as Vitest takes them. */
export const TIERS = Object.fromEntries([
  [
    'fast',
    {
      include: ['test/**/*.test.ts', 'devtools/test/**/*.test.ts'],
      exclude: [...NEVER, 'test/peers/**', ...others.flatMap(([, { include }]) => include)],
      builds: 'js',
      needs: [],
      computes: true,
    },
  ],
  ...others.map(([name, tier], at) => [
    name,
    { ...tier, exclude: [...NEVER, ...others.slice(0, at).flatMap(([, { include }]) => include)] },
  ]),
]);

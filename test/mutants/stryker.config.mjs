import { ROOMS } from './rooms.mjs';

const room = process.env.MUTANTS_ROOM;

export default {
  mutate: ROOMS[room].mutate,
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'test/mutants/vitest.config.mjs', related: false },
  coverageAnalysis: 'perTest',
  // A mutant that hangs or takes memory is stopped, and counts as killed.
  timeoutMS: 10_000,
  testRunnerNodeArgs: ['--max-old-space-size=2048'],
  concurrency: Number(process.env.MUTANTS_AT_ONCE ?? 2),
  incremental: true,
  incrementalFile: `.mutants/${room}.incremental.json`,
  reporters: ['json', 'progress-append-only'],
  jsonReporter: { fileName: `.mutants/${room}.json` },
  tempDirName: '.stryker-tmp',
  ignorePatterns: [
    '/coverage',
    '/dist',
    '/.simulation',
    '/.mutants',
    '/examples/!(servers)',
    '/biome.json',
    '/docs/node_modules',
    '/docs/.vitepress',
    '/devtools/dist',
  ],
};

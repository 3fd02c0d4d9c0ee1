import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { entriesOf, PACKAGES } from './scripts/exports.mjs';
import { TIERS } from './scripts/tiers.mjs';
import { reporter } from './test/reporter.js';
import { LongestFirst } from './test/sequencer.js';

/** What `npm run test:tier peers` sets: the peers are those that test/peers pins. */
const withPeers = process.env.TEST_PEERS === '1';
const cores = availableParallelism();
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const peers = here('./test/peers/package.json');
const pinned = Object.keys(JSON.parse(readFileSync(peers, 'utf8')).dependencies);

/** Resolves the peers as test/peers does, for our own files. */
const otherPeers: Plugin = {
  name: 'other-peers',
  enforce: 'pre',
  resolveId(source, importer) {
    const isPinned = pinned.some((name) => source === name || source.startsWith(`${name}/`));
    return isPinned && importer?.includes('/node_modules/') === false ? this.resolve(source, peers) : undefined;
  },
};

export default defineConfig({
  plugins: withPeers ? [otherPeers] : [],
  resolve: {
    alias: [
      // A thread runs no TypeScript: devtools/test/explain-setup.ts bundles it.
      { find: /^\.\/explain-files\.js$/, replacement: here('./devtools/test/explain-files.ts') },
      { find: '#runtime', replacement: here('./src/runtime/node.ts') },
      ...Object.values(PACKAGES).flatMap((url) =>
        entriesOf(url).map(({ specifier, source }) => ({
          find: new RegExp(`^${specifier}$`),
          replacement: fileURLToPath(new URL(source, url)),
        })),
      ),
    ],
  },
  test: {
    // With other peers, `npm run test:tier peers` names the suites.
    projects: Object.entries<{ include: string[]; exclude: string[]; computes?: boolean }>(
      withPeers ? { peers: { include: ['test/**/*.test.ts'], exclude: ['**/node_modules/**'] } } : TIERS,
    ).map(([name, { include, exclude, computes = false }]) => ({
      extends: true as const,
      // On a busy machine a time limit may pass: a second try, which test/reporter.ts names.
      // Modules are loaded once for all files of the fast tier, which mocks none.
      test: {
        name,
        include,
        exclude,
        retry: process.env.CI ? 1 : 0,
        isolate: name !== 'fast',
        // Vitest leaves one core free, which on a machine with two is half of them. What waits for servers and browsers
        // leaves half of each to others, and runs before what computes.
        maxWorkers: computes ? cores : Math.ceil(cores * 1.5),
        sequence: { groupOrder: computes ? 1 : 0 },
      },
    })),
    sequence: { sequencer: LongestFirst },
    // A busy machine takes longer; a test that hangs still ends.
    testTimeout: 20_000,
    // A poll waits for what must come; one second is too short for a page on a busy machine.
    expect: { poll: { timeout: 15_000 } },
    globalSetup: ['devtools/test/explain-setup.ts'],
    reporters: [
      'default',
      reporter,
      ...(process.env.CI
        ? [['json', { outputFile: withPeers ? '.test-results.peers.json' : '.test-results.json' }] as ['json', object]]
        : []),
    ],
    coverage: {
      enabled: process.env.COVERAGE === '1',
      provider: 'custom',
      customProviderModule: 'test/coverage.ts',
      include: ['src/**/*.ts', 'devtools/src/**/*.ts'],
      // The types alone, and what is a process: the tests run it as one.
      exclude: [
        'src/events/types.ts',
        'devtools/src/cli/main.ts',
        'devtools/src/confined/explain-{files,thread}.ts',
        // Runs in browsers, where devtools/test/browser tests it.
        'devtools/src/page/browser/**',
      ],
      reporter: ['text', 'json-summary'],
      reportOnFailure: true,
      // Branches were at 98 before the tests of the developers' tools were cut; the floor must return there.
      // What runs in the tier peers and in the threads that explain is not counted.
      thresholds: { lines: 98, branches: 97, functions: 98, statements: 98 },
    },
  },
});

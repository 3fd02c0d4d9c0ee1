import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { skippedReporter } from './test/skipped-reporter.js';

/** What `npm run test:peers` sets: the peers are those that test/peers pins. */
const withPeers = process.env.TEST_PEERS === '1';
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const src = (path: string) => here(`./src/${path}`);
const peers = here('./test/peers/node_modules/');

export default defineConfig({
  resolve: {
    alias: [
      ...(withPeers ? [{ find: /^(pg-boss|ioredis)$/, replacement: `${peers}$1` }] : []),
      // A process that is started runs no TypeScript: test/explain-setup.ts bundles it.
      { find: /^\.\/explain-files\.js$/, replacement: here('./test/explain-files.ts') },
      { find: '#hmac', replacement: src('crypto/hmac-node.ts') },
      { find: '#diagnostics', replacement: src('diagnostics/channels-node.ts') },
      { find: /^event-webhook-receiver$/, replacement: src('index.ts') },
      { find: /^event-webhook-receiver\/(express|fastify|fetch|lambda|node)$/, replacement: src('adapters/$1.ts') },
      { find: /^event-webhook-receiver\/(client|evm|local)$/, replacement: src('$1/index.ts') },
      { find: /^event-webhook-receiver\/schemas$/, replacement: src('schema.ts') },
      { find: /^event-webhook-receiver\/(.+)$/, replacement: src('$1.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/explain-setup.ts'],
    reporters: [
      'default',
      skippedReporter,
      ...(process.env.CI
        ? [['json', { outputFile: withPeers ? '.test-results.peers.json' : '.test-results.json' }] as ['json', object]]
        : []),
    ],
    typecheck: { include: ['test/**/*.test-d.ts'] },
    coverage: {
      enabled: process.env.COVERAGE === '1',
      provider: 'v8',
      include: ['src/**/*.ts'],
      // The types alone, and what is a process: the tests run it as one.
      exclude: ['src/events.ts', 'src/cli/main.ts', 'src/workbench/explain-{files,process,thread}.ts'],
      reporter: ['text', 'json-summary'],
      // What runs in test:peers and in the processes that explain is not counted.
      thresholds: { lines: 98, branches: 98, functions: 98, statements: 98 },
    },
  },
});

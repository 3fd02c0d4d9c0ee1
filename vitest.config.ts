import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { skippedReporter } from './test/skipped-reporter.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const src = (path: string) => here(`./src/${path}`);

export default defineConfig({
  resolve: {
    alias: [
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
      ...(process.env.CI ? [['json', { outputFile: '.test-results.json' }] as ['json', object]] : []),
    ],
    typecheck: { include: ['test/**/*.test-d.ts'] },
    coverage: {
      enabled: process.env.COVERAGE === '1',
      provider: 'v8',
      include: ['src/**/*.ts'],
      // The types alone, and what is a process: the tests run it as one.
      exclude: ['src/events.ts', 'src/cli/main.ts', 'src/workbench/explain-{files,process,thread}.ts'],
      reporter: ['text', 'json-summary'],
      thresholds: { lines: 98, branches: 98, functions: 98, statements: 98 },
    },
  },
});

import { defineConfig } from 'tsup';

const subpaths = {
  index: 'src/index.ts',
  verify: 'src/verify.ts',
  schemas: 'src/schema.ts',
  express: 'src/adapters/express.ts',
  fetch: 'src/adapters/fetch.ts',
  node: 'src/adapters/node.ts',
  'stores/redis': 'src/stores/redis.ts',
  'stores/postgres': 'src/stores/postgres.ts',
  'stores/sqlite': 'src/stores/sqlite.ts',
  'queues/bullmq': 'src/queues/bullmq.ts',
  'queues/pg-boss': 'src/queues/pg-boss.ts',
  testing: 'src/testing.ts',
};

// What '#hmac' means on each runtime (package.json, "imports"). @noble/hashes is no dependency, so it is inlined.
const backends = {
  'hmac-node': 'src/crypto/hmac-node.ts',
  'hmac-pure': 'src/crypto/hmac-pure.ts',
};

export default defineConfig({
  entry: { ...subpaths, ...backends },
  format: ['esm', 'cjs'],
  target: 'node20',
  platform: 'neutral',
  outDir: 'dist',
  clean: true,
  splitting: true,
  treeshake: true,
  removeNodeProtocol: false,
  external: ['#hmac', /^node:/],
  dts: { entry: subpaths, compilerOptions: { ignoreDeprecations: '6.0' } },
});

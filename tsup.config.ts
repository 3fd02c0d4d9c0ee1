import { defineConfig, type Options } from 'tsup';

const common: Options = {
  format: ['esm', 'cjs'],
  target: 'node20',
  platform: 'neutral',
  outDir: 'dist',
  splitting: true,
  treeshake: true,
  removeNodeProtocol: false,
  external: ['#hmac', /^node:/],
  dts: { compilerOptions: { ignoreDeprecations: '6.0' } },
};

export default defineConfig([
  {
    ...common,
    clean: true,
    entry: {
      index: 'src/index.ts',
      verify: 'src/verify.ts',
      schemas: 'src/schema.ts',
      express: 'src/adapters/express.ts',
      fetch: 'src/adapters/fetch.ts',
      node: 'src/adapters/node.ts',
      testing: 'src/testing.ts',
    },
  },
  // What '#hmac' means on each runtime (package.json, "imports"). @noble/hashes is no dependency, so it is inlined.
  {
    ...common,
    entry: { 'hmac-node': 'src/crypto/hmac-node.ts', 'hmac-pure': 'src/crypto/hmac-pure.ts' },
    splitting: false,
    noExternal: ['@noble/hashes'],
    dts: false,
  },
]);

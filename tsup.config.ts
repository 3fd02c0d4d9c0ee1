import { readFileSync } from 'node:fs';
import { build, type PluginBuild } from 'esbuild';
import { defineConfig } from 'tsup';
import { entryPoints, PACKAGES } from './scripts/exports.mjs';

const subpaths = entryPoints(PACKAGES.receiver);

// What '#hmac' and '#diagnostics' mean on each runtime (package.json, "imports"). @noble/hashes is no dependency, so it is inlined.
const backends = {
  'hmac-node': 'src/signature/hmac-node.ts',
  'hmac-pure': 'src/signature/hmac-pure.ts',
  'channels-node': 'src/internal/channels-node.ts',
  'channels-bun': 'src/internal/channels-bun.ts',
  'channels-none': 'src/internal/channels-none.ts',
};

// What is inlined of viem, by the files it stands in: the package's own entries bring its whole client into the graph.
const viem = `
export { decodeAbiParameters } from './utils/abi/decodeAbiParameters.js';
export { checksumAddress } from './utils/address/getAddress.js';
export { keccak256 } from './utils/hash/keccak256.js';
`;
// viem's errors make messages that quote data and link to its documentation. Nobody gets to see them here: names will do.
const viemErrors = /viem[\\/]_esm[\\/]errors[\\/]\w+\.js$/;
const withoutMessages = (source: string) =>
  source
    .match(/^export class \w+/gm)
    ?.map((head) => `${head} extends Error {}`)
    .join('\n') ?? '';

const viemDecoding = {
  name: 'viem-decoding',
  setup: (build: PluginBuild) => {
    build.onResolve({ filter: /^viem$/ }, () => ({ path: 'decoding', namespace: 'viem' }));
    build.onLoad({ filter: /.*/, namespace: 'viem' }, () => ({ contents: viem, resolveDir: 'node_modules/viem/_esm' }));
    build.onLoad({ filter: viemErrors }, ({ path }) => ({ contents: withoutMessages(readFileSync(path, 'utf8')) }));
  },
};

/**
 * Writes ./verify as one file a format, in place of one that shares chunks with the others: each file that an import
 * reads is a fifth of what it takes. Its ConfigError is then a copy, which isWebhookError knows.
 */
async function verifyInOneFile() {
  for (const [format, extension] of [
    ['esm', 'js'],
    ['cjs', 'cjs'],
  ] as const) {
    await build({
      entryPoints: ['src/signature/index.ts'],
      outfile: `dist/signature/index.${extension}`,
      allowOverwrite: true,
      bundle: true,
      format,
      target: 'node20',
      platform: 'node',
      external: ['#hmac'],
      tsconfigRaw: '{}',
      logLevel: 'error',
    });
  }
}

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
  external: ['#hmac', '#diagnostics', /^node:/],
  esbuildPlugins: [viemDecoding],
  onSuccess: verifyInOneFile,
  dts: { entry: subpaths, compilerOptions: { ignoreDeprecations: '6.0' } },
});

import { readFileSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { build, type PluginBuild } from 'esbuild';
import { defineConfig } from 'tsup';

const subpaths = {
  index: 'src/index.ts',
  verify: 'src/verify.ts',
  schemas: 'src/schema.ts',
  express: 'src/adapters/express.ts',
  fastify: 'src/adapters/fastify.ts',
  fetch: 'src/adapters/fetch.ts',
  lambda: 'src/adapters/lambda.ts',
  node: 'src/adapters/node.ts',
  'stores/redis': 'src/stores/redis.ts',
  'stores/postgres': 'src/stores/postgres.ts',
  'stores/sqlite': 'src/stores/sqlite.ts',
  'queues/bullmq': 'src/queues/bullmq.ts',
  'queues/pg-boss': 'src/queues/pg-boss.ts',
  evm: 'src/evm/index.ts',
  otel: 'src/otel.ts',
  client: 'src/client/index.ts',
  local: 'src/local/index.ts',
  testing: 'src/testing.ts',
};

// What '#hmac' and '#diagnostics' mean on each runtime (package.json, "imports"). @noble/hashes is no dependency, so it is inlined.
const backends = {
  'hmac-node': 'src/crypto/hmac-node.ts',
  'hmac-pure': 'src/crypto/hmac-pure.ts',
  'channels-node': 'src/diagnostics/channels-node.ts',
  'channels-bun': 'src/diagnostics/channels-bun.ts',
  'channels-none': 'src/diagnostics/channels-none.ts',
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
      entryPoints: ['src/verify.ts'],
      outfile: `dist/verify.${extension}`,
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

/**
 * Writes the command line tool to dist/cli: ES modules of its own, with what it uses of packages inlined, in chunks that
 * are loaded when a command needs them. The process and the thread that explain are files of their own beside them, and so
 * is the page that it serves.
 */
async function commandLine() {
  const { COMMAND_LINE_METAFILE } = process.env;
  const { metafile } = await build({
    entryPoints: ['src/cli/main.ts', 'src/workbench/explain-process.ts', 'src/workbench/explain-thread.ts'],
    entryNames: '[name]',
    outdir: 'dist/cli',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'node20',
    platform: 'node',
    external: ['#hmac', '#diagnostics'],
    plugins: [viemDecoding],
    tsconfigRaw: '{}',
    logLevel: 'error',
    metafile: true,
  });
  // Asked for by scripts/third-party-licenses.mjs: what is inlined.
  if (COMMAND_LINE_METAFILE !== undefined) writeFileSync(COMMAND_LINE_METAFILE, JSON.stringify(metafile));
  await cp('src/workbench/page', 'dist/cli/page', {
    recursive: true,
    filter: (path) => !path.endsWith('tsconfig.json'),
  });
}

/**
 * Files of their own, so that a bundler leaves them out where nothing of them is used: it looks at whole files, as package.json
 * says that none has side effects.
 */
const apart = { explain: 'src/explain/explain-failure.ts' };

export default defineConfig({
  entry: { ...subpaths, ...backends, ...apart },
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
  onSuccess: async () => {
    await verifyInOneFile();
    await commandLine();
  },
  dts: { entry: subpaths, compilerOptions: { ignoreDeprecations: '6.0' } },
});

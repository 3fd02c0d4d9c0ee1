// The part of viem that the build inlines: the decoding of ABI values.
import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

// By the files it is in: the package's own entries bring its whole client into the graph.
const decoding = `
export { decodeAbiParameters } from './utils/abi/decodeAbiParameters.js';
export { checksumAddress } from './utils/address/getAddress.js';
export { keccak256 } from './utils/hash/keccak256.js';
`;

// viem's errors build messages that quote data and link to its documentation. Nothing here shows them: names suffice.
const viemErrors = /viem[\\/]_esm[\\/]errors[\\/]\w+\.js$/;
const withoutMessages = (source: string) =>
  source
    .match(/^export class \w+/gm)
    ?.map((head) => `${head} extends Error {}`)
    .join('\n') ?? '';

export const viemDecoding: Plugin = {
  name: 'viem-decoding',
  setup: (build) => {
    build.onResolve({ filter: /^viem$/ }, () => ({ path: 'decoding', namespace: 'viem' }));
    build.onLoad({ filter: /.*/, namespace: 'viem' }, () => ({
      contents: decoding,
      resolveDir: 'node_modules/viem/_esm',
    }));
    build.onLoad({ filter: viemErrors }, ({ path }) => ({ contents: withoutMessages(readFileSync(path, 'utf8')) }));
  },
};

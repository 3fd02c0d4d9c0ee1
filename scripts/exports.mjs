// What package.json exports, for everything that needs to know: the build, the tests, and the path maps that
// `npm run generate` writes. A published file dist/NAME.js is built from src/NAME.ts.
import { readFileSync } from 'node:fs';

/** The entries of a package: `[{ subpath, specifier, output, source }]`, paths relative to the package, output without extension. */
export function entriesOf(packageUrl) {
  const { name, exports } = JSON.parse(readFileSync(new URL('package.json', packageUrl), 'utf8'));
  return Object.entries(exports)
    .filter(([, targets]) => typeof targets !== 'string')
    .map(([subpath, targets]) => {
      const output = targets.import.default.slice('./dist/'.length, -'.js'.length);
      return { subpath, specifier: name + subpath.slice(1), output, source: `src/${output}.ts` };
    });
}

/** What a build takes as its entries. */
export const entryPoints = (packageUrl) =>
  Object.fromEntries(entriesOf(packageUrl).map(({ output, source }) => [output, source]));

/** The two packages, by their directories. */
export const PACKAGES = {
  receiver: new URL('..', import.meta.url),
  devtools: new URL('../devtools/', import.meta.url),
};

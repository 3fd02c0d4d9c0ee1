// Writes what has to repeat package.json's "exports" in another form: the path maps of tsconfig.paths.json, and
// "typesVersions" in both package.json, by which TypeScript finds subpaths with moduleResolution node10. `--check`
// writes nothing and fails when one of them is stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { entriesOf, PACKAGES } from './exports.mjs';

const root = PACKAGES.receiver;
const json = (value) => `${JSON.stringify(value, null, 2)}\n`;

const paths = { '#runtime': ['./src/runtime/node.ts'] };
const written = new Map();
for (const [name, url] of Object.entries(PACKAGES)) {
  const entries = entriesOf(url);
  const directory = name === 'receiver' ? './' : `./${name}/`;
  for (const { specifier, source } of entries) paths[specifier] = [directory + source];
  const file = new URL('package.json', url);
  const { typesVersions: _, ...manifest } = JSON.parse(readFileSync(file, 'utf8'));
  const subpaths = entries.filter(({ subpath }) => subpath !== '.');
  const types = Object.fromEntries(
    subpaths.map(({ subpath, output }) => [subpath.slice(2), [`./dist/${output}.d.ts`]]),
  );
  const keys = Object.entries(manifest).flatMap((entry) =>
    entry[0] === 'exports' ? [entry, ['typesVersions', { '*': types }]] : [entry],
  );
  written.set(file, json(Object.fromEntries(keys)));
}
// As Biome formats it.
const short = (text) => text.replace(/\[\n\s+(".*")\n\s+\]/g, '[$1]');
written.set(new URL('tsconfig.paths.json', root), short(json({ compilerOptions: { paths } })));

for (const [file, text] of written) {
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${file.pathname} is stale: run npm run generate`);
    process.exitCode = 1;
  }
}

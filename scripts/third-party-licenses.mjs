// Writes THIRD_PARTY_LICENSES.md of both packages: the licence of every package whose code the build inlines into dist.
// `--check` writes nothing and fails when a file is not what it would write.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as buildByEsbuild } from 'esbuild';
import { build } from 'tsup';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Directories of the packages of which some byte ends up in the outputs of a metafile. */
function packagesIn({ outputs }) {
  const found = new Set();
  for (const { inputs } of Object.values(outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const [directory] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [];
      if (directory !== undefined && bytesInOutput > 0) found.add(directory);
    }
  }
  return [...found];
}

/** What a build by tsup.config.ts inlines. */
async function inReceiver() {
  const outDir = mkdtempSync(join(tmpdir(), 'licenses-'));
  try {
    await build({ outDir, dts: false, silent: true, metafile: true });
    return ['esm', 'cjs'].flatMap((format) =>
      packagesIn(JSON.parse(readFileSync(join(outDir, `metafile-${format}.json`), 'utf8'))),
    );
  } finally {
    rmSync(outDir, { recursive: true });
  }
}

/** What the page and the programs of the developers' package inline. */
async function inDevtools() {
  const { dependencies } = JSON.parse(readFileSync('devtools/package.json', 'utf8'));
  const options = { bundle: true, write: false, metafile: true, format: 'esm' };
  const page = await buildByEsbuild({
    ...options,
    entryPoints: ['devtools/src/page/browser/main.tsx'],
    tsconfig: 'devtools/src/page/browser/tsconfig.json',
  });
  const programs = await buildByEsbuild({
    ...options,
    entryPoints: [
      'cli/main',
      'confined/explain-thread',
      'explain/index',
      'service/index',
      'store-contract/index',
      'queue-contract/index',
    ].map((name) => `devtools/src/${name}.ts`),
    tsconfig: 'devtools/tsconfig.build.json',
    platform: 'node',
    outdir: 'unwritten',
    external: Object.keys(dependencies),
  });
  return [page, programs].flatMap(({ metafile }) => packagesIn(metafile));
}

function section(directory) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, directory, 'package.json'), 'utf8'));
  const texts = readdirSync(join(root, directory)).filter((entry) => /^(licen[cs]e|copying|notice)/i.test(entry));
  if (texts.length === 0) throw new Error(`${name} has no licence file: find its licence text before you inline it`);
  const quoted = texts.map(
    (entry) => `\`\`\`text\n${readFileSync(join(root, directory, entry), 'utf8').trim()}\n\`\`\``,
  );
  return [`## ${name} ${version} (${license})`, ...quoted].join('\n\n');
}

process.chdir(root);
const heading =
  '# Third-party licences\n\nCode of these packages is part of the files in `dist`. Written by `node scripts/third-party-licenses.mjs`.';
for (const [file, packages] of [
  ['THIRD_PARTY_LICENSES.md', await inReceiver()],
  ['devtools/THIRD_PARTY_LICENSES.md', await inDevtools()],
]) {
  const text = `${[heading, ...[...new Set(packages)].sort().map(section)].join('\n\n')}\n`;
  if (!process.argv.includes('--check')) {
    writeFileSync(file, text);
  } else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${file} is stale: run node scripts/third-party-licenses.mjs`);
    process.exitCode = 1;
  }
}

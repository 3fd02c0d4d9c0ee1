// Writes THIRD_PARTY_LICENSES.md: the licence of every package whose code the build inlines into dist.
// `--check` writes nothing and fails when the file is not what it would write.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsup';

const root = fileURLToPath(new URL('..', import.meta.url));
const file = join(root, 'THIRD_PARTY_LICENSES.md');

/** Directories of the packages of which some byte ends up in a build by tsup.config.ts. */
async function inlinedPackages() {
  const found = new Set();
  const outDir = mkdtempSync(join(tmpdir(), 'licenses-'));
  try {
    await build({ outDir, dts: false, silent: true, metafile: true });
    for (const format of ['esm', 'cjs']) {
      const { outputs } = JSON.parse(readFileSync(join(outDir, `metafile-${format}.json`), 'utf8'));
      for (const { inputs } of Object.values(outputs)) {
        for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
          const [directory] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [];
          if (directory !== undefined && bytesInOutput > 0) found.add(directory);
        }
      }
    }
  } finally {
    rmSync(outDir, { recursive: true });
  }
  return [...found].sort();
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
const text = `${[heading, ...(await inlinedPackages()).map(section)].join('\n\n')}\n`;

if (!process.argv.includes('--check')) {
  writeFileSync(file, text);
} else if (readFileSync(file, 'utf8') !== text) {
  console.error('THIRD_PARTY_LICENSES.md is stale: run node scripts/third-party-licenses.mjs');
  process.exitCode = 1;
}

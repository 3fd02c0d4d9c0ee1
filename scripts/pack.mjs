// Packs what is built into a directory, as it is published: the receiver, and the developers' tools.
//
//   node scripts/pack.mjs <directory> [--repository <url>] [--tag <tag>]
//
// With --repository the packed package.json files say where they come from, which npm compares with the provenance, and the
// README of each links the pages that it names: npm shows no relative links. With
// --tag the tag must be that of the version. The working tree stays as it is. Prints each file's digest.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));

/** In the order in which they are published, and what must have been built. */
const PACKAGES = {
  receiver: { directory: '.', built: ['dist/index.js', 'dist/index.cjs', 'dist/index.d.ts'] },
  devtools: { directory: 'devtools', built: ['dist/cli/main.js', 'dist/explain/index.js', 'dist/explain/index.d.ts'] },
};

const readManifest = (directory) => JSON.parse(readFileSync(join(root, directory, 'package.json'), 'utf8'));

function main() {
  const options = { repository: { type: 'string' }, tag: { type: 'string' } };
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  if (positionals.length !== 1) throw new Error('give the directory to pack into.');
  check(values);
  const into = resolve(positionals[0]);
  mkdirSync(into, { recursive: true });
  for (const [name, { directory, built }] of Object.entries(PACKAGES)) {
    const tarball = packAsPublished(directory, built, into, values.repository);
    console.log(`${name}=${createHash('sha512').update(readFileSync(tarball)).digest('hex')}`);
  }
}

function check({ repository, tag }) {
  const [receiver, devtools] = Object.values(PACKAGES).map(({ directory }) => readManifest(directory));
  const { name, version } = receiver;
  for (const [what, found] of [
    [`the version of ${devtools.name}`, devtools.version],
    [`the dependency of ${devtools.name} on ${name}`, devtools.dependencies[name]],
  ]) {
    if (found !== version) throw new Error(`${what} must be ${version}, but is ${found}.`);
  }
  if (tag !== undefined && tag !== `v${version}`) throw new Error(`the tag ${tag} is not v${version}.`);
  if (repository !== undefined && !/^https:\/\/[\w.-]+\/[\w.-]+\/[\w.-]+$/.test(repository)) {
    throw new Error('--repository must be https://HOST/OWNER/NAME.');
  }
}

function packAsPublished(directory, built, into, repository) {
  const scratch = mkdtempSync(join(tmpdir(), 'pack-'));
  try {
    const { filename, files } = pack(join(root, directory), scratch);
    const missing = built.find((needed) => !files.some(({ path }) => path === needed));
    if (missing !== undefined) throw new Error(`${join(directory, missing)} is not built. Run npm run build.`);
    run('tar', ['-xzf', filename], scratch);
    const source = repository && {
      repository: { type: 'git', url: `git+${repository}.git`, ...(directory !== '.' && { directory }) },
    };
    const manifest = { ...readManifest(directory), ...source };
    writeFileSync(join(scratch, 'package/package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    if (repository) linkPages(join(scratch, 'package/README.md'), `${repository}/blob/v${manifest.version}`);
    return join(into, pack(join(scratch, 'package'), into).filename);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function linkPages(readme, base) {
  const text = readFileSync(readme, 'utf8');
  writeFileSync(readme, text.replace(/`((?:docs\/[\w/-]+|[A-Z]+)\.md)`/g, `[\`$1\`](${base}/$1)`));
}

function pack(from, to) {
  return JSON.parse(run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', to], from))[0];
}

function run(program, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error(`${program} ${args[0]} failed: ${error?.message ?? stderr}`);
  return stdout;
}

try {
  main();
} catch (error) {
  console.error(`pack: ${error.message}`);
  process.exitCode = 1;
}

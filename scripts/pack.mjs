// Packs what is built into a directory, as it is published:
//
//   node scripts/pack.mjs <directory> [--repository <url>] [--tag <tag>]
//
// With --repository the packed package.json says where it comes from, which npm compares with the provenance. With --tag
// it is an error unless the tag is that of the version. The working tree stays as it is. Prints the file's digest.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));

function main() {
  const options = { repository: { type: 'string' }, tag: { type: 'string' } };
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const { repository, tag } = values;
  if (positionals.length !== 1) throw new Error('give the directory to pack into.');
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  if (tag !== undefined && tag !== `v${manifest.version}`) {
    throw new Error(`the tag ${tag} is not v${manifest.version}, which the version in package.json wants.`);
  }
  if (repository !== undefined && !/^https:\/\/[\w.-]+\/[\w.-]+\/[\w.-]+$/.test(repository)) {
    throw new Error('--repository must be https://HOST/OWNER/NAME.');
  }
  const directory = resolve(positionals[0]);
  mkdirSync(directory, { recursive: true });
  const scratch = mkdtempSync(join(tmpdir(), 'pack-'));
  try {
    const { filename, files } = pack(root, scratch);
    for (const needed of ['dist/index.js', 'dist/index.d.ts', 'dist/cli/main.js']) {
      if (!files.some(({ path }) => path === needed))
        throw new Error(`${needed} is not built: npm run build makes it.`);
    }
    run('tar', ['-xzf', filename], scratch);
    const packed = { ...manifest, ...(repository && { repository: { type: 'git', url: `git+${repository}.git` } }) };
    writeFileSync(join(scratch, 'package/package.json'), `${JSON.stringify(packed, null, 2)}\n`);
    const tarball = join(directory, pack(join(scratch, 'package'), directory).filename);
    console.log(`sha512=${createHash('sha512').update(readFileSync(tarball)).digest('hex')}`);
  } finally {
    rmSync(scratch, { recursive: true });
  }
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

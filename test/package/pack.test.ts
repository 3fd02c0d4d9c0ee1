import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from './consumer.js';

const run = promisify(execFile);
const maxBuffer = 2 ** 26;

/** Runs scripts/pack.mjs of a checkout as the workflow does; gives the manifest, the files with their digests, and what it printed. */
async function pack(checkout: string, args: readonly string[]) {
  const out = await mkdtemp(join(tmpdir(), 'packed-'));
  try {
    const { stdout } = await run(process.execPath, ['scripts/pack.mjs', out, ...args], { cwd: checkout });
    const tarballs = await readdir(out);
    expect(tarballs).toEqual([expect.stringMatching(/^event-webhook-receiver-\d+\.\d+\.\d+\.tgz$/)]);
    const tarball = join(out, tarballs[0] ?? '');
    await run('tar', ['-xzf', tarball, '-C', out]);
    const entries = await readdir(join(out, 'package'), { recursive: true, withFileTypes: true });
    const files = new Map<string, string>();
    for (const entry of entries.filter((each) => each.isFile())) {
      const path = join(entry.parentPath, entry.name);
      files.set(path.slice(join(out, 'package/').length), sha512(await readFile(path)));
    }
    const manifest = JSON.parse(await readFile(join(out, 'package/package.json'), 'utf8'));
    return { manifest, files, stdout, digest: sha512(await readFile(tarball)) };
  } finally {
    await rm(out, { recursive: true });
  }
}

const sha512 = (bytes: Uint8Array) => createHash('sha512').update(bytes).digest('hex');
const packageJson = async () => JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8'));
const status = async (cwd: string) => (await run('git', ['status', '--porcelain'], { cwd, maxBuffer })).stdout;

describe('scripts/pack.mjs', () => {
  it('says where the package comes from when it is told, prints the digest, and changes nothing else', async () => {
    const manifest = await packageJson();
    const args = ['--tag', `v${manifest.version}`, '--repository', 'https://github.com/some-owner/some.name'];
    const packed = await pack(projectRoot, args);
    const repository = { type: 'git', url: 'git+https://github.com/some-owner/some.name.git' };
    expect(packed.manifest).toEqual({ ...manifest, repository });
    expect(packed.stdout).toBe(`sha512=${packed.digest}\n`);
    expect(await packageJson()).toEqual(manifest);
    expect(manifest.publishConfig).toEqual({ access: 'public', provenance: true });
  });

  it('invents no repository, and packs the files of npm pack', { timeout: 60_000 }, async () => {
    const { manifest, files } = await pack(projectRoot, []);
    expect(manifest).not.toHaveProperty('repository');
    const here = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: projectRoot, maxBuffer });
    const [{ files: listed }] = JSON.parse(here.stdout);
    expect([...files.keys()].sort()).toEqual(listed.map(({ path }: { path: string }) => path).sort());
  });

  it.each([
    ['a tag of another version', ['--tag', 'v99.0.0'], /the tag v99\.0\.0 is not v/],
    ['a tag without v', ['--tag', '0.1.0'], /is not v/],
    ['a repository that is no URL', ['--repository', 'owner/name'], /--repository must be https:/],
    ['a repository with more behind it', ['--repository', 'https://github.com/o/n"; x'], /--repository must be https:/],
  ])('refuses %s, and packs nothing', async (_, args, message) => {
    await expect(pack(projectRoot, args)).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
  });
});

describe.skipIf(!existsSync(join(projectRoot, '.git')))('a clean checkout', () => {
  let checkout: string;

  beforeAll(async () => {
    checkout = await mkdtemp(join(tmpdir(), 'checkout-'));
    await run('git', ['clone', '--quiet', '--no-hardlinks', projectRoot, checkout]);
    // What git knows of but has no commit of yet.
    const { stdout: changes } = await run('git', ['diff', '--binary', 'HEAD'], { cwd: projectRoot, maxBuffer });
    const patch = join(checkout, '.git/changes.patch');
    await writeFile(patch, changes);
    if (changes !== '') await run('git', ['apply', patch], { cwd: checkout });
    const packages = [join(projectRoot, 'node_modules'), join(checkout, 'node_modules')];
    await run('cp', ['-al', ...packages]).catch(() => run('cp', ['-a', ...packages]));
  }, 120_000);

  afterAll(() => rm(checkout, { recursive: true }));

  it('builds and packs the very files that are built here, and stays clean', { timeout: 300_000 }, async () => {
    const before = await status(checkout);
    await run('npm', ['run', 'build', '--', '--silent'], { cwd: checkout, maxBuffer });
    const args = ['--repository', 'https://github.com/some-owner/some-name'];
    const [there, here] = [await pack(checkout, args), await pack(projectRoot, args)];
    expect(Object.fromEntries(there.files)).toEqual(Object.fromEntries(here.files));
    expect(await status(checkout)).toBe(before);
  });
});

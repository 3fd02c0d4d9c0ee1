import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { projectRoot } from './consumer.js';

const run = promisify(execFile);

/** Runs scripts/pack.mjs of a checkout as the workflow does; gives both packages and what it printed. */
async function pack(checkout: string, args: readonly string[]) {
  const out = await mkdtemp(join(tmpdir(), 'packed-'));
  try {
    const { stdout } = await run(process.execPath, ['scripts/pack.mjs', out, ...args], { cwd: checkout });
    const tarballs = (await readdir(out)).sort();
    const version = expect.stringMatching(/^event-webhook(-receiver|s)-\d+\.\d+\.\d+\.tgz$/);
    expect(tarballs).toEqual([version, version]);
    const [receiver = '', devtools = ''] = tarballs.map((name) => join(out, name));
    return { receiver: await unpacked(receiver), devtools: await unpacked(devtools), stdout };
  } finally {
    await rm(out, { recursive: true });
  }
}

/** `files`: their digests by path. */
async function unpacked(tarball: string) {
  const into = await mkdtemp(`${tarball}-`);
  await run('tar', ['-xzf', tarball, '-C', into, '--strip-components=1']);
  const entries = await readdir(into, { recursive: true, withFileTypes: true });
  const files = new Map<string, string>();
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    files.set(path.slice(into.length + 1), sha512(await readFile(path)));
  }
  const manifest = JSON.parse(await readFile(join(into, 'package.json'), 'utf8'));
  const readme = await readFile(join(into, 'README.md'), 'utf8');
  return { manifest, readme, files, digest: sha512(await readFile(tarball)) };
}

const sha512 = (bytes: Uint8Array) => createHash('sha512').update(bytes).digest('hex');
const manifestOf = async (directory: string) =>
  JSON.parse(await readFile(join(projectRoot, directory, 'package.json'), 'utf8'));

describe('scripts/pack.mjs', () => {
  it('writes where both packages come from, prints the digests, and changes nothing else', {
    timeout: 60_000,
  }, async () => {
    const manifests = { receiver: await manifestOf('.'), devtools: await manifestOf('devtools') };
    const args = ['--tag', `v${manifests.receiver.version}`, '--repository', 'https://github.com/some-owner/some.name'];
    const packed = await pack(projectRoot, args);
    const repository = { type: 'git', url: 'git+https://github.com/some-owner/some.name.git' };
    expect(packed.receiver.manifest).toEqual({ ...manifests.receiver, repository });
    expect(packed.devtools.manifest).toEqual({
      ...manifests.devtools,
      repository: { ...repository, directory: 'devtools' },
    });
    expect(packed.receiver.readme).toContain(
      `[\`docs/stores/index.md\`](https://github.com/some-owner/some.name/blob/v${manifests.receiver.version}/docs/stores/index.md)`,
    );
    expect(packed.stdout).toBe(`receiver=${packed.receiver.digest}\ndevtools=${packed.devtools.digest}\n`);
    expect(await manifestOf('.')).toEqual(manifests.receiver);
    for (const { publishConfig } of Object.values(manifests)) {
      expect(publishConfig).toEqual({ access: 'public', provenance: true });
    }
  });

  it.each([
    ['a tag of another version', ['--tag', 'v99.0.0'], /the tag v99\.0\.0 is not v/],
    ['a tag without v', ['--tag', '0.1.0'], /is not v/],
    ['a repository that is not a URL', ['--repository', 'owner/name'], /--repository must be https:/],
    ['a repository with more behind it', ['--repository', 'https://github.com/o/n"; x'], /--repository must be https:/],
  ])('refuses %s, and packs nothing', async (_, args, message) => {
    await expect(pack(projectRoot, args)).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
  });
});

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { describe, expect, it } from 'vitest';

const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
const devtools = fileURLToPath(new URL('..', import.meta.url));

/** Runs a program of the README in the package's folder, where its imports resolve to the built packages. */
async function output(name: string): Promise<string> {
  const program = readme.split('```').find((block) => block.startsWith(`ts\n// ${name}.ts\n`)) ?? '';
  const { code } = await transform(program.slice('ts\n'.length), { loader: 'ts', format: 'esm' });
  const args = ['--input-type=module', '--eval', code];
  return (await promisify(execFile)(process.execPath, args, { cwd: devtools, timeout: 30_000 })).stdout;
}

describe('the README', () => {
  it('explains a refused delivery', async () => {
    expect(await output('explain')).toMatch(/^secret-whitespace \(certain\): .+\n$/);
  });

  it('handles each delivered event once', async () => {
    const ids = (await output('local')).match(/^handled \S+$/gm) ?? [];
    expect([ids.length, new Set(ids).size]).toEqual([2, 2]);
  });
});

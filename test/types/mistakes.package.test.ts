import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MISTAKES } from './mistakes.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const compilers = { '5.9': 'typescript5', '6.0': 'typescript', '7.0': 'typescript7' } as const;

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mistakes-'));
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'), 'dir');
  const tsconfig = { extends: join(root, 'tsconfig.json'), include: ['*.ts'] };
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(tsconfig));
  await writeFile(join(directory, 'package.json'), '{"type":"module"}');
  await Promise.all(
    Object.entries(MISTAKES).map(([name, { program }]) => writeFile(join(directory, `${name}.ts`), program)),
  );
});

afterAll(() => rm(directory, { recursive: true }));

/** The first error that a compiler reports for each program. */
async function compile(compiler: keyof typeof compilers): Promise<Record<string, string>> {
  const tsc = join(root, 'node_modules', compilers[compiler], 'bin/tsc');
  const { stdout } = await run(process.execPath, [tsc, '--pretty', 'false', '-p', directory]).catch(
    (failure: { stdout: string }) => failure,
  );
  const errors: Record<string, string> = {};
  for (const diagnostic of stdout.trim().split(/\n(?! )/)) {
    const [, name, message] = /^(?:.*\/)?([\w-]+)\.ts\(\d+,\d+\): error (.*)$/s.exec(diagnostic) ?? [];
    if (name === undefined || message === undefined) throw new Error(`Not a diagnostic: ${diagnostic}`);
    errors[name] ??= message;
  }
  return errors;
}

const names = Object.keys(MISTAKES).sort();

describe('TypeScript 6.0', () => {
  let errors: Record<string, string>;

  beforeAll(async () => {
    errors = await compile('6.0');
  }, 120_000);

  it.each(Object.entries(MISTAKES))('explains the mistake: %s', (name, { message }) => {
    expect(errors[name]).toBe(message);
  });

  it('rejects no other program', () => {
    expect(Object.keys(errors).sort()).toEqual(names);
  });
});

it.each(['5.9', '7.0'] as const)('TypeScript %s rejects the same programs', { timeout: 120_000 }, async (compiler) => {
  expect(Object.keys(await compile(compiler)).sort()).toEqual(names);
});

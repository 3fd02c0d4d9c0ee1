import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

const program = fileURLToPath(new URL('../bench/run.mjs', import.meta.url));
const GOOD = "[{ name, against: 'nothing', measure: 'ms', median: 12.34, p25: 12, p75: 13, rounds: 2 }]";
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Runs the benchmarks of files; each file is the list of its benchmarks as text. */
function run(files: Record<string, string>, ...args: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), `const name = 'a row';\nexport const benchmarks = [${text}];`);
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, '--rows', folder, ...args], {
    encoding: 'utf8',
  });
  const lines = stdout.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '));
  return { status, stdout, stderr, lines };
}

const works = `{ name: 'works', run: async () => ${GOOD} }`;
const row = 'a row | nothing | ms | 12.3 | 12.0 – 13.0';

describe('npm run bench', () => {
  it('prints a row that fails as a line with the first line of its error, measures the others, and exits with 1', () => {
    const throws = `{ name: 'throws', run() { throw new Error('Build failed.\\nand why'); } }`;
    const dies = `{ name: 'dies', run: () => new Promise(() => setTimeout(() => { throw new Error('Later.'); })) }`;
    const exits = `{ name: 'exits', run: () => process.exit(3) }`;
    const gives = `{ name: 'gives none', run: async () => [] }`;
    const { status, stderr, lines } = run({ 'a.mjs': `${throws}, ${dies}, ${exits}, ${gives}`, 'b.mjs': works });
    expect(lines.slice(2)).toEqual([
      'throws | FAILED: Error: Build failed.',
      'dies | FAILED: Error: Later.',
      'exits | FAILED: The process of the benchmark ended with 3.',
      'gives none | FAILED: The benchmark gives no row.',
      row,
      '',
      '1 rows, 0 of 0 targets met, 4 benchmarks failed, 0 skipped.',
      '',
    ]);
    expect(stderr).toContain('and why');
    expect(status).toBe(1);
  });

  it('prints a file that does not load as a line, and measures the others', () => {
    const { status, lines } = run({ 'a.mjs': `await import('not-installed')`, 'b.mjs': works });
    expect(lines).toContain(row);
    expect(lines).toContainEqual(expect.stringMatching(/^rows\/a\.mjs \| FAILED: .*not-installed/));
    expect(status).toBe(1);
  });

  it('prints what a row lacks, and exits with 0 when none failed, though a target is missed', () => {
    const lacks = `{ name: 'lacks', skipped: 'redis-server is not installed' }`;
    const misses = `{ name: 'misses', run: async () => ${GOOD}.map((each) => ({ ...each, target: { max: 1 } })) }`;
    const { status, lines } = run({ 'a.mjs': `${lacks}, ${misses}` }, '--once');
    expect(lines).toContain('lacks | skipped: redis-server is not installed');
    expect(lines).toContain(`${row} | ≤ 1.00 | MISSED`);
    expect(status).toBe(0);
  });

  it('prints failed rows and measured ones as JSON', () => {
    const throws = `{ name: 'throws', run() { throw new Error('Build failed.'); } }`;
    const { status, stdout } = run({ 'a.mjs': `${throws}, ${works}` }, '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      effort: 'full',
      failed: [{ name: 'throws', error: expect.stringContaining('Build failed.') }],
      rows: [{ name: 'a row', median: 12.34 }],
    });
    expect(status).toBe(1);
  });
});

import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { simulate } from './simulate.js';

const DEFECT = 'memory forgets what is done';
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'simulate-'));
});
afterAll(() => rm(directory, { recursive: true }));

async function run(...args: string[]): Promise<{ code: number; text: string }> {
  const lines: string[] = [];
  const code = await simulate(args, (text) => lines.push(text), directory);
  return { code, text: lines.join('\n') };
}

describe('npm run simulate', { timeout: 60_000 }, () => {
  it('plays seeds of a world, and says how many', async () => {
    const { code, text } = await run('--world', 'memory', '--seeds', '50');
    expect(text).toMatch(/no broken invariant in 50 schedules, [\d,]+ steps/);
    expect(code).toBe(0);
  });

  it('prints a failing schedule, shrunk, and replays it from its file', async () => {
    const failed = await run('--world', 'memory', '--seeds', '2000', '--defect', DEFECT);
    expect(failed.code).toBe(1);
    expect(failed.text).toMatch(/VIOLATION effect twice without a cause · world memory · seed \d+/);
    expect(failed.text).toMatch(/shrunk from \d+ choices to \d+:\n( {4} +\d+\.\d ms {2}[\w-]+ +.*\n)+/);
    const [name = ''] = await readdir(directory);
    const file = join(directory, name);
    expect(failed.text).toContain(`npm run simulate -- --replay ${file}`);

    const replayed = await run('--replay', file);
    expect(replayed.code).toBe(1);
    expect(replayed.text).toContain('VIOLATION effect twice without a cause · world memory');

    const content = JSON.parse(await readFile(file, 'utf8'));
    expect(content).toMatchObject({ world: 'memory', defect: DEFECT });
    const other = join(directory, 'other.json');
    await writeFile(other, JSON.stringify({ ...content, defect: undefined }));
    const healthy = await run('--replay', other);
    expect(healthy.code).toBe(0);
    expect(healthy.text).toContain('breaks no invariant');
  });

  it('refuses what it cannot play by name', async () => {
    expect(await run('--replay', join(directory, 'none.json'))).toMatchObject({ code: 2 });
    expect((await run('--replay', 'none.json', '--seed', '1')).text).toBe('--replay takes no other option.');
    expect((await run('--world', 'moon')).text).toContain('--world must be one of');
    expect((await run('--help')).text).toContain(DEFECT);
  });
});

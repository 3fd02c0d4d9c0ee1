import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { isInstalled } from '../../examples/frameworks/recipes.js';

const hasWorkerd = isInstalled('worker');

describe.skipIf(!hasWorkerd)(`the Worker on D1${hasWorkerd ? '' : ' (skipped: Miniflare is not installed)'}`, () => {
  it('has every event take effect once while its workerd is killed and frozen', { timeout: 180_000 }, async () => {
    const args = ['--import', 'tsx', 'examples/run.ts', 'worker'];
    const env = { ...process.env, TSX_TSCONFIG_PATH: 'examples/tsconfig.json' };
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    expect(stdout).toMatch(/120 events .*: 0 missing, 0 twice/);
    expect(stdout).toContain('Every event took effect exactly once.');
  });
});

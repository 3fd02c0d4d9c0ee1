import { describe, expect, it } from 'vitest';
import { isInstalled } from '../../examples/frameworks/recipes.js';
import { runExample } from '../examples/example.js';

const hasWorkerd = isInstalled('worker');

describe.skipIf(!hasWorkerd)(`the Worker on D1${hasWorkerd ? '' : ' (skipped: Miniflare is not installed)'}`, () => {
  it('has every event take effect once while its workerd is killed and frozen', { timeout: 180_000 }, async () => {
    const { stdout } = await runExample('worker');
    expect(stdout).toMatch(/120 events .*: 0 missing, 0 twice/);
    expect(stdout).toContain('Every event took effect exactly once.');
  });
});

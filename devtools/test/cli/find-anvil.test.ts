import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findAnvil } from '../../src/cli/anvil/start-anvil.js';
import { scratch } from './emulated.js';

describe('findAnvil', () => {
  it('prefers ANVIL, then the PATH, then the node_modules of the project, and downloads nothing', async () => {
    const [path, project] = [await scratch(), await scratch()];
    await mkdir(join(project, 'node_modules', '.bin'), { recursive: true });
    await mkdir(join(project, 'deep', 'er'), { recursive: true });
    const inProject = join(project, 'node_modules', '.bin', 'anvil');
    const onPath = join(path, 'anvil');
    const none = () => findAnvil({ PATH: path }, join(project, 'deep', 'er'));
    expect(none).toThrow(/npm install --save-dev @foundry-rs\/anvil, or Foundry/);
    await writeFile(inProject, '', { mode: 0o755 });
    expect(none()).toBe(inProject);
    await writeFile(onPath, '', { mode: 0o755 });
    expect(none()).toBe(onPath);
    expect(findAnvil({ PATH: path, ANVIL: inProject }, path)).toBe(inProject);
    expect(() => findAnvil({ PATH: path, ANVIL: join(path, 'nothing') }, path)).toThrow(
      /ANVIL must be the path of an executable/,
    );
  });
});

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { installLibrary } from '../../examples/frameworks/library.js';
import { frameworks, hasFrameworks, needsFrameworks } from './installed.js';

describe.skipIf(!hasFrameworks)(`the recipes${needsFrameworks}`, () => {
  it("hold to the frameworks' own types and to those of the packed library", { timeout: 120_000 }, async () => {
    await installLibrary();
    const tsc = fileURLToPath(new URL('../../node_modules/typescript7/bin/tsc', import.meta.url));
    const args = [tsc, '--pretty', 'false', '-p', fileURLToPath(frameworks)];
    const { stdout } = await promisify(execFile)(process.execPath, args).catch((error) => error);
    expect(stdout).toBe('');
  });
});

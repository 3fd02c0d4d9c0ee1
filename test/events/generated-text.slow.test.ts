import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { generateChecks } from '../../scripts/generate-checks.js';

const file = new URL('../../src/events/generated-checks.ts', import.meta.url);

it('src/events/generated-checks.ts is what npm run generate makes of src/events/schemas.ts', () => {
  const formatted = execFileSync(
    'npx',
    ['biome', 'check', '--write', '--stdin-file-path=src/events/generated-checks.ts'],
    {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      input: generateChecks(),
      stdio: ['pipe', 'pipe', 'ignore'],
      encoding: 'utf8',
    },
  );
  expect(readFileSync(file, 'utf8')).toBe(formatted);
});

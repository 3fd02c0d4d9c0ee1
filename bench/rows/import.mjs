import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withConsumer } from '../lib/consumer.mjs';
import { pick } from '../lib/effort.mjs';
import { runtimes } from '../lib/runtimes.mjs';
import { interleave, summarise } from '../lib/stats.mjs';

const MODULES = {
  nothing: '',
  crypto: "import 'node:crypto';",
  package: "import 'empty-package';",
  verify: "import 'event-webhook-receiver/verify';",
  root: "import 'event-webhook-receiver';",
  'root and evm': "import 'event-webhook-receiver'; import 'event-webhook-receiver/evm';",
};

// The time since the process began, so that neither starting it nor its end is in the figure.
const REPORT = 'console.log(performance.now());';

/** Milliseconds from the start of a fresh process to the end of its imports. */
function startUp({ command, args }, file) {
  const { stdout, status, stderr } = spawnSync(command, [...args, file], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`A process that imports ${file} ended with ${status}: ${stderr}`);
  return Number(stdout);
}

/** Installs a package that imports node:crypto and no more: what finding any package costs. */
function installEmptyPackage(folder) {
  const installed = join(folder, 'node_modules', 'empty-package');
  mkdirSync(installed);
  writeFileSync(join(installed, 'package.json'), '{ "type": "module", "exports": { ".": "./index.js" } }');
  writeFileSync(join(installed, 'index.js'), MODULES.crypto);
}

/** What each runtime has rows of, with the budgets of the root and of ./verify. */
const ROWS = [
  ['verify', 'crypto', 'node:crypto', { max: 1 }],
  ['verify', 'package', 'node:crypto in an empty package', undefined],
  ['root', 'crypto', 'node:crypto', { max: 10 }],
  ['root', 'nothing', 'empty process', undefined],
];

/** What is looked at in one runtime alone. */
const MORE_ROWS = [['root and evm', 'root', 'root', { max: 15 }]];

const OWN = { name: '', command: process.execPath, args: [] };

export const benchmarks = [OWN, ...runtimes].map((runtime) => ({
  name: `import${runtime.name && `, ${runtime.name}`}`,
  skipped: runtime.skipped,
  run: () =>
    withConsumer(async (folder) => {
      installEmptyPackage(folder);
      const rows = runtime === OWN ? [...ROWS, ...MORE_ROWS] : ROWS;
      const needed = new Set(rows.flatMap((row) => row.slice(0, 2)));
      const files = [...needed].map((name) => {
        const file = join(folder, `${name}.mjs`);
        writeFileSync(file, `${MODULES[name]}\n${REPORT}\n`);
        startUp(runtime, file);
        return [name, file];
      });
      const times = await interleave(Object.fromEntries(files), pick(41, 9), (file) => startUp(runtime, file));
      return rows.map(([name, without, against, target]) => {
        const added = times[name].map((time, round) => time - times[without][round]);
        const label = runtime.name && ` (${runtime.name})`;
        return { name: `import ${name}${label}`, against, measure: '+ ms', target, ...summarise(added) };
      });
    }),
}));

// Every row of the performance targets, each beside its floor or peer in the same run. Ends with an error if a row failed;
// a missed target is not an error.
//   --only <text>  the rows whose name contains the text    --json  JSON instead of a table
//   --quick  fewer rounds    --once  the smallest numbers: whether every row works    --rows <folder>  other rows
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { installPins } from '../scripts/install-pins.mjs';
import { measure } from './lib/measure.mjs';
import { HEAD, isMet, toJson, toLines } from './lib/report.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const own = `${here}rows`;
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    rows: { type: 'string', default: own },
    quick: { type: 'boolean' },
    once: { type: 'boolean' },
    json: { type: 'boolean' },
  },
});

// The peers to compare with.
if (values.rows === own) await installPins(here);

const print = values.json ? console.error : console.log;
print(HEAD);
const effort = values.once ? 'once' : values.quick ? 'quick' : 'full';
const results = await measure({
  folder: pathToFileURL(`${resolve(values.rows)}/`),
  only: values.only,
  effort,
  // Rows that run at once disturb each other's figures, which nobody reads then.
  atOnce: values.once ? availableParallelism() : 1,
  report(result) {
    for (const line of toLines(result)) print(line);
    if (result.error) console.error(result.error);
  },
});

const report = toJson(results, effort);
if (values.only === '' && values.rows === own && effort !== 'once') {
  writeFileSync(`${here}results.json`, `${JSON.stringify(report, null, 2)}\n`);
}
if (values.json) console.log(JSON.stringify(report, null, 2));
const rows = results.flatMap((result) => result.rows ?? []);
const judged = rows.map(isMet).filter((met) => met !== undefined);
const failed = results.filter(({ error }) => error !== undefined);
const skipped = results.filter((result) => result.skipped !== undefined);
print(
  `\n${rows.length} rows, ${judged.filter(Boolean).length} of ${judged.length} targets met, ` +
    `${failed.length} benchmarks failed, ${skipped.length} skipped.`,
);
if (process.env.CI) {
  // scripts/count-tests.mjs names them, for readers who see only the end of the output.
  const lines = failed.map(({ name, error }) => `${name}: ${error}\n`);
  writeFileSync(fileURLToPath(new URL('../.test-results.bench.txt', import.meta.url)), lines.join(''));
}
if (rows.length === 0) console.error(`No row whose name contains "${values.only}" could be measured.`);
process.exitCode = failed.length > 0 || rows.length === 0 ? 1 : 0;

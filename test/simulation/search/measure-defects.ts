// Measures how many schedules it takes to find defects, for the table of the README:
// `npx tsx test/simulation/search/measure-defects.ts 1000 "best status"`, with the most schedules and names (default: all).
import { availableParallelism } from 'node:os';
import { defects } from '../defects/index.js';
import { measure, measuredText } from './measure.js';
import { buildProgram } from './program.js';
import { Threads } from './threads.js';

const [most = '1000', ...names] = process.argv.slice(2);
const unknown = names.filter((name) => !defects.some((defect) => defect.name === name));
if (unknown.length > 0) throw new RangeError(`No defect is named ${unknown.join(', ')}.`);

const threads = new Threads(await buildProgram(), availableParallelism());
for (const defect of defects) {
  if (names.length > 0 && !names.includes(defect.name)) continue;
  console.log(measuredText(await measure(threads, defect, Number(most))));
}
await threads.close();

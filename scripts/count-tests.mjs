// The end of .ci/run: names each failed and each skipped test by the results of the runs, and counts them.
//
//   node scripts/count-tests.mjs <exit code of the tests> <of those with other peers> <of the benchmarks> <of the checks>
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { root } from './install-pins.mjs';

const LONGEST_MESSAGE = 2000;
const [tests, peers, bench, checks] = process.argv.slice(2).map(Number);

const resultsOf = (name) => {
  const file = root + name;
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).testResults : [];
};
const main = resultsOf('.test-results.json');
const withPeers = resultsOf('.test-results.peers.json');
const files = [...main, ...withPeers].map((file) => ({ ...file, name: relative(root, file.name) }));
const all = files.flatMap(({ name, assertionResults }) => assertionResults.map((test) => ({ ...test, file: name })));

const skipped = all.filter(({ status }) => !['passed', 'failed'].includes(status));
const suites = skipped.map(({ file, ancestorTitles }) => [file, ...ancestorTitles].join(' > '));
for (const suite of new Set(suites)) console.log(`skipped: ${suite}`);

const failures = all
  .filter(({ status }) => status === 'failed')
  .map(({ file, fullName, failureMessages }) => [`${file} > ${fullName}`, (failureMessages ?? []).join('\n')]);
// A file that failed before or after its tests.
const isBroken = ({ status, assertionResults }) =>
  status === 'failed' && !assertionResults.some((test) => test.status === 'failed');
for (const { name, message } of files.filter(isBroken)) failures.push([name, message ?? '']);

/** The coverage in total, for readers who see only the end of the output. */
function coverage() {
  const file = `${root}coverage/coverage-summary.json`;
  if (!existsSync(file)) return 'no coverage was written';
  const parts = Object.entries(JSON.parse(readFileSync(file, 'utf8')).total);
  return parts.map(([name, { pct }]) => `${name} ${pct} %`).join(', ');
}

/** What another program left: errors that belong to no test (test/reporter.ts), or rows that failed (bench/run.mjs). */
function textOf(name) {
  const file = `${root}.test-results.${name}.txt`;
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

const isGreen = (results) => results.length > 0 && results.every(({ status }) => status === 'passed');
for (const [step, isRed, message = ''] of [
  [
    `the tests, though each passed: an unhandled error, or coverage (${coverage()})`,
    tests !== 0 && isGreen(main),
    textOf('unhandled'),
  ],
  ['the tests, which left no results', main.length === 0],
  ['the tests with other peers, though each passed (see the output)', peers !== 0 && isGreen(withPeers)],
  ['the tests with other peers, which left no results', withPeers.length === 0],
  ['a row of the benchmarks', bench !== 0, textOf('bench')],
  ['check (see the output)', checks !== 0],
]) {
  if (isRed) failures.push([step, message]);
}
for (const [title, message] of failures)
  console.log(`failed: ${title}\n${message.slice(0, LONGEST_MESSAGE)}`.trimEnd());

const passed = all.filter(({ status }) => status === 'passed').length;
const counts = [
  `${passed} passed`,
  `${failures.length} failed`,
  ...(skipped.length > 0 ? [`${skipped.length} skipped`] : []),
];
console.log(counts.join(', '));
process.exitCode = failures.length > 0 ? 1 : 0;

import { availableParallelism } from 'node:os';
import { UsageError } from '../fixtures/arguments.js';
import { type Arguments, readArguments, usage } from './arguments.js';
import { bundle } from './bundle.js';
import { readCorpus, readFinding, TARGETS, targetFile, writeCorpus, writeFinding } from './files.js';
import { fuzz, replay } from './run.js';

/** Where findings are written. */
const DIRECTORY = '.fuzz';
const EXIT_FOUND = 1;
const EXIT_USAGE = 2;

const say = (text: string) => process.stdout.write(`${text}\n`);

/** Fuzzes one target. Resolves with whether it found nothing. */
async function fuzzOne(name: string, { seconds, seed, keep }: Arguments): Promise<boolean> {
  const corpus = readCorpus(name);
  const report = await fuzz(await bundle(targetFile(name)), corpus, { seed, seconds });
  const { executions, covered, edges, findings } = report;
  const size = report.corpus.reduce((sum, each) => sum + each.length, 0);
  say(
    `${name}: ${executions} executions in ${seconds} s, ${covered} of ${edges} branches, ` +
      `corpus of ${report.corpus.length} inputs (${size} bytes), ${findings.length} findings, seed ${seed}`,
  );
  for (const finding of findings) {
    say(`  ${finding.message}\n  replay: npm run fuzz -- --replay ${writeFinding(DIRECTORY, name, finding)}`);
  }
  if (keep && covered > 0) writeCorpus(name, report.corpus);
  return findings.length === 0;
}

/** Fuzzes targets, some at a time, in threads of their own. Resolves with whether all found nothing. */
async function fuzzAll(given: Arguments): Promise<boolean> {
  const waiting = [...given.targets];
  let isClean = true;
  async function work(): Promise<void> {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      if (!(await fuzzOne(name, given))) isClean = false;
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return isClean;
}

async function replayFile(file: string): Promise<boolean> {
  const { target, input } = readFinding(file);
  const outcome = await replay(await bundle(targetFile(target)), input);
  if ('covered' in outcome) say(`${target}: the property holds, ${outcome.covered} branches`);
  else say(`${target}: ${outcome.message}\n${outcome.stack}`);
  return 'covered' in outcome;
}

async function run(args: readonly string[]): Promise<number> {
  const given = readArguments(args, TARGETS);
  if (given.isHelp) {
    say(usage(TARGETS));
    return 0;
  }
  const isClean = given.replay === undefined ? await fuzzAll(given) : await replayFile(given.replay);
  return isClean ? 0 : EXIT_FOUND;
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = EXIT_USAGE;
}

import { describe, expect, it } from 'vitest';
import { bundle } from './bundle.js';
import { keptFindings, readCorpus, TARGETS, targetFile } from './files.js';
import { fuzz, replay } from './run.js';

/** Another for each run of the tests, so that they search further; the title of a test that fails has it. */
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Date.now() / 1000));
const MINUTES_MS = 180_000;

describe(`a second of fuzzing, FUZZ_SEED=${seed}`, () => {
  it.each(TARGETS)('finds nothing in %s, nor does the corpus', { timeout: MINUTES_MS }, async (name) => {
    const corpus = readCorpus(name);
    const { executions, covered, findings } = await fuzz(await bundle(targetFile(name)), corpus, { seed, seconds: 1 });
    expect(findings.map(({ message, input }) => ({ message, input: input.toString('latin1') }))).toEqual([]);
    expect(executions).toBeGreaterThan(corpus.length);
    expect(covered).toBeGreaterThan(0);
  });
});

it('the corpus covers branches of the ABI decoder that the seeds do not', { timeout: MINUTES_MS }, async () => {
  const subject = await bundle(targetFile('abi'));
  const none = { seed, seconds: 0, executions: 0 };
  const [seeds, corpus] = [await fuzz(subject, [], none), await fuzz(subject, readCorpus('abi'), none)];
  expect(corpus.covered).toBeGreaterThan(seeds.covered);
});

describe('a finding that was fixed', () => {
  it.each(keptFindings())('stays fixed: $target, $message', { timeout: MINUTES_MS }, async ({ target, input }) => {
    expect(await replay(await bundle(targetFile(target)), input)).toMatchObject({ kind: 'done' });
  });
});

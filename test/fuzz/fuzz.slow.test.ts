import { describe, expect, it } from 'vitest';
import { bundle } from './bundle.js';
import { keptFindings, readCorpus, TARGETS, targetFile } from './files.js';
import { fuzz, replay } from './run.js';

/** Another for each run of the tests, so that they search further; the title of a test that fails has it. */
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Date.now() / 1000));
const MINUTES_MS = 180_000;

const bundled = new Map<string, ReturnType<typeof bundle>>();

/** A target's bundle, made once. */
function bundleOf(name: string) {
  const made = bundled.get(name) ?? bundle(targetFile(name));
  bundled.set(name, made);
  return made;
}

describe(`a second of fuzzing, FUZZ_SEED=${seed}`, () => {
  it.each(TARGETS)('finds nothing in %s, nor does the corpus', { timeout: MINUTES_MS }, async (name) => {
    const corpus = readCorpus(name);
    const { executions, covered, findings } = await fuzz(await bundleOf(name), corpus, { seed, seconds: 1 });
    expect(findings.map(({ message, input }) => ({ message, input: input.toString('latin1') }))).toEqual([]);
    expect(executions).toBeGreaterThan(corpus.length);
    expect(covered).toBeGreaterThan(0);
  });
});

it('the corpus covers branches of the ABI decoder that the seeds do not', { timeout: MINUTES_MS }, async () => {
  const subject = await bundleOf('abi');
  const none = { seed, seconds: 0, executions: 0 };
  const [seeds, corpus] = [await fuzz(subject, [], none), await fuzz(subject, readCorpus('abi'), none)];
  expect(corpus.covered).toBeGreaterThan(seeds.covered);
});

describe('a finding that was fixed', () => {
  it.each(keptFindings())('stays fixed: $target, $message', { timeout: MINUTES_MS }, async ({ target, input }) => {
    expect(await replay(await bundleOf(target), input)).toMatchObject({ kind: 'done' });
  });
});

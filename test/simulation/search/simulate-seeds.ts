import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Arguments } from './arguments.js';
import { bundleOf, type Output } from './output.js';
import { buildProgram } from './program.js';
import { writeReplay } from './replay-file.js';
import { failureText, progressText, totalsText, whole } from './report.js';
import { type FoundIn, search } from './search.js';
import { hashOf } from './subject-hash.js';
import { Threads } from './threads.js';

/** Plays seeds of worlds, and reports each failing schedule. Resolves to the exit code. */
export async function simulateSeeds(chosen: Arguments, output: Output, directory: string): Promise<number> {
  const subject = await bundleOf(chosen.defect);
  const threads = new Threads(await buildProgram(), chosen.workers);
  const all = chosen.seeds * chosen.worlds.length;
  const startedAt = performance.now();
  const elapsedMs = () => performance.now() - startedAt;
  try {
    const result = await search(threads, {
      ...{ worlds: chosen.worlds, subject, first: chosen.seed, seeds: chosen.seeds, mostFailures: chosen.failures },
      onProgress: (totals) => output.progress(progressText(totals, all, elapsedMs())),
    });
    for (const found of result.found) output.line(await reported(threads, found, chosen, subject, directory));
    output.line(totalsText(result.worlds));
    const rate = `${whole((result.played / elapsedMs()) * 1000)}/s on ${chosen.workers} threads`;
    const what = result.failures === 0 ? 'no broken invariant' : `${result.failures} broken`;
    output.line(`${what} in ${whole(result.played)} schedules, ${whole(result.steps)} steps, ${rate}`);
    return result.failures === 0 ? 0 : 1;
  } finally {
    await threads.close();
  }
}

/** Shrinks a failing schedule, writes its replay file, and returns its report. */
async function reported(
  threads: Threads,
  { world, seed, tape, failure }: FoundIn,
  { defect }: Arguments,
  subject: string,
  directory: string,
): Promise<string> {
  const withDefect = defect === undefined ? '' : ` --defect ${JSON.stringify(defect)}`;
  // A schedule that hangs has no tape.
  const bySeed = `npm run simulate -- --world ${world} --seed ${seed} --seeds 1${withDefect}`;
  if (tape.length === 0) return failureText({ world, seed, failure, command: bySeed });
  const { found } = await threads.ask({ kind: 'tape', world, subject, tape, isShrunk: true });
  const least = found[0];
  if (least === undefined) {
    const what = `${failure.what}\nIt does not repeat: a model or the kernel depends on more than the choices.`;
    return failureText({ world, seed, failure: { ...failure, what }, command: bySeed });
  }
  const file = join(directory, `${world}-${seed}.json`);
  await mkdir(directory, { recursive: true });
  await writeFile(file, writeReplay({ world, defect, subject: hashOf(subject), tape: least.tape }));
  const choices = { found: tape.length, left: least.tape.length };
  return failureText({ world, seed, failure: least.failure, choices, command: `npm run simulate -- --replay ${file}` });
}

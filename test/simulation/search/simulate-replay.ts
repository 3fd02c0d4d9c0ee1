import { readFile } from 'node:fs/promises';
import { bundleOf, type Output } from './output.js';
import { buildProgram } from './program.js';
import { type Known, ReplayError, readReplay, warningFor } from './replay-file.js';
import { failureText } from './report.js';
import { hashOf } from './subject-hash.js';
import { Threads } from './threads.js';

/** Plays the schedule of a file. Resolves to the exit code. */
export async function simulateReplay(path: string, known: Known, output: Output): Promise<number> {
  const replay = readReplay(await textOf(path), known);
  const subject = await bundleOf(replay.defect);
  const warning = warningFor(replay, hashOf(subject));
  if (warning !== undefined) output.line(warning);
  const threads = new Threads(await buildProgram(), 1);
  try {
    const { world, tape } = replay;
    const { found } = await threads.ask({ kind: 'tape', world, tape, subject, isShrunk: false });
    const [failure] = found;
    if (failure === undefined) {
      output.line(`The schedule of ${path} breaks no invariant.`);
      return 0;
    }
    const command = `npm run simulate -- --replay ${path}`;
    output.line(failureText({ world, failure: failure.failure, command }));
    return 1;
  } finally {
    await threads.close();
  }
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new ReplayError(`The replay file cannot be read: ${(cause as Error).message}`, { cause });
  }
}

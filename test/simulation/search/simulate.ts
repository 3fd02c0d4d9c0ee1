import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleWith, type Defect } from '../defects/defect.js';
import { defects } from '../defects/index.js';
import { worlds } from '../worlds/index.js';
import { type Arguments, readArguments, UsageError, usage } from './arguments.js';
import { buildProgram } from './program.js';
import { type Replay, ReplayError, readReplay, warningFor, writeReplay } from './replay-file.js';
import { failureText, progressText, totalsText, whole } from './report.js';
import { type FoundIn, search } from './search.js';
import { hashOf } from './subject-hash.js';
import { Threads } from './threads.js';

/** Where lines go, and a line that the next one replaces. */
export interface Output {
  line(text: string): void;
  progress(text: string): void;
}

const names = {
  worlds: [...worlds.keys()],
  smallWorlds: [] as string[],
  defects: defects.map(({ name }) => name),
};

/** Runs `npm run simulate`. Resolves to the exit code: 1 for a broken invariant, 2 for what cannot be played. */
export async function simulate(args: readonly string[], output: Output, directory: string): Promise<number> {
  try {
    const chosen = readArguments(args, names);
    if (chosen.isHelp) {
      output.line(usage(names));
      return 0;
    }
    return chosen.replay === undefined
      ? await searched(chosen, output, directory)
      : await replayed(chosen.replay, output);
  } catch (error) {
    if (!(error instanceof UsageError) && !(error instanceof ReplayError)) throw error;
    output.line(error.message);
    return 2;
  }
}

function bundleOf(defect: string | undefined): Promise<string> {
  return bundleWith(defects.find(({ name }) => name === defect) ?? NO_DEFECT);
}

const NO_DEFECT: Pick<Defect, 'name' | 'patches'> = { name: 'none', patches: [] };

async function searched(chosen: Arguments, output: Output, directory: string): Promise<number> {
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

async function replayed(path: string, output: Output): Promise<number> {
  const replay = readReplay(await textOf(path), names);
  const subject = await bundleOf(replay.defect);
  const warning = warningFor(replay, hashOf(subject));
  if (warning !== undefined) output.line(warning);
  const threads = new Threads(await buildProgram(), 1);
  try {
    const { found } = await threads.ask({ kind: 'tape', subject, isShrunk: false, ...tapeOf(replay) });
    const [failure] = found;
    if (failure === undefined) {
      output.line(`The schedule of ${path} breaks no invariant.`);
      return 0;
    }
    const command = `npm run simulate -- --replay ${path}`;
    output.line(failureText({ world: replay.world, failure: failure.failure, command }));
    return 1;
  } finally {
    await threads.close();
  }
}

function tapeOf({ world, tape }: Replay): Pick<Replay, 'world' | 'tape'> {
  return { world, tape };
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new ReplayError(`The replay file cannot be read: ${(cause as Error).message}`, { cause });
  }
}

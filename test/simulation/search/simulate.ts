import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { oneOf, UsageError } from '../../fixtures/arguments.js';
import { bundleOf, defects } from '../defects/index.js';
import { worlds } from '../worlds/index.js';
import { readArguments, usage } from './arguments.js';
import { buildProgram } from './program.js';
import { failureText, seedCommand } from './report.js';
import { type FoundIn, search } from './search.js';
import { Threads } from './threads.js';

/** A schedule in a file. */
interface Replay {
  readonly world: string;
  readonly defect?: string | undefined;
  readonly tape: readonly number[];
}

type Chosen = ReturnType<typeof readArguments>;

interface Run {
  readonly threads: Threads;
  /** Text of the bundle. */
  readonly subject: string;
  readonly print: (line: string) => void;
}

const names = {
  worlds: [...worlds.keys()],
  defects: defects.map(({ name }) => name),
};

/** Runs `npm run simulate`. Resolves to the exit code: 1 for a broken invariant, 2 for what cannot be played. */
export async function simulate(args: readonly string[], print: Run['print'], directory: string): Promise<number> {
  try {
    const chosen = readArguments(args, names);
    if (chosen.isHelp) {
      print(usage(names));
      return 0;
    }
    const replay = chosen.replay === undefined ? undefined : await readReplay(chosen.replay);
    const subject = await bundleOf(replay ? replay.defect : chosen.defect);
    const run = { threads: new Threads(await buildProgram(), availableParallelism()), subject, print };
    try {
      if (replay) return await playReplay(run, replay, String(chosen.replay));
      return await playSeeds(run, chosen, directory);
    } finally {
      await run.threads.close();
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    print(error.message);
    return 2;
  }
}

async function readReplay(path: string): Promise<Replay> {
  let replay: Replay;
  try {
    replay = JSON.parse(await readFile(path, 'utf8')) as Replay;
  } catch (error) {
    throw new UsageError(`The replay file cannot be read: ${(error as Error).message}`);
  }
  const { world, defect } = replay;
  oneOf('world', world, names.worlds);
  if (defect !== undefined) oneOf('defect', defect, names.defects);
  return replay;
}

/** Plays the schedule of a file. */
async function playReplay({ threads, subject, print }: Run, replay: Replay, path: string): Promise<number> {
  const { world, tape } = replay;
  const { found } = await threads.ask({ kind: 'tape', world, tape, subject, isShrunk: false });
  if (found) print(failureText({ world, failure: found.failure, command: `npm run simulate -- --replay ${path}` }));
  else print(`The schedule of ${path} breaks no invariant.`);
  return found ? 1 : 0;
}

/** Plays seeds of worlds, and reports the schedule that fails. */
async function playSeeds(run: Run, chosen: Chosen, directory: string): Promise<number> {
  const { worlds, first, seeds, defect } = chosen;
  const { played, steps, found } = await search(run.threads, { worlds, subject: run.subject, first, seeds });
  if (found) run.print(await reported(run, found, defect, directory));
  const what = found ? 'a broken invariant' : 'no broken invariant';
  run.print(`${what} in ${played.toLocaleString('en-US')} schedules, ${steps.toLocaleString('en-US')} steps`);
  return found ? 1 : 0;
}

/** Shrinks a failing schedule, writes its replay file, and returns its report. */
async function reported(
  { threads, subject }: Run,
  { world, seed, tape, failure }: FoundIn,
  defect: string | undefined,
  directory: string,
): Promise<string> {
  // A schedule that hangs has no tape.
  const bySeed = seedCommand(world, seed, defect);
  if (tape.length === 0) return failureText({ world, seed, failure, command: bySeed });
  const { found: least } = await threads.ask({ kind: 'tape', world, subject, tape, isShrunk: true });
  if (least === undefined) {
    const what = `${failure.what}\nIt does not repeat: a model or the kernel depends on more than the choices.`;
    return failureText({ world, seed, failure: { ...failure, what }, command: bySeed });
  }
  const file = join(directory, `${world}-${seed}.json`);
  const replay: Replay = { world, defect, tape: least.tape };
  await mkdir(directory, { recursive: true });
  await writeFile(file, `${JSON.stringify(replay)}\n`);
  const choices = { found: tape.length, left: least.tape.length };
  return failureText({ world, seed, failure: least.failure, choices, command: `npm run simulate -- --replay ${file}` });
}

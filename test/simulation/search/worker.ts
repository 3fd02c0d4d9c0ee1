import { parentPort, workerData } from 'node:worker_threads';
import { Choices } from '../kernel/choices.js';
import type { SmallDefinition } from '../small/small-world.js';
import { evaluateSubject, type Subject } from '../subject/load.js';
import type { WorldDefinition } from '../worlds/world-definition.js';
import { explore } from './exhaustive.js';
import type { Answer, Explore, PlaySeeds, PlayTape, Request } from './messages.js';
import { catchStrays, failureOf, type Outcome, play, takeStrays } from './play.js';
import { shrink } from './shrink.js';

/** Answers the requests of the thread that started this one. */
export function serve(
  worlds: ReadonlyMap<string, WorldDefinition>,
  smallWorlds: ReadonlyMap<string, SmallDefinition>,
): void {
  const progress = workerData as Float64Array;
  let loaded: { readonly text: string; readonly subject: Subject } | undefined;

  function subjectOf(text: string): Subject {
    if (loaded?.text !== text) loaded = { text, subject: evaluateSubject(text) };
    return loaded.subject;
  }

  function begin(seed: number): void {
    progress[0] = (progress[0] ?? 0) + 1;
    progress[1] = seed;
  }

  async function playSeeds(
    { first, count }: PlaySeeds,
    playOne: (choices: Choices) => Promise<Outcome>,
  ): Promise<Answer> {
    let steps = 0;
    for (let played = 1; played <= count; played++) {
      const seed = first + played - 1;
      begin(seed);
      const outcome = await playOne(Choices.ofSeed(seed));
      steps += outcome.steps;
      const { tape, failure } = outcome;
      if (failure) return { played, steps, found: { seed, tape, failure } };
    }
    return { played: count, steps };
  }

  async function playTape(request: PlayTape, playOne: (choices: Choices) => Promise<Outcome>): Promise<Answer> {
    const playOneTape = (tape: readonly number[]) => {
      begin(-1);
      return playOne(Choices.ofTape(tape));
    };
    const outcome = await playOneTape(request.tape);
    const { steps, tape, failure } = outcome;
    if (!failure) return { played: 1, steps };
    if (!request.isShrunk) return { played: 1, steps, found: { seed: -1, tape, failure } };
    const shrunk = await shrink(playOneTape, outcome);
    return { played: 1 + shrunk.plays, steps, found: { seed: -1, tape: shrunk.tape, failure: shrunk.failure } };
  }

  async function exploreWorld({ world: name, depth }: Explore, subject: Subject): Promise<Answer> {
    const world = smallWorlds.get(name);
    if (!world) throw new Error(`There is no small world ${name}.`);
    const explored = await explore((decide) => world.play(subject, decide), {
      ...{ mostDepth: depth, failureOf },
      onProgress: () => begin(-1),
    });
    const [stray] = await takeStrays();
    if (stray) throw new Error(`The world ${name} has an ${stray.invariant}: ${String(stray.error)}`);
    return { played: explored.transitions, steps: explored.transitions, explored };
  }

  async function answer(request: Request): Promise<Answer> {
    // Most errors are caught, and a stack takes longer than the step that made it.
    Error.stackTraceLimit = request.kind === 'seeds' ? 0 : 20;
    const subject = subjectOf(request.subject);
    if (request.kind === 'explore') return exploreWorld(request, subject);
    const world = worlds.get(request.world);
    if (!world) throw new Error(`There is no world ${request.world}.`);
    const playOne = (choices: Choices) => play(world, choices, subject);
    return request.kind === 'seeds' ? playSeeds(request, playOne) : playTape(request, playOne);
  }

  catchStrays();
  parentPort?.on('message', (request: Request) => {
    answer(request).then(
      (each) => parentPort?.postMessage({ answer: each }),
      (error) => parentPort?.postMessage({ error: error instanceof Error ? error.message : String(error) }),
    );
  });
}

import type { Answer } from '../post.js';
import { answerWords, isTaken } from './answer.js';
import { type Bench, type BenchOptions, createBench } from './bench.js';
import { type Case, failed, notRun, type Outcome } from './case.js';
import { authentic, BASELINE } from './cases/authentic.js';
import { behavior } from './cases/behavior.js';
import { exactlyOnce } from './cases/exactly-once.js';
import { refused } from './cases/refused.js';
import { CounterError } from './counter.js';

/** Every case, in the order in which they run. */
export const CASES: readonly Case[] = [...authentic, ...refused, ...exactlyOnce, ...behavior];

export interface Result extends Outcome {
  readonly case: Case;
  readonly durationMs: number;
}

export interface RunOptions extends BenchOptions {
  /** Groups and ids of the cases to run; empty runs all. */
  readonly only: readonly string[];
  /** Whether the time of the whole run is over. */
  readonly isOver: () => boolean;
}

/** Error codes of requests whose server may still listen. */
const STILL_THERE = ['ETIMEDOUT', 'ABORT_ERR'];

/** Runs cases one after the other. The first one always runs: without it, a refusal means nothing. */
export async function* runCases(options: RunOptions): AsyncGenerator<Result, { readonly isCounting: boolean }> {
  const { only, isOver } = options;
  let last: Answer | undefined;
  let gone: Answer | undefined;
  const send: BenchOptions['send'] = async (parcel) => {
    last = await options.send(parcel);
    if (!last.connected && !STILL_THERE.includes(last.code ?? '')) gone ??= last;
    return last;
  };
  const bench = createBench({ ...options, send });
  const isChosen = ({ id, group }: Case) => only.length === 0 || only.includes(id) || only.includes(group);
  let ended: string | undefined;
  for (const each of CASES) {
    const { id } = each;
    if (id !== BASELINE && !isChosen(each)) continue;
    if (isOver()) ended ??= 'the time of the run was over';
    const start = performance.now();
    const outcome = ended === undefined ? await outcomeOf(each, bench) : notRun(ended);
    if (gone) ended ??= `the receiver was gone after ${id}: ${answerWords(gone)}`;
    if (id === BASELINE && outcome.verdict === 'failed') {
      if (last && isTaken(last)) bench.stopCounting();
      else ended ??= `${id} was not taken, so the other answers would mean nothing`;
    }
    if (isChosen(each) || outcome.verdict !== 'passed')
      yield { case: each, ...outcome, durationMs: performance.now() - start };
  }
  return { isCounting: bench.isCounting };
}

async function outcomeOf(each: Case, bench: Bench): Promise<Outcome> {
  try {
    return await each.run(bench);
  } catch (error) {
    if (error instanceof CounterError) return failed(error.message, COUNTING);
    throw error;
  }
}

const COUNTING = { risk: 'The effects of this case are unknown.', fix: 'Have --effects print one number.' };

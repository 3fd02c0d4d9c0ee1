import type { Bundle } from './bundle.js';
import type { Done } from './messages.js';
import { shrink } from './shrink.js';
import { type Lost, type Task, watch } from './watch.js';

/** An input for which a property does not hold, or that does not end, or takes too much memory. */
export interface Finding {
  readonly message: string;
  readonly stack: string;
  readonly input: Buffer;
}

export interface Limits {
  readonly seed: number;
  readonly seconds: number;
  /** (Default: any number.) */
  readonly executions?: number;
}

/** Threads that may be lost to inputs: each such input is shrunk by losing more. */
const MOST_LOST = 3;
const SHRINK_TRIES = 12;

const isLost = (outcome: Done | Lost): outcome is Lost => 'message' in outcome;
const buffers = (inputs: readonly Uint8Array[]) => inputs.map((each) => Buffer.from(each));

/** Fuzzes a target from its seeds and `corpus`, within the limits. */
export async function fuzz(bundle: Bundle, corpus: readonly Buffer[], limits: Limits) {
  const { seed, seconds, executions: most = 2 ** 31 - 1 } = limits;
  const inputs = [...corpus];
  const findings: Finding[] = [];
  const end = performance.now() + 1000 * seconds;
  let executions = 0;

  for (let lost = 0; ; lost++) {
    const left = Math.max(0, (end - performance.now()) / 1000);
    const task: Task = { seed: seed + lost, seconds: left, executions: most - executions, corpus: inputs };
    const outcome = await watch(bundle, task, (message) => {
      if (message.kind === 'finding') findings.push({ ...message, input: Buffer.from(message.input) });
      else if (message.kind === 'entry') inputs.push(Buffer.from(message.input));
    });
    executions += outcome.executions;
    if (!isLost(outcome)) {
      return { executions, covered: outcome.covered, edges: bundle.edges, corpus: buffers(outcome.corpus), findings };
    }
    const { message } = outcome;
    const kills = async (input: Buffer) => {
      const again = await replay(bundle, input);
      return 'message' in again && again.message === message;
    };
    const input = await shrink(outcome.input, kills, SHRINK_TRIES);
    findings.push({ message, stack: '', input });
    if (lost + 1 === MOST_LOST) return { executions, covered: 0, edges: bundle.edges, corpus: inputs, findings };
  }
}

/** Runs one input. Resolves with what it does wrong, or with the branches that it covers. */
export async function replay(bundle: Bundle, input: Buffer): Promise<Finding | Done> {
  let finding: Finding | undefined;
  const task: Task = { seed: 0, seconds: 0, executions: 0, corpus: [input] };
  const outcome = await watch(bundle, task, (message) => {
    if (message.kind === 'finding') finding ??= { ...message, input: Buffer.from(message.input) };
  });
  return finding ?? (isLost(outcome) ? { ...outcome, stack: '' } : outcome);
}

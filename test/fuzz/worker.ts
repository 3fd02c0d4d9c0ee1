import { setImmediate } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { createRandom } from '../chaos/random.js';
import { Edges } from './edges.js';
import { Execution, type Failure } from './execution.js';
import { type Found, type Message, MOST_BYTES, Progress, type Request } from './messages.js';
import { mutate } from './mutate.js';
import { cover, Pool } from './pool.js';
import { shrink } from './shrink.js';
import type { Target } from './target.js';

const MOST_FINDINGS = 10;
/** Inputs between two turns of the event loop, in which stray errors are told. */
const TURN = 512;

const post = (message: Message) => parentPort?.postMessage(message);
const latin1 = (text: string) => Buffer.from(text, 'latin1');

/** Runs a target's seeds and corpus, then mutants of those that do something new, and tells what it finds. */
export function serve(target: Target): void {
  fuzz(target).catch((error: unknown) => {
    // An error of the fuzzer or of a target's setup: the process has a listener for those that nobody catches.
    post({ kind: 'broken', message: error instanceof Error ? `${error.message}\n${error.stack}` : String(error) });
  });
}

async function fuzz(target: Target): Promise<void> {
  const request = workerData as Request;
  const { __edges } = globalThis as unknown as { __edges: Uint32Array };
  const edges = new Edges(__edges, request.edges);
  const progress = new Progress(request.shared);
  const execution = new Execution(target);
  const pool = new Pool();
  const random = createRandom(request.seed);
  const found = new Set<string>();
  const mostBytes = Math.min(target.mostBytes ?? 1024, MOST_BYTES);
  const words = [...(target.dictionary ?? []).map(latin1), ...request.words.map((word) => Buffer.from(word))];
  const material = { random, words, mostBytes, other: () => pool.pick(random) };

  async function run(input: Buffer): Promise<Failure | undefined> {
    edges.reset();
    progress.begin(input);
    const failure = execution.run(input);
    const failed = failure instanceof Promise ? await failure : failure;
    progress.end();
    return failed;
  }

  async function report(failure: Failure, input: Buffer): Promise<void> {
    if (found.has(failure.key)) return;
    found.add(failure.key);
    const small = await shrink(input, async (candidate) => (await run(candidate))?.key === failure.key);
    execution.showStacks();
    const { message, stack } = (await run(small)) ?? failure;
    execution.hideStacks();
    post({ kind: 'finding', message, stack, input: small } satisfies Found);
  }

  async function attempt(input: Buffer): Promise<void> {
    const failure = await run(input);
    if (failure) await report(failure, input);
    else if (edges.isNew()) {
      pool.add({ input, features: edges.features() });
      post({ kind: 'entry', input });
    }
  }

  await target.setup?.();
  post({ kind: 'ready', mostMs: execution.mostMs });
  for (const input of [...target.seeds.map(latin1), ...request.corpus]) await attempt(Buffer.from(input));
  const end = performance.now() + 1000 * request.seconds;
  while (progress.executions < request.executions && performance.now() < end && found.size < MOST_FINDINGS) {
    await attempt(mutate(pool.pick(random), material));
    if (progress.executions % TURN === 0) await setImmediate();
  }
  await setImmediate();
  const stray = execution.takeStray();
  if (stray) await report(stray, progress.input);
  // The classes of counts guide the search; what is kept covers the branches.
  const branches = pool.entries.map(({ input, features }) => ({ input, features: features.map((each) => each >> 3) }));
  const corpus = cover(branches).map(({ input }) => input);
  // What is told must be read before the thread ends.
  parentPort?.once('message', () => process.exit());
  post({ kind: 'done', executions: progress.executions, covered: edges.covered, corpus });
}

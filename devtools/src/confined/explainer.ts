import type { Contents } from '../deliveries/contents.js';
import type { KnownContracts } from '../deliveries/known-contracts.js';
import type { BodyDiff } from '../explain/diff-bodies.js';
import { explainKnown } from '../explain/explain-failure.js';
import type { Finding } from '../explain/finding.js';
import type { Question } from '../explain/options.js';
import { createConfined, type Limits, type Undone } from './confined.js';
import { threadFile } from './explain-files.js';
import type { Task, TaskAnswer, Tasks } from './explain-tasks.js';

/** Explains, reads and decodes deliveries in a thread, within limits. Never rejects. */
export interface Explainer {
  /** Like `explainFailure`. If it was stopped, returns one finding about that. */
  explain(options: Question): Promise<readonly Finding[]>;
  /** The summary of a body; undefined when it could not be read. */
  read(rawBody: Uint8Array): Promise<Contents | undefined>;
  /** Views of a body's items from an index on; undefined when they could not be decoded. */
  view(rawBody: Uint8Array, contracts: KnownContracts, from?: number): Promise<Tasks['view']['answer'] | undefined>;
  /** The difference between two bodies; undefined when they could not be compared. */
  compare(signed: Uint8Array, received: Uint8Array): Promise<BodyDiff | undefined>;
  /** The same explainer with priority, for interactive requests. */
  readonly first: Omit<Explainer, 'first' | 'close'>;
  /** Stops the running task. */
  close(): void;
}

export interface ExplainerOptions {
  readonly limits?: Limits | undefined;
  /** The module of the thread. (Default: the one beside this module.) */
  readonly thread?: URL | undefined;
  /** Whether a running explanation keeps this process alive. (Default: true.) */
  readonly holdsProcess?: boolean | undefined;
}

/** Several times the cost of a 10 MiB delivery. */
const LIMITS: Limits = { timeMs: 5000, heapMiB: 384 };

export function createExplainer({
  limits = LIMITS,
  thread = threadFile,
  holdsProcess,
}: ExplainerOptions = {}): Explainer {
  const confined = createConfined<Task, TaskAnswer>(thread, limits, holdsProcess);

  const asking = (first: boolean): Explainer['first'] => {
    const ask = <Kind extends keyof Tasks>(kind: Kind, asked: Tasks[Kind]['asked']) =>
      confined.run({ kind, asked } as Task, first) as Promise<{ result: Tasks[Kind]['answer'] } | { undone: Undone }>;
    const resultOf = <Result>(outcome: { result: Result } | object) =>
      'result' in outcome ? outcome.result : undefined;
    return {
      async explain(options) {
        const known = explainKnown(options);
        if (known) return known;
        const outcome = await ask('explain', options);
        return 'result' in outcome ? outcome.result : [notExplained(outcome.undone, limits)];
      },
      read: async (rawBody) => resultOf(await ask('read', rawBody)),
      view: async (rawBody, contracts, from) => resultOf(await ask('view', { rawBody, contracts, from })),
      compare: async (signed, received) => resultOf(await ask('compare', { signed, received })),
    };
  };
  return { ...asking(false), first: asking(true), close: confined.close };
}

function notExplained(undone: Undone, { timeMs, heapMiB }: Limits): Finding {
  if (undone !== 'stopped') return { ...NOT_EXPLAINED, what: `This delivery was not explained: ${WHY[undone]}.` };
  return {
    cause: 'explanation-too-costly',
    what: `Explaining this delivery took more than ${timeMs / 1000} s or ${heapMiB} MiB and was stopped.`,
    fix: 'Reproduce it with a smaller delivery, or record it and run `explain` on the recording, which may take longer.',
  };
}

const WHY = {
  unstarted: 'this process cannot start a thread. It may have too many files open',
  full: 'too many deliveries were refused at once',
  closed: 'the program is ending',
};

const NOT_EXPLAINED = {
  cause: 'not-explained',
  fix: 'Open it on the page, or record it and run `explain` on the recording.',
} as const;

/** The finding when earlier explanations took too long. */
export const LATE: Finding = {
  ...NOT_EXPLAINED,
  what: 'This delivery was not explained: explaining earlier ones took too long.',
};

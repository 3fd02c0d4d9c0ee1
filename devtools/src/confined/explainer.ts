import { explainKnown } from '../explain/explain-failure.js';
import type { Finding } from '../explain/finding.js';
import type { Question } from '../explain/options.js';
import { createConfined, type Limits, type Outcome, type Undone } from './confined.js';
import { threadFile } from './explain-files.js';
import type { Tasks } from './explain-tasks.js';

/** Explains, reads and decodes deliveries in a thread, within limits. Never rejects. */
export interface Explainer {
  /** Like `explainFailure`. If it was stopped, returns one finding about that. */
  explain(question: Question): Promise<readonly Finding[]>;
  /** The summary of a body; undefined when it could not be read. */
  read: Confined<'read'>;
  /** The summary of a body, and views of its items from an index on; undefined when they could not be decoded. */
  view: Confined<'view'>;
  /** The same explainer with priority, for interactive requests. */
  readonly first: Omit<Explainer, 'first' | 'close'>;
  /** Stops the running task. */
  close(): void;
}

/** A task that runs in the thread. Resolves with undefined when it has no result. */
type Confined<Name extends keyof Tasks> = (
  ...args: Parameters<Tasks[Name]>
) => Promise<ReturnType<Tasks[Name]> | undefined>;

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
  const confined = createConfined(thread, limits, holdsProcess);

  const asking = (first: boolean): Explainer['first'] => {
    const ask = <Name extends keyof Tasks>(name: Name, ...args: Parameters<Tasks[Name]>) =>
      confined.run([name, ...args], first) as Promise<Outcome<ReturnType<Tasks[Name]>>>;
    const resultOf = <Result>(outcome: Outcome<Result>) => ('result' in outcome ? outcome.result : undefined);
    return {
      async explain(question) {
        const known = explainKnown(question);
        if (known) return known;
        const outcome = await ask('explain', question);
        return 'result' in outcome ? outcome.result : [notExplained(outcome.undone, limits)];
      },
      read: async (rawBody) => resultOf(await ask('read', rawBody)),
      view: async (...args) => resultOf(await ask('view', ...args)),
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

/** What is known without a search. For when earlier explanations took too long. */
export const explainLate = async (question: Question): Promise<readonly Finding[]> =>
  explainKnown(question) ?? [
    { ...NOT_EXPLAINED, what: 'This delivery was not explained: explaining earlier ones took too long.' },
  ];

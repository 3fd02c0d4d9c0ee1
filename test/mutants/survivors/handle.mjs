const COMPILER = 'It is never undefined there, which only the compiler does not know.';
const LONGEST = 'A limit of exactly 24.8 days then counts as none.';
const NO_REPORT = 'The catch makes the same of a context without a report.';
const NOBODY = 'Outcomes are looked up by key: one without a key is not found.';

/** Mutants that change nothing, or nothing that can be seen: by file and reason, the mutated lines. */
export const survivors = {
  'src/handle/attempt.ts': {
    'No event was tried: nothing is asked again, whatever the reason.': [
      `this.#answer(this.#failed("", this.#limit.error));`,
    ],
    'Only the other reasons are asked for.': [
      `return this.#failed(code === 'ERR_WEBHOOK_OUTCOME_UNKNOWN' ? "" : 'store', error);`,
    ],
  },
  'src/handle/context.ts': {
    [NO_REPORT]: [
      '(context as {\n  [REPORT]?: Report;\n} | null | undefined)?.[REPORT](error, idempotencyKey);',
      '(context as {\n  [REPORT]?: Report;\n} | null | undefined)[REPORT]?.(error, idempotencyKey);',
    ],
  },
  'src/handle/deadline.ts': {
    [LONGEST]: ["if (typeof ms === 'number' && ms < MAX_TIMER_MS) return Math.max(0, ms - reserveMs);"],
  },
  'src/handle/run-each.ts': {
    [NOBODY]: [
      'const outcomes: EventOutcome[] = ["Stryker was here"];',
      'if (items.size === 0) return ["Stryker was here"];',
    ],
    [COMPILER]: [
      'const own = outcomes.filter(({ idempotencyKey = "Stryker was here!" }) => tried.has(idempotencyKey));',
    ],
    'A part without events does nothing.': ['for (let start = 0; start <= entries.length; start += size) {'],
  },
  'src/handle/tracing.ts': {
    'A shortcut: tracePromise of a Node that can tell looks for subscribers too.': ['if (false) return work();'],
  },
};

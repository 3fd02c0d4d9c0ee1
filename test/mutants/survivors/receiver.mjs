const COMPILER = 'It is never undefined there, which only the compiler does not know.';
const LONGEST = 'A limit of exactly 24.8 days then counts as none.';
const SHORTCUT = 'A shortcut: without it the same happens, later or at a greater cost.';
const GIVEN_UP = 'Nothing looks at the misuse of a claim that was given up.';
const NO_REPORT = 'The catch makes the same of a context without a report.';
const CAUGHT = 'The TypeError of the call goes the way of any other failure there, and has the same effect.';
const NOBODY = 'Outcomes are looked up by key: one without a key is not found.';
const NO_TOLERANCE = 'Without a tolerance the age is 0, and 0 <= false: the check is for the compiler.';

/** Mutants that change nothing, or nothing that can be seen: by file and reason, the mutated lines. */
export const survivors = {
  'src/receive/arrivals.ts': {
    'The catch takes a missing listener for one that fails.': ['listener(error);'],
    'To count no bytes changes nothing.': [
      'if (!arriving.has(arrival) || !(bytes >= 0 && bytes < Number.POSITIVE_INFINITY)) return;',
    ],
  },
  'src/handle/attempt.ts': {
    [COMPILER]: ['if (true) this.ground.afterwards.wait(this.#settling, this.#host);'],
    [SHORTCUT]: [
      'if (false) return undefined;',
      "if (typeof returned !== 'object' && typeof returned !== 'function' && returned === null) return undefined;",
      'if ((false) || returned === null) return undefined;',
      "if ((typeof returned !== 'object' && typeof returned !== 'function') || false) return undefined;",
      'if (true) await handling;',
    ],
    'A run that was answered has a timer, unless tracing awaits a synchronous handler: nothing sees that run reject.': [
      'if (this.#isAnswered) this.#timer.cancel();',
    ],
    [GIVEN_UP]: ['this.#isMisused ||= true;'],
  },
  'src/handle/context.ts': {
    [NO_REPORT]: [
      '(context as {\n  [REPORT]?: Report;\n} | null | undefined)?.[REPORT](error, idempotencyKey);',
      '(context as {\n  [REPORT]?: Report;\n} | null | undefined)[REPORT]?.(error, idempotencyKey);',
    ],
  },
  'src/handle/dispatch.ts': {
    [SHORTCUT]: ['if (false) return [await to(from[0] as T)];'],
  },
  'src/handle/host-time.ts': {
    [LONGEST]: ["if (typeof ms === 'number' && ms < MAX_TIMER_MS) return ms;"],
  },
  'src/receive/receive.ts': {
    [NO_TOLERANCE]: [
      'if (true && !(Math.abs(age) <= toleranceSeconds)) {',
      'if (toleranceSeconds !== true && !(Math.abs(age) <= toleranceSeconds)) {',
    ],
  },
  'src/receiver/reporter.ts': {
    [CAUGHT]: [
      'notify(() => onError(error, context));',
      "verified: (items: number) => notify(() => logger.info({ items }, 'Delivery verified.')),",
    ],
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

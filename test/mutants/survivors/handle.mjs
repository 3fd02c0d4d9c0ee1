const CANNOT = 'The catch makes the same of a host without it.';
const NO_REPORT = 'The catch makes the same of a context without a report.';
const NOBODY = 'Outcomes are looked up by key: one without a key is not found.';

/** Mutants that change nothing, or nothing that can be seen: by file and reason, the mutated lines. */
export const survivors = {
  'src/handle/answer.ts': {
    'Of errors of one rank, any may give the answer.': [
      'for (const { error } of outcomes) if (error && (!worst || rank(error) >= rank(worst))) worst = error;',
    ],
  },
  'src/handle/attempt.ts': {
    'The keys that were tried are keys of the run, and equal tokens are the same.': [
      'if (this.#shared.countFailures) this.#abandoned = new Map([...tried].filter(([key]) => fresh.get(key).abandoned));',
      'return tokens.length === 0 ? undefined : tokens.reduce((least, token) => (token <= least ? token : least));',
    ],
    'No event was tried: nothing is asked again, whatever the reason.': [
      `this.#answer(this.#failed("", this.#limit.error));`,
    ],
    'Only the other reasons are asked for.': [
      `return this.#failed(code === 'ERR_WEBHOOK_OUTCOME_UNKNOWN' ? "" : 'store', error);`,
    ],
  },
  'src/handle/context.ts': {
    [NO_REPORT]: [
      '(context as {\n  readonly [REPORT]?: Report;\n} | null | undefined)?.[REPORT](error, idempotencyKey);',
      '(context as {\n  readonly [REPORT]?: Report;\n} | null | undefined)[REPORT]?.(error, idempotencyKey);',
    ],
  },
  'src/handle/dead-letter.ts': {
    'Reading what cannot be read gives nothing.': [
      'const code = readable(() => thrown.code) ?? error.code;',
      'const message = readable(() => thrown.message ?? thrown) ?? error.message;',
    ],
    'Without its return, the catch gives undefined too.': ['} catch {}'],
  },
  'src/handle/dispatch.ts': {
    'Only an event has a key, and can be a duplicate.': [
      "if (status === 'duplicate' && true) following?.hint(item.event);",
    ],
  },
  'src/handle/deadline.ts': {
    [CANNOT]: [
      'ms = host?.remainingMs();',
      'ms = host.remainingMs?.();',
      'ignorePromise(host?.waitUntil(work.catch(() => {})));',
      'ignorePromise(host.waitUntil?.(work.catch(() => {})));',
    ],
  },
  'src/handle/once.ts': {
    'Without a store, nobody reads the step.': [
      'stepOf: store ? (items, about) => stepOf(items, about, logOf) : () => undefined,',
    ],
  },
  'src/handle/outcome.ts': {
    'Bounds a chain of causes that has no end.': ['for (let depth = 0, each = error; depth <= 10; depth++) {'],
  },
  'src/handle/run-each.ts': {
    [NOBODY]: [
      'if (items.size === 0) return ["Stryker was here"];',
      'const outcomes: EventOutcome[] = ["Stryker was here"];',
    ],
    'A shortcut: everything is one part.': [
      'return (items, about) => (false ? atOnce(items, about) : inParts(items, most, about));',
      'return (items, about) => (items.size < most ? atOnce(items, about) : inParts(items, most, about));',
    ],
    'A part without events does nothing.': ['for (let start = 0; start <= entries.length; start += size) {'],
  },
  'src/handle/tracing.ts': {
    'A shortcut: tracePromise of a Node that can tell looks for subscribers too.': [
      'if (false) return work();',
      'false ? work() : channel.tracePromise(work, message);',
    ],
  },
};

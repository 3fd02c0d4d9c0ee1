const COMPILER = 'It is never undefined there, which only the compiler does not know.';
const LONGEST = 'A limit of exactly 24.8 days then counts as none.';
const SHORTCUT = 'A shortcut: without it the same happens, later or at a greater cost.';
const GIVEN_UP = 'Nothing looks at the misuse of a claim that was given up.';
const NO_REPORT = 'The catch makes the same of a context without a report.';
const CAUGHT = 'The TypeError of the call goes the way of any other failure there, and has the same effect.';
const NO_OTHER = 'What is waited for rejects with nothing else.';
const NOBODY = 'Outcomes are looked up by key: one without a key is not found.';
const COUNTED = 'A shortcut: the next check counts the bytes of any body.';
const DROPPED =
  'The delivery was dropped and answered: what goes on is without effect, and holds its bytes for longer.';
const NO_TOLERANCE = 'Without a tolerance the age is 0, and 0 <= false: the check is for the compiler.';
const PROBED = 'Whatever the run throws, the key was free.';

/** Mutants that change nothing, or nothing that can be seen. */
export const survivors = [
  {
    file: 'src/receive/arrivals.ts',
    to: 'if (this.#dropped) this.#listener(this.#dropped);',
    why: 'The catch takes a missing listener for one that fails.',
  },
  {
    file: 'src/receive/arrivals.ts',
    to: 'if (!arriving.has(arrival) || !(bytes >= 0 && bytes < Number.POSITIVE_INFINITY)) return;',
    why: 'To count no bytes changes nothing.',
  },
  {
    file: 'src/receive/arrivals.ts',
    to: 'if (true) drop(oldest, overloaded(message));',
    why: COMPILER,
  },
  {
    file: 'src/receive/arrivals.ts',
    to: 'if (true && hostMs <= MAX_TIMER_MS) {',
    why: 'Undefined is not below the limit either.',
  },
  { file: 'src/receive/arrivals.ts', to: 'if (hostMs !== undefined && hostMs < MAX_TIMER_MS) {', why: LONGEST },
  {
    file: 'src/handle/attempt.ts',
    to: 'if (true) this.ground.afterwards.wait(this.#settling, this.#host);',
    why: COMPILER,
  },
  { file: 'src/handle/attempt.ts', to: 'if (false) return undefined;', why: SHORTCUT },
  {
    file: 'src/handle/attempt.ts',
    to: "if (typeof returned !== 'object' && typeof returned !== 'function' && returned === null) return undefined;",
    why: SHORTCUT,
  },
  { file: 'src/handle/attempt.ts', to: 'if ((false) || returned === null) return undefined;', why: SHORTCUT },
  {
    file: 'src/handle/attempt.ts',
    to: "if ((typeof returned !== 'object' && typeof returned !== 'function') || false) return undefined;",
    why: SHORTCUT,
  },
  { file: 'src/handle/attempt.ts', to: 'if (true) await handling;', why: SHORTCUT },
  {
    file: 'src/handle/attempt.ts',
    to: 'if (this.#isAnswered) this.#timer.cancel();',
    why: 'A run that was answered has a timer, unless tracing awaits a synchronous handler: nothing sees that run reject.',
  },
  { file: 'src/handle/attempt.ts', to: 'this.#isMisused ||= true;', why: GIVEN_UP },
  { file: 'src/handle/attempt.ts', to: 'this.#isMisused ||= this.#phase !== "";', why: GIVEN_UP },
  {
    file: 'src/handle/attempt.ts',
    to: 'this.#phase = "";',
    why: 'Once answered, an attempt in any phase but running refuses all that a failed one refuses.',
  },
  {
    file: 'src/handle/context.ts',
    to: '(context as {\n  [REPORT]?: Report;\n} | null | undefined)?.[REPORT](error, idempotencyKey);',
    why: NO_REPORT,
  },
  {
    file: 'src/handle/context.ts',
    to: '(context as {\n  [REPORT]?: Report;\n} | null | undefined)[REPORT]?.(error, idempotencyKey);',
    why: NO_REPORT,
  },
  {
    file: 'src/handle/dispatch.ts',
    to: "if (true && typeof key === 'string') all.set(item, key);",
    why: 'Only events have a key.',
  },
  { file: 'src/handle/dispatch.ts', to: 'if (false) return [await to(from[0] as T, 0)];', why: SHORTCUT },
  {
    file: 'src/receive/drain.ts',
    to: 'gate.close(false);',
    why: 'Defence in depth: dropAll has refused what could still enter.',
  },
  {
    file: 'src/receive/drain.ts',
    to: 'const records: unknown = store ? store.unrecorded() : undefined;',
    why: CAUGHT,
  },
  { file: 'src/receive/drain.ts', to: 'const late = new Error("");', why: 'The error is compared and never shown.' },
  { file: 'src/receive/drain.ts', to: '} catch (error) {}', why: NO_OTHER },
  { file: 'src/receive/drain.ts', to: 'if (false) throw error;', why: NO_OTHER },
  { file: 'src/handle/enqueue-each.ts', to: 'if (items.size === 0) return ["Stryker was here"];', why: NOBODY },
  {
    file: 'src/handle/finality-stage.ts',
    to: 'for (let turns = 0; turns <= 8 && !isOver; turns++) await undefined;',
    why: SHORTCUT,
  },
  {
    file: 'src/handle/finality-stage.ts',
    to: 'for (const { event } of items) if (finality.isFinal(event) !== true) return false;',
    why: CAUGHT,
  },
  { file: 'src/handle/finality-stage.ts', to: '} catch {}', why: 'Undefined counts as false.' },
  {
    file: 'src/receive/gate.ts',
    to: 'else if (closed === \'no\') closed = "";',
    why: 'Any word but the other two means the same.',
  },
  {
    file: 'src/handle/host-time.ts',
    to: "if (typeof ms === 'number' && ms < MAX_TIMER_MS) return ms;",
    why: LONGEST,
  },
  { file: 'src/receive/receive.ts', to: 'if (false) checkSize(body.length);', why: COUNTED },
  { file: 'src/receive/receive.ts', to: 'if (typeof body === "") checkSize(body.length);', why: COUNTED },
  {
    file: 'src/receive/receive.ts',
    to: 'remainingMs: request.remainingMs && (() => request.remainingMs()),',
    why: COMPILER,
  },
  { file: 'src/receive/receive.ts', to: 'arrival.onDrop(() => {});', why: DROPPED },
  { file: 'src/receive/receive.ts', to: 'if (true && !(Math.abs(age) <= toleranceSeconds)) {', why: NO_TOLERANCE },
  {
    file: 'src/receive/receive.ts',
    to: 'if (toleranceSeconds !== true && !(Math.abs(age) <= toleranceSeconds)) {',
    why: NO_TOLERANCE,
  },
  { file: 'src/handle/probe.ts', to: 'options?.onReturn(stop);', why: PROBED },
  { file: 'src/handle/probe.ts', to: 'options.onReturn?.(stop);', why: PROBED },
  {
    file: 'src/signature/refusals.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a template
    to: "`The delivery is authentic but its timestamp is ${Math.ceil(Math.abs(ageSeconds))} s ${ageSeconds <= 0 ? 'ahead of' : 'behind'} this clock (toleranceSeconds: ${toleranceSeconds}): a replay, or a wrong clock. Set toleranceSeconds: false if your sender resends the first timestamp. ${MORE}`,",
    why: 'An age of 0 is within any tolerance.',
  },
  { file: 'src/receiver/reporter.ts', to: 'notify(() => onError(error, context));', why: CAUGHT },
  {
    file: 'src/receiver/reporter.ts',
    to: 'notify(() => logger[levelOf(error)]({ err: error, idempotencyKey }, error.message));',
    why: CAUGHT,
  },
  {
    file: 'src/receiver/reporter.ts',
    to: "else if (true) notify(() => logger.debug({ outcome, idempotencyKey }, 'Item settled.'));",
    why: CAUGHT,
  },
  {
    file: 'src/receiver/reporter.ts',
    to: "if (true) notify(() => logger.info({ status, items: outcomes.length }, 'Delivery answered.'));",
    why: CAUGHT,
  },
  {
    file: 'src/receiver/reporter.ts',
    to: "verified: (items) => notify(() => logger.info({ items }, 'Delivery verified.')),",
    why: CAUGHT,
  },
  { file: 'src/receiver/router.ts', to: '(true ? select(matchers, event, context) : undefined) ??', why: SHORTCUT },
  {
    file: 'src/receiver/router.ts',
    to: '(matchers.length >= 0 ? select(matchers, event, context) : undefined) ??',
    why: SHORTCUT,
  },
  {
    file: 'src/receiver/router.ts',
    to: "if (true) checkOptions('filter', { [key]: true }, Object.keys(PARTS));",
    why: 'checkOptions lets a known key pass.',
  },
  {
    file: 'src/receiver/router.ts',
    to: "if (!Object.hasOwn(PARTS, key)) checkOptions('filter', { [key]: false }, Object.keys(PARTS));",
    why: 'Any value but undefined will do to have the key refused.',
  },
  {
    file: 'src/receiver/router.ts',
    to: 'other === matcher || (other.id !== undefined && other.id === matcher.id);',
    why: COMPILER,
  },
  { file: 'src/receiver/router.ts', to: 'else if (false) places.set(key, handler);', why: SHORTCUT },
  { file: 'src/handle/run-each.ts', to: 'const outcomes: EventOutcome[] = ["Stryker was here"];', why: NOBODY },
  { file: 'src/handle/run-each.ts', to: 'if (items.size === 0) return ["Stryker was here"];', why: NOBODY },
  {
    file: 'src/handle/run-each.ts',
    to: "const isUndone = ground.store.transactional === true && outcomes[0].error?.code === 'ERR_WEBHOOK_HANDLER';",
    why: COMPILER,
  },
  {
    file: 'src/handle/run-each.ts',
    to: 'const isTried = ({ idempotencyKey = "Stryker was here!" }: EventOutcome) => tried.has(idempotencyKey);',
    why: COMPILER,
  },
  {
    file: 'src/handle/run-each.ts',
    to: '...(tried.size === 1 ? outcomes : await oneByOne(tried, about)),',
    why: 'The outcomes of the others come later, and replace these of the same keys.',
  },
  {
    file: 'src/handle/run-each.ts',
    to: 'for (let start = 0; start <= entries.length; start += size) {',
    why: 'A part without events does nothing.',
  },
  {
    file: 'src/handle/run-once.ts',
    to: 'return this.#onEvent(this.#item.event, createContext(this.#about, tx, fencingToken, limit, report));',
    why: COMPILER,
  },
  { file: 'src/handle/time-limit.ts', to: 'if (false) return;', why: SHORTCUT },
  {
    file: 'src/handle/time-limit.ts',
    to: "if (typeof returned !== 'object' && typeof returned !== 'function' && returned === null) return;",
    why: SHORTCUT,
  },
  { file: 'src/handle/time-limit.ts', to: 'if ((false) || returned === null) return;', why: SHORTCUT },
  {
    file: 'src/handle/time-limit.ts',
    to: "if ((typeof returned !== 'object' && typeof returned !== 'function') || false) return;",
    why: SHORTCUT,
  },
  {
    file: 'src/handle/tracing.ts',
    to: 'if (false) return work();',
    why: 'A shortcut: tracePromise of a Node that can tell looks for subscribers too.',
  },
];

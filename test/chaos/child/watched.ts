import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import type { IdempotencyStore, WebhookEvent } from '../../../src/index.js';
import { idOfKey, shortIdOfKey } from '../chain/logs.js';
import { monotonic } from '../clock.js';
import type { Start } from '../messages.js';
import { pass, tell, waiting } from './steps.js';

/** One moment on both clocks. */
interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

function moment(): Moment {
  return { monotonicMs: monotonic(), wallMs: Date.now() };
}

/** When the current callback began. The process can also be frozen after that. */
let turn = 0;
createHook({
  before() {
    turn = monotonic();
  },
}).enable();

/** The claim of the run that starts in this turn, and when the call that made it returned. */
let starting: { readonly claimed: Moment; readonly asked: number } | undefined;

/** Set where the store runs a handler. */
export const inClaim = new AsyncLocalStorage<true>();

/** When the handler of an event begins. Call it in that turn. */
export function startOf(id: string): Start {
  // The wall clock first: a process that is frozen between the two reads must not seem to have begun later than it did.
  const wallMs = Date.now();
  const at = monotonic();
  if (starting === undefined) tell({ broken: 'began in another turn than the one in which the store called run', id });
  const { claimed, asked } = starting ?? { claimed: { monotonicMs: at, wallMs }, asked: at };
  return { claimed: claimed.monotonicMs, asked, turn, at, wallMs: wallMs - claimed.wallMs };
}

/** A store that reports its records, and whose steps can trigger a fault. */
export function watched<Tx>(store: IdempotencyStore<Tx>): IdempotencyStore<Tx> {
  waiting.push(() => store.unrecorded?.().length ?? 0);

  /** `ask` calls the store, with `around` around every call of `run`. */
  async function watch<Answer>(
    ask: (around: (run: () => Promise<void>) => Promise<void>) => Promise<Answer>,
    keysOf: (answer: Answer) => readonly string[],
  ): Promise<Answer> {
    const claimed = moment();
    let asked = claimed.monotonicMs;
    const asking = ask(async (run) => {
      starting = { claimed, asked };
      const running = inClaim.run(true, run);
      starting = undefined;
      await running;
      pass('before-record');
    });
    asked = monotonic();
    pass('claim-answer');
    const answer = await asking;
    const handled = keysOf(answer);
    for (const key of handled) tell({ recorded: idOfKey(key), at: monotonic() });
    if (handled.length > 0) pass('after-record');
    return answer;
  }

  const { onceEach } = store;
  return {
    ...store,
    once: (key, run) =>
      watch(
        (around) => store.once(key, (tx, options) => around(() => run(tx, options))),
        (word) => (word === 'handled' ? [key] : []),
      ),
    ...(onceEach && {
      onceEach: (keys: readonly string[], run: Parameters<typeof onceEach>[1]) =>
        watch(
          (around) => onceEach(keys, (fresh, tx, options) => around(() => run(fresh, tx, options))),
          (words) => keys.filter((_, index) => words[index] === 'handled'),
        ),
    }),
  };
}

/** What an event is known by in a run. */
export function idOfEvent({ id }: WebhookEvent, { idempotencyKey }: { readonly idempotencyKey: string }): string {
  return shortIdOfKey(idempotencyKey) ?? id;
}

import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import type { LeaseStore, TransactionalStore, WebhookEvent } from '../../../src/index.js';
import type { Run, RunLimit, Step } from '../../../src/stores/store.js';
import { idOfKey, shortIdOfKey } from '../chain/keys.js';
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

/** The claims of the runs that start in this turn, and when the call that made them returned. */
const starting = new Map<string, { readonly claimed: Moment; readonly asked: number }>();

/** Set where the store runs a handler. */
export const inClaim = new AsyncLocalStorage<true>();

/** When the handler of an event begins. Call it in that turn. */
export function startOf(id: string): Start {
  // The wall clock first: a process that is frozen between the two reads must not seem to have begun later than it did.
  const wallMs = Date.now();
  const at = monotonic();
  const start = starting.get(id);
  if (start === undefined) tell({ broken: 'began in another turn than the one in which the store called run', id });
  const { claimed, asked } = start ?? { claimed: { monotonicMs: at, wallMs }, asked: at };
  return { claimed: claimed.monotonicMs, asked, turn, at, wallMs: wallMs - claimed.wallMs };
}

/** A store that reports its records, and whose steps can trigger a fault. */
export function watched(store: LeaseStore | TransactionalStore<never>): object {
  waiting.push(() => store.unrecorded?.().length ?? 0);
  const tellRecorded = (keys: readonly string[]) => {
    for (const key of keys) tell({ recorded: idOfKey(key), at: monotonic() });
    if (keys.length > 0) pass('after-record');
  };

  if (!('once' in store)) {
    return {
      ...store,
      async claim(...call: Parameters<typeof store.claim>) {
        const claimed = moment();
        const claiming = store.claim(...call);
        const asked = monotonic();
        pass('claim-answer');
        const answers = await claiming;
        for (const [key, answer] of answers)
          if (typeof answer === 'object') starting.set(nameOf(key), { claimed, asked });
        return answers;
      },
      async record(...call: Parameters<typeof store.record>) {
        pass('before-record');
        const recorded = await store.record(...call);
        tellRecorded([...recorded.keys()].filter((key) => recorded.get(key)));
        return recorded;
      },
    };
  }
  const { once } = store;
  return {
    ...store,
    async once(keys: readonly string[], step: Step, run: Run<never>, limit: RunLimit) {
      const claimed = moment();
      let asked = claimed.monotonicMs;
      const asking = once(
        keys,
        step,
        (fresh: Parameters<typeof run>[0], tx: never) => {
          for (const key of fresh.keys()) starting.set(nameOf(key), { claimed, asked });
          try {
            // A synchronous transaction ends in this turn.
            const running = inClaim.run(true, () => run(fresh, tx));
            if (running) return running.then(() => pass('before-record'));
            pass('before-record');
          } finally {
            for (const key of fresh.keys()) starting.delete(nameOf(key));
          }
        },
        limit,
      );
      asked = monotonic();
      pass('claim-answer');
      const words = await asking;
      tellRecorded(keys.filter((key) => words.get(key) === 'handled'));
      return words;
    },
  };
}

const nameOf = (key: string): string => shortIdOfKey(key) ?? idOfKey(key);

/** What an event is known by in a run. */
export function idOfEvent({ id }: WebhookEvent, { idempotencyKey }: { readonly idempotencyKey: string }): string {
  return shortIdOfKey(idempotencyKey) ?? id;
}

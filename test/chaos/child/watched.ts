import type { IdempotencyStore, RunOptions } from '../../../src/index.js';
import { monotonic } from '../clock.js';
import { pass, tell, waiting } from './steps.js';

/** One moment on both clocks. */
export interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export function moment(): Moment {
  return { monotonicMs: monotonic(), wallMs: Date.now() };
}

/** The claim of the run that is being started in this very turn. */
let starting: Moment | undefined;

/** When the store was asked for the key of the handler that begins. To be called in the turn in which it does. */
export function claimedAt(id: string): Moment {
  if (starting !== undefined) return starting;
  tell({ broken: 'began in another turn than the one in which the store had called its run', id });
  return moment();
}

/** A store that tells when it records, and at whose steps something can happen. */
export function watched<Tx>(store: IdempotencyStore<Tx>): IdempotencyStore<Tx> {
  waiting.push(() => store.unrecorded?.().length ?? 0);
  return {
    ...store,
    async once(key, run) {
      const claimed = moment();
      const started = async (tx: Tx, options?: RunOptions) => {
        starting = claimed;
        const running = run(tx, options);
        starting = undefined;
        await running;
        pass('before-record');
      };
      const asking = store.once(key, started);
      pass('claim-answer');
      const status = await asking;
      if (status === 'handled') {
        tell({ recorded: idOf(key), at: monotonic() });
        pass('after-record');
      }
      return status;
    },
  };
}

/** The id of the event in a key. */
export function idOf(key: string): string {
  return key.slice(key.lastIndexOf(':') + 1);
}

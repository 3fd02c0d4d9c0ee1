import type { EventItem } from '../events/parse-delivery.js';
import type { EventOutcome } from './answer.js';
import { attempt } from './attempt.js';
import { type About, createContext } from './context.js';
import { type Afterwards, groundOf, type RunSettings } from './ground.js';
import type { Task } from './task.js';
import type { OnEvent } from './types.js';

/** Runs `onEvent` for one event under its idempotency key. Never rejects. */
export type HandleOnce = (item: EventItem, about: About) => Promise<EventOutcome>;

export function createHandleOnce<Tx>(
  options: RunSettings<Tx> & { readonly onEvent: OnEvent<Tx> | undefined },
  afterwards: Afterwards,
): HandleOnce {
  const ground = groundOf(options, afterwards);
  const { onEvent } = options;
  return async (item, about) => {
    const { idempotencyKey } = about;
    const task: Task<Tx> = {
      items: new Map([[idempotencyKey, item]]),
      about,
      claim: async (run) => [
        await ground.store.once(idempotencyKey, (tx, options) => run([idempotencyKey], tx as Tx, options)),
      ],
      call: ({ tx, fencingToken, limit, report }) =>
        onEvent?.(item.event, createContext(about, tx, fencingToken, limit, report)),
    };
    const { outcomes } = await attempt(ground, task);
    return outcomes[0] as EventOutcome;
  };
}

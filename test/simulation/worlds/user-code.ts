import type { WebhookEvent } from '../../../src/events/types.js';
import type { OnEvent, OnEvents } from '../../../src/handle/types.js';
import type { Process } from '../kernel/process.js';
import type { Ledger, Run } from '../oracle/ledger.js';
import type { Subject } from '../subject/load.js';
import { act, type HandlerLimits } from './handler.js';

/** The code of a user: one of the options of a receiver. */
export type UserCode = { readonly onEvent: OnEvent; readonly concurrency: number } | { readonly onEvents: OnEvents };

/**
 * Handlers in one of the forms that a receiver takes, by choice: for one event, behind a router, or for the events of a
 * delivery at once. A process that starts again takes the same form: pass what `chooseForm` returned.
 */
export function userCode(
  form: Form,
  subject: Subject,
  process: Process,
  ledger: Ledger,
  limits: HandlerLimits,
  onBegin: (run: Run, fencingToken: bigint | undefined, deadline: number) => void = () => {},
  /** Names what takes effect. */
  idOf: (event: WebhookEvent) => string = ({ id }) => id,
): UserCode {
  const begin = (event: WebhookEvent, key: string, { fencingToken, deadline }: Told) => {
    const run = ledger.begin(process, idOf(event), key);
    onBegin(run, fencingToken, deadline);
    return run;
  };
  async function settle(runs: readonly Run[], work: (runs: readonly Run[]) => Promise<void>): Promise<void> {
    const end = (how: 'resolved' | 'rejected') => {
      for (const run of runs) ledger.end(run, how);
    };
    try {
      await work(runs);
    } catch (error) {
      end('rejected');
      throw error;
    }
    end('resolved');
  }
  const onEvent: OnEvent = (event, context) =>
    settle([begin(event, context.idempotencyKey, context)], ([run]) =>
      act(process, ledger, run as Run, context, limits),
    );
  if (form === 'onEvent') return { onEvent, concurrency: 2 };
  if (form === 'router') {
    const router = subject.createRouter().on('event.emitted', { name: 'Transfer' }, onEvent);
    return { onEvent: router.dispatch, concurrency: 1 };
  }
  return {
    onEvents: (entries, context) =>
      settle(
        entries.map(({ event, idempotencyKey }) => begin(event, idempotencyKey, context)),
        async (runs) => {
          for (const run of runs) await act(process, ledger, run, context, limits);
        },
      ),
  };
}

/** What a handler is told of its run. */
interface Told {
  readonly fencingToken?: bigint | undefined;
  readonly deadline: number;
}

export const FORMS = ['onEvent', 'router', 'onEvents'] as const;
export type Form = (typeof FORMS)[number];

import { chainVerdicts } from '../../../src/chain/finality/chain-finality.js';
import { type FinalityVerdict, finalityOf } from '../../../src/chain/finality/stage.js';
import { logIdentity } from '../../../src/evm/index.js';
import type { Finality } from '../../../src/handle/before.js';
import type { EventContext, Logger, WebhookEvent } from '../../../src/index.js';
import { CHAIN_ID } from '../chain/history.js';
import { idOfKey } from '../chain/keys.js';
import { monotonic } from '../clock.js';
import { pass, settings, tell } from './steps.js';
import type { Work } from './stores.js';
import { idOfEvent, inClaim } from './watched.js';

/** So that a run has many waits: the pace of the chain would allow few. */
const LONGEST_WAIT_MS = 400;
export const NODE_TIMEOUT_MS = 700;
/** Nodes that are away, lag or lie are what is tried. */
export const silent: Logger = { error() {}, warn() {}, info() {}, debug() {} };

/** Less than `handlerTimeoutMs`, after which an event waits for longer than a run may take. */
const ANSWER_MS = 0.8 * settings.handlerTimeoutMs;

async function slow(events: readonly WebhookEvent[]): Promise<FinalityVerdict[]> {
  await new Promise((resolve) => setTimeout(resolve, ANSWER_MS).unref());
  return events.map(() => ({ status: 'pending', retryAfterMs: LONGEST_WAIT_MS }));
}

/** Asks the nodes of the run whether events are final. Notes where it must not be asked. */
export function openFinality(): Finality {
  if (settings.chain === undefined) throw new Error('The mode has no chain.');
  const { rpcUrl, level, agree } = settings.chain;
  const { check } = chainVerdicts({
    ...{ rpcUrl, level, agree, chainId: CHAIN_ID, timeoutMs: NODE_TIMEOUT_MS, wait: 'redelivery' },
    logger: silent,
  });
  return finalityOf({
    wait: 'redelivery',
    onDropped,
    async check(events) {
      const [first] = events;
      if (first && inClaim.getStore()) tell({ broken: 'was asked for its finality inside a claim', id: first.id });
      const verdicts = await Promise.race([check(events), slow(events)]);
      pass('after-verdict');
      return verdicts.map((verdict) => {
        if (verdict.status !== 'pending') return verdict;
        return { ...verdict, retryAfterMs: Math.min(verdict.retryAfterMs, LONGEST_WAIT_MS) };
      });
    },
  });
}

export const identity = (event: WebhookEvent) => logIdentity(event, { chainId: CHAIN_ID });

/** The options of the receiver of a worker, which handles what was read from the chain itself. */
export function handling({ store, handle }: Work) {
  return {
    ...{ store, finality: openFinality(), idempotencyKey: identity },
    onEvent: (event: WebhookEvent, context: EventContext) => handle([idOfEvent(event, context)], context, 'reconcile'),
  };
}

/** The hook for events whose block is no longer on the chain. */
export function onDropped(_event: unknown, { idempotencyKey }: { readonly idempotencyKey: string }): void {
  tell({ dropped: idOfKey(idempotencyKey), at: monotonic() });
}

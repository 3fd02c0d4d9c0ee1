import type { WebhookEvent } from '../../../../src/events/types.js';
import type { Mined } from './block.js';
import type { Chain } from './chain.js';
import { nameOf } from './network.js';

/** What an event of a simulated chain is about. */
export interface About {
  readonly mined: Mined;
  /** Of the log, whatever the id of the event. */
  readonly name: string;
  readonly isRemoval: boolean;
}

/** The log that an event is about. */
export function aboutOf(event: WebhookEvent, chain: Chain): About {
  if (event.event !== 'event.emitted') throw new Error(`The chain model does not know ${event.event}.`);
  const { event: details, transaction } = event.data;
  const mined = chain.known.get(String(transaction?.blockHash));
  if (!mined) throw new Error(`The chain has no block ${transaction?.blockHash}.`);
  const isRemoval = details.rawFields?.includes('"removed":true') === true;
  return { mined, isRemoval, name: `${nameOf(mined)}#${details.indexInLog}` };
}

/** Names what takes effect: a log, or its removal. */
export function effectOf(event: WebhookEvent, chain: Chain): string {
  const { name, isRemoval } = aboutOf(event, chain);
  return isRemoval ? `${name} removed` : name;
}

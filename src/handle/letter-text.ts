import { WebhookError } from '../errors.js';
import { type EventItem, parseItems } from '../events/parse-delivery.js';
import type { WebhookEvent } from '../events/types.js';
import type { Failure } from '../stores/store.js';

const MOST_CODE = 100;
const MOST_MESSAGE = 1000;

/** An event as stores keep it. */
export interface Letter {
  readonly idempotencyKey: string;
  readonly source?: string | undefined;
  readonly item: EventItem;
}

/** An event as text for a store. Includes the key, because stores keep only a hash of some keys. */
export function letterText(idempotencyKey: string, event: WebhookEvent, source: string | undefined): string {
  return JSON.stringify({ idempotencyKey, source, event });
}

/** Reads the text that a store keeps of an event. Throws `ERR_WEBHOOK_STORE` for any other text. */
export function readLetter({ letter }: { readonly letter: string }, key: string): Letter {
  try {
    const { idempotencyKey, source, event } = JSON.parse(letter);
    const [item] = parseItems(JSON.stringify([event]), 1);
    if (typeof idempotencyKey === 'string' && item?.status === 'event') return { idempotencyKey, source, item };
  } catch {
    // The parser quotes the event.
  }
  throw new WebhookError('ERR_WEBHOOK_STORE', `The event of ${key} cannot be read. Discard the dead letter.`);
}

/** The code and message that a letter keeps: those of the value that the handler threw, if any. Never throws. */
export function reasonOf(error: WebhookError): Pick<Failure, 'code' | 'message'> {
  const { cause } = error;
  const isThrown = error.code === 'ERR_WEBHOOK_HANDLER' && cause !== undefined;
  return {
    code: cut(readable(() => (isThrown ? (cause as { code?: unknown }).code : error.code)) ?? error.code, MOST_CODE),
    message: cut(
      readable(() => (isThrown ? ((cause as Error).message ?? cause) : error.message)) ?? error.message,
      MOST_MESSAGE,
    ),
  };
}

/** A string or number as text; undefined for any other value, or if reading it throws. */
function readable(read: () => unknown): string | undefined {
  try {
    const value = read();
    return ['string', 'number', 'bigint'].includes(typeof value) && value !== '' ? String(value) : undefined;
  } catch {
    return undefined;
  }
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

import { InvalidEventError, WebhookError } from '../errors.js';
import { isNonRetryable, NonRetryableError } from '../handle/non-retryable.js';
import type { EnqueueContext, EventEntry } from '../handle/types.js';
import { checkOptions } from '../internal/check-options.js';
import { storableKey } from '../stores/storable.js';
import { engineError } from './engine-error.js';
import { jobOf, readJob } from './job.js';
import type { EnqueueOptions } from './options.js';
import { createRunJob, type EventWorkerOptions, WORKER_OPTIONS } from './run-job.js';

/** What `enqueue` receives beside its entries; the signal and the deadline are not stored. */
export type MessageContext = Omit<EnqueueContext, 'signal' | 'deadline'>;

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * The message of one entry for a queue of your choice: JSON in ASCII, because engines refuse some characters and anyone
 * can emit an event that contains them. It has the event, its idempotency key, and the delivery's timestamp and source.
 *
 * @example
 * ```ts
 * import type { Enqueue } from 'event-webhook-receiver';
 * import { messageId, toMessage } from 'event-webhook-receiver/queues';
 *
 * declare function publish(text: string, options: { id: string }): Promise<void>; // of your engine
 * export const enqueue: Enqueue = (entries, context) =>
 *   Promise.all(entries.map((entry) => publish(toMessage(entry, context), { id: messageId(entry) })));
 * ```
 * @param entry One of the entries that `enqueue` receives.
 * @param context The context that `enqueue` receives.
 */
export function toMessage(entry: EventEntry, context: MessageContext): string {
  return JSON.stringify(jobOf(entry, context)).replace(/[\u007f-\uffff]/g, escaped);
}

/**
 * An id for engines that remove duplicates: the idempotency key, or its SHA-256 if it is long or has characters that
 * engines may refuse. At most 200 characters, each a letter, a digit or one of `_.:@/+-`.
 */
export function messageId({ idempotencyKey }: Pick<EventEntry, 'idempotencyKey'>): string {
  return storableKey(idempotencyKey);
}

/**
 * Handles one message of {@link toMessage}: in the transaction or lease of the `store`, within the time limit. Resolves
 * once the event took effect, now or before: acknowledge the message then, and not earlier. It does not retry: pass its
 * error to {@link retryDelayMs}.
 *
 * @example
 * ```ts
 * import { memoryStore } from 'event-webhook-receiver';
 * import { handleMessage, retryDelayMs } from 'event-webhook-receiver/queues';
 *
 * const worker = { store: memoryStore(), onEvent: console.log }; // in production, the store of your database
 *
 * export async function onMessage(text: string, attempt: number) {
 *   try {
 *     await handleMessage(text, worker);
 *     return 'acknowledge';
 *   } catch (error) {
 *     const delayMs = retryDelayMs(error, attempt);
 *     return delayMs === undefined ? 'move to the dead letters' : `deliver again in ${delayMs} ms`;
 *   }
 * }
 * ```
 * @param message The text of the message, or its bytes in UTF-8.
 * @param options The handler and how it runs, as for `bullmqWorker`.
 * @throws NonRetryableError if no retry can succeed: the message is not one of `toMessage`, or the handler threw a
 * NonRetryableError. WebhookError for any other failure. The message names the causes. ConfigError for an invalid option.
 */
export async function handleMessage<Tx = undefined>(
  message: string | Uint8Array,
  options: EventWorkerOptions<Tx>,
): Promise<void> {
  checkOptions('handleMessage', options, WORKER_OPTIONS);
  const { runJob } = createRunJob(options);
  let delay: { readonly delayMs: number } | undefined;
  try {
    delay = await runJob(readMessage(message));
  } catch (error) {
    const { cause } = Object(error);
    if (isNonRetryable(cause)) throw new NonRetryableError(engineError(cause).message, { cause: error });
    const reason = engineError(error).message;
    if (error instanceof InvalidEventError) throw new NonRetryableError(reason, { cause: error });
    throw new WebhookError(WebhookError.codeOf(error) ?? 'ERR_WEBHOOK_INTERNAL', reason, { cause: error });
  }
  if (delay) throw Object.assign(new WebhookError('ERR_WEBHOOK_NOT_FINAL', WAITS), { retryAfterMs: delay.delayMs });
}

const WAITS = 'The event waits until its block is known to be final.';

function readMessage(message: string | Uint8Array) {
  return readJob({ json: typeof message === 'string' ? message : new TextDecoder().decode(message) });
}

/** When an event is tried again, and when it becomes a dead letter. */
export type RetryOptions = Pick<EnqueueOptions, 'attempts' | 'backoffMs'>;

/**
 * How long to wait before a message whose {@link handleMessage} rejected is tried again, in ms. Returns undefined if the
 * message is a dead letter: no retry can succeed, or it has used up its attempts. An event that waits for `finality` is
 * never a dead letter.
 *
 * @param error What `handleMessage` rejected with.
 * @param attempt Which try this was, from 1, as the engine counts its deliveries.
 */
export function retryDelayMs(error: unknown, attempt: number, options: RetryOptions = {}): number | undefined {
  const { attempts = 15, backoffMs = 1000 } = options;
  const { retryAfterMs } = Object(error);
  if (typeof retryAfterMs === 'number') return retryAfterMs;
  if (isNonRetryable(error) || !(attempt < attempts)) return undefined;
  return backoffMs * 2 ** (Math.max(attempt, 1) - 1);
}

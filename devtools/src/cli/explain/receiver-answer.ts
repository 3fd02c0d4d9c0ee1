import { createReceiver, type Receiver } from 'event-webhook-receiver';
import type { HeaderNames } from 'event-webhook-receiver/verify';
import { fixOf } from '../../deliveries/code-fixes.js';
import { headerOf } from '../../deliveries/headers.js';
import { unreadBody } from '../../deliveries/unread-body.js';
import type { ReadBy } from '../../explain/body-faults.js';
import { certain, type Finding, fault } from '../../explain/finding.js';

/** A delivery to explain. */
export interface Questioned {
  readonly rawBody: Uint8Array;
  readonly requestHeaders: readonly (readonly [name: string, value: string])[];
  /** Time of arrival in Unix milliseconds, if known. */
  readonly at?: number | undefined;
  readonly method?: string | undefined;
  /** The status that `listen` answered. */
  readonly status?: number | undefined;
  /** A sentence that says that the body is incomplete. */
  readonly incomplete?: string | undefined;
  readonly readBy?: ReadBy | undefined;
}

/** The command itself warns about quotes around a secret. */
const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** A receiver's answer to a delivery. */
interface ReceiverAnswer {
  /** Why the receiver refuses the delivery with a status other than 403, whatever the delivery's age. */
  readonly refusal?: Finding | undefined;
  /** Whether the receiver refuses the request before reading the body. */
  readonly bodyUnread: boolean;
}

/** Verifies a delivery with a receiver. */
export async function receiverAnswer(
  delivery: Questioned,
  { secret, headers }: { secret: readonly string[]; headers: HeaderNames },
): Promise<ReceiverAnswer> {
  const { rawBody, requestHeaders, status, incomplete } = delivery;
  const unread = unreadBody({ status, headers: requestHeaders.map(([name, value]) => [name, value]) }, rawBody);
  if (unread) return { refusal: unread, bodyUnread: true };
  if (incomplete !== undefined) {
    const fix =
      'Save the whole request. If it was cut on the way, look for a proxy that cuts requests (docs/operate/proxies.md).';
    const refusal = certain(fault('answer-503', `${incomplete} A receiver answers 503.`, fix));
    return { refusal, bodyUnread: true };
  }
  let receiver: Receiver;
  try {
    receiver = createReceiver({ secret, headers, toleranceSeconds: false, store: false, onEvent() {}, logger: silent });
  } catch (error) {
    const { message } = error as Error;
    const fix = 'Change the secret where the receiver reads it, as the message says.';
    return {
      refusal: certain(fault('secret-refused', `No receiver takes this secret: ${message}`, fix)),
      bodyUnread: false,
    };
  }
  let bodyUnread = true;
  const { status: answer, error } = await receiver.handleRequest({
    method: delivery.method ?? 'POST',
    header: (name) => headerOf(requestHeaders, name),
    rawBody: () => async () => {
      bodyUnread = false;
      return rawBody;
    },
  });
  // A receiver does not read a body whose headers are malformed either, but `explain` may still find the cause.
  if (error === undefined || answer === 403) return { bodyUnread: false };
  const refusal = certain(
    fault(`answer-${answer}`, `A receiver answers ${answer}: ${error.message}`, fixOf(error.code)),
  );
  return { refusal, bodyUnread };
}

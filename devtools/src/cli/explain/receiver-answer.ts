import { createReceiver } from 'event-webhook-receiver';
import type { HeaderNames } from 'event-webhook-receiver/verify';
import { codeFixes } from '../../deliveries/code-fixes.js';
import { headerOf } from '../../deliveries/headers.js';
import { unreadBody } from '../../deliveries/unread-body.js';
import { certain, type Finding, fault } from '../../explain/finding.js';
import type { Questioned } from './questioned.js';

/** What a delivery is verified with. */
interface Verification {
  readonly secret: readonly string[];
  readonly headers: HeaderNames;
  /** Unix milliseconds. */
  readonly now: number;
  readonly toleranceSeconds: number;
}

/** Why a receiver refuses a delivery with a status other than 403; undefined if it does not. */
export async function receiverAnswer(delivery: Questioned, using: Verification): Promise<Finding | undefined> {
  const { rawBody, signature, timestamp, requestHeaders = [], status, incomplete } = delivery;
  const { headers, now, ...others } = using;
  const unread = unreadBody({ status, headers: requestHeaders.map(([name, value]) => [name, value]) }, rawBody);
  if (unread) return unread;
  if (incomplete !== undefined) {
    const fix =
      'Save the whole request. If it was cut on the way, look for a proxy that cuts requests (docs/operate/proxies.md).';
    return certain(fault('answer-503', `${incomplete} A receiver answers 503.`, fix));
  }
  const given = new Map([
    [headers.signature.toLowerCase(), signature],
    [headers.timestamp.toLowerCase(), timestamp],
  ]);
  const receiver = createReceiver({ ...others, headers, now: () => now, store: false, onEvent: () => {} });
  const { status: answer, error } = await receiver.handleRequest({
    method: delivery.method ?? 'POST',
    header: (name) => given.get(name) ?? headerOf(requestHeaders, name),
    rawBody: () => rawBody,
  });
  if (error === undefined || answer === 403) return undefined;
  const fix = codeFixes[error.code as keyof typeof codeFixes];
  return certain(fault(`answer-${answer}`, `A receiver answers ${answer}: ${error.message}`, fix));
}

import { mayHoldFraction, parseExactJson } from '../events/exact-json.js';
import { isPosition, mayHoldRounded } from '../events/field-rules.js';
import { isRecord } from '../internal/guards.js';
import { notThisApi, resultOf } from './result.js';
import type { Answer } from './transport.js';

/** An entry of a webhook's delivery log. It is not what is sent: it has an id of its own, and the event's is not in it. */
export interface DeliveryLogEntry {
  readonly id: number;
  readonly eventType: string;
  /** The event's `data`. A number that JavaScript would round is the text of its digits. */
  readonly data: unknown;
  /** RFC 3339 time. */
  readonly createdAt?: string | undefined;
  /** RFC 3339 time; absent or null while it was not delivered. */
  readonly deliveredAt?: string | null | undefined;
  readonly [key: string]: unknown;
}

/** The items of an answer that is a list. */
export function listOf(result: unknown, answer: Answer): unknown[] {
  // What Go writes for a list that is empty.
  if (result === null) return [];
  if (Array.isArray(result)) return result;
  throw notThisApi(answer, 'a list');
}

/** The entries in an answer. */
export function entriesOf(answer: Answer): DeliveryLogEntry[] {
  const { result, text } = resultOf(answer);
  const list = listOf(result, answer);
  // What is signed again must hold the quantities that were sent.
  if (!list.some((entry) => mayHoldRounded(entry)) && !mayHoldFraction(text))
    return list.map((each) => entryOf(each, answer));
  const exact = parseExactJson(text) as { result: unknown };
  return listOf(exact.result, answer).map((each) => entryOf(each, answer));
}

function entryOf(value: unknown, answer: Answer): DeliveryLogEntry {
  if (isRecord(value) && isPosition(value.id) && typeof value.eventType === 'string') {
    return value as unknown as DeliveryLogEntry;
  }
  throw notThisApi(answer, 'a list of entries with id and eventType');
}

/** Whether an entry says when it was delivered. */
export function isDelivered({ deliveredAt }: DeliveryLogEntry): boolean {
  return typeof deliveredAt === 'string' && deliveredAt !== '';
}

import { type EventIssue, InvalidEventError } from '../errors.js';
import { parseEvent } from '../events/parse-event.js';
import type { WebhookEvent } from '../events/types.js';
import type { EnqueueContext, EventEntry } from '../handle/types.js';
import { isRecord } from '../internal/guards.js';

/** An event as the engine stores it. */
export interface EventJob {
  readonly event: WebhookEvent;
  readonly idempotencyKey: string;
  readonly timestamp: string;
  /** The verified source of the delivery, if the receiver's `secret` function returned one. */
  readonly source?: string | undefined;
  /** How the event arrived: `context.via` of its handler. */
  readonly via?: string | undefined;
  /** Set if the receiver has `finality`: a worker without `finality` must not handle the event. */
  readonly needsFinality?: true | undefined;
}

/** The data of a job: the job itself, or its JSON text if it contains characters that Postgres rejects in JSON. */
export type JobData = EventJob | { readonly json: string };

/** The job of one entry of a delivery. */
export function jobOf(
  { event, idempotencyKey }: EventEntry,
  { timestamp, source, via, needsFinality }: Pick<EnqueueContext, 'timestamp' | 'source' | 'via' | 'needsFinality'>,
): EventJob {
  return {
    ...{ event, idempotencyKey, timestamp },
    ...(source !== undefined && { source }),
    ...(via !== undefined && { via }),
    ...(needsFinality && { needsFinality }),
  };
}

/** NUL and lone surrogates as JSON.stringify writes them: Postgres rejects both in jsonb. May also match valid text. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/;

/**
 * The job itself, or its JSON text if Postgres would reject it. Anyone can emit an event with such a string, and an
 * event that cannot be stored would block its whole delivery.
 */
export function storableJob(job: EventJob): JobData {
  const json = JSON.stringify(job);
  return UNSTORABLE.test(json) ? { json } : job;
}

/** Reads what {@link storableJob} returned. Throws InvalidEventError for any other data. */
export function readJob(data: unknown): EventJob {
  const job = isRecord(data) && typeof data.json === 'string' ? parseJson(data.json) : data;
  if (!isRecord(job)) throw new InvalidEventError([{ path: [], message: 'expected the data of an event job' }]);
  const { idempotencyKey, timestamp, source, via, needsFinality } = job;
  const issues: EventIssue[] = [];
  if (typeof idempotencyKey !== 'string') issues.push({ path: ['idempotencyKey'], message: 'expected a string' });
  if (typeof timestamp !== 'string') issues.push({ path: ['timestamp'], message: 'expected a string' });
  const isSource = source === undefined || typeof source === 'string';
  if (!isSource) issues.push({ path: ['source'], message: 'expected a string' });
  try {
    const event = parseEvent(job.event);
    if (typeof idempotencyKey === 'string' && typeof timestamp === 'string' && isSource) {
      return {
        ...{ event, idempotencyKey, timestamp, source },
        ...(typeof via === 'string' && { via }),
        ...(needsFinality !== undefined && { needsFinality: true }),
      };
    }
  } catch (error) {
    issues.push(
      ...(error as InvalidEventError).issues.map(({ path, message }) => ({ path: ['event', ...path], message })),
    );
  }
  throw new InvalidEventError(issues);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidEventError([{ path: ['json'], message: 'expected JSON text' }]);
  }
}

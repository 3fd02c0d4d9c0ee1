import { createHash } from 'node:crypto';
import { ConfigError, type EventIssue, InvalidEventError } from '../errors.js';
import { parseEvent } from '../events/parse-delivery.js';
import type { WebhookEvent } from '../events/types.js';
import { checkNumber, checkStore, MAX_TIMER_MS } from '../internal/check-options.js';
import { isRecord } from '../internal/guards.js';
import type { EnqueueContext, EventContext } from '../receiver/options.js';
import { createHandleOnce } from '../receiver/run-once.js';
import type { IdempotencyStore } from '../stores/store.js';
import { runningKeys } from './running.js';

/** What both enqueue functions are told. */
export interface EnqueueOptions {
  /** How many times an event is tried before it is a dead letter. (Default: 15, which is some hours with `backoffMs`.) */
  readonly attempts?: number | undefined;
  /** How long after the first failed try the second follows, in ms; doubled with each. (Default: 1000.) */
  readonly backoffMs?: number | undefined;
  /**
   * How long an event is remembered after it took effect, in ms: longer than the sender retries, and the same in all
   * receivers of a queue. (Default: 7 days.)
   */
  readonly retentionMs?: number | undefined;
}

/** What both workers are told. */
export interface JobOptions<Tx = undefined> {
  /**
   * The store under which the handler runs, so that a job that the engine runs twice, as after a crash, takes effect
   * once. Where it holds keys by leases, the tries of a job must go on for longer than `leaseMs`. (Default: none; then a
   * handler must bear being run again. One process does not run a key twice at once: while a handler that is out of time
   * still runs, tries of its job fail as in progress, for 60 s or twice `handlerTimeoutMs`. Other processes run it.)
   */
  readonly store?: IdempotencyStore<Tx> | false | undefined;
  /** How long one handler may take, in ms; never longer than 0.9 of `store.leaseMs`. (Default: 30 000.) */
  readonly handlerTimeoutMs?: number | undefined;
  /**
   * Told of errors that do not fail the job: an event that a route passed over because it does not decode, a store that
   * fails after the time-out. What fails a job goes to the engine. (Default: none.)
   */
  readonly onError?: ((error: unknown, context: { readonly idempotencyKey: string }) => unknown) | undefined;
}

/** The same function as the receiver's `onEvent`. */
export type OnEvent<Tx> = (event: WebhookEvent, context: EventContext<Tx>) => unknown;

/** What an engine keeps of an event. */
export interface EventJob {
  readonly event: WebhookEvent;
  readonly idempotencyKey: string;
  readonly timestamp: string;
  /** The verified source of the delivery, where the receiver's `secret` names one. */
  readonly source?: string | undefined;
}

/** The data of a job: an event job, or one as JSON text where it holds characters that Postgres refuses in JSON. */
export type JobData = EventJob | { readonly json: string };

const DAY_MS = 86_400_000;

/** The options with their defaults. Throws ConfigError for a number out of range. */
export function resolveEnqueueOptions(options: EnqueueOptions): Required<{ [K in keyof EnqueueOptions]: number }> {
  const { attempts = 15, backoffMs = 1000, retentionMs = 7 * DAY_MS } = options;
  checkNumber('attempts', attempts, 1, 1000);
  if (!Number.isInteger(attempts)) throw new ConfigError('Option attempts must be a whole number.');
  checkNumber('backoffMs', backoffMs, 0, DAY_MS);
  checkNumber('retentionMs', retentionMs, 1);
  if (backoffMs * 2 ** (attempts - 2) > 365 * DAY_MS) {
    throw new ConfigError('With these attempts and backoffMs the last try would be years away. Lower one of them.');
  }
  return { attempts, backoffMs, retentionMs };
}

/** What is kept of each event of a delivery, with the key that makes it the same as another. */
export function jobsOf(
  events: readonly WebhookEvent[],
  { idempotencyKeys, timestamp, source }: Pick<EnqueueContext, 'idempotencyKeys' | 'timestamp' | 'source'>,
): EventJob[] {
  return events.map((event, index) => {
    const idempotencyKey = idempotencyKeys[index];
    if (idempotencyKey === undefined) throw new TypeError('There must be an idempotency key for each event.');
    return { event, idempotencyKey, timestamp, ...(source !== undefined && { source }) };
  });
}

/** NUL and lone surrogates as JSON.stringify writes them: Postgres takes neither into a jsonb. Errs towards a match. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/;

/**
 * The job as it is, or as text where it holds what Postgres refuses: anybody can emit an event with such a string, and
 * one event that cannot be stored would keep its whole delivery from being stored.
 */
export function storableJob(job: EventJob): JobData {
  const json = JSON.stringify(job);
  return UNSTORABLE.test(json) ? { json } : job;
}

/** Reads back what {@link storableJob} gave. Throws InvalidEventError for whatever else it is given. */
export function readJob(data: unknown): EventJob {
  const job = isRecord(data) && typeof data.json === 'string' ? parseJson(data.json) : data;
  if (!isRecord(job)) throw new InvalidEventError([{ path: [], message: 'expected the data of an event job' }]);
  const { idempotencyKey, timestamp, source } = job;
  const issues: EventIssue[] = [];
  if (typeof idempotencyKey !== 'string') issues.push({ path: ['idempotencyKey'], message: 'expected a string' });
  if (typeof timestamp !== 'string') issues.push({ path: ['timestamp'], message: 'expected a string' });
  const isSource = source === undefined || typeof source === 'string';
  if (!isSource) issues.push({ path: ['source'], message: 'expected a string' });
  try {
    const event = parseEvent(job.event);
    if (typeof idempotencyKey === 'string' && typeof timestamp === 'string' && isSource) {
      return { event, idempotencyKey, timestamp, source };
    }
  } catch (error) {
    if (!(error instanceof InvalidEventError)) throw error;
    issues.push(...error.issues.map(({ path, message }) => ({ path: ['event', ...path], message })));
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

/** For how long a handler without a store keeps other runs of its key from this process, at least. */
const HOLD_MS = 60_000;

/** Runs the handler for a job that was read. Rejects when it took no effect, for the engine to try again. */
export function createRunJob<Tx>(onEvent: OnEvent<Tx>, options: JobOptions<Tx>): (job: EventJob) => Promise<void> {
  const { store, handlerTimeoutMs = 30_000, onError } = options;
  if (typeof onEvent !== 'function')
    throw new ConfigError('onEvent must be a function: what is to happen with an event?');
  checkStore(store);
  if (onError !== undefined && typeof onError !== 'function')
    throw new ConfigError('Option onError must be a function.');
  checkNumber('handlerTimeoutMs', handlerTimeoutMs, 1, MAX_TIMER_MS);
  const keys = store || (runningKeys(Math.max(HOLD_MS, 2 * handlerTimeoutMs)) as IdempotencyStore<never>);
  const handleOnce = createHandleOnce<Tx>(
    { onEvent, store: keys, handlerTimeoutMs },
    {
      // The engine waits for its jobs itself.
      hold() {},
      wait() {},
      report(error, { idempotencyKey = '' }) {
        // An error of the error handler cannot be reported anywhere.
        (async () => onError?.(error, { idempotencyKey }))().catch(() => {});
      },
    },
  );
  return async ({ event, idempotencyKey, timestamp, source }) => {
    const { error } = await handleOnce({ status: 'event', event }, { idempotencyKey, timestamp, source });
    if (error !== undefined) throw error;
  };
}

export const LONGEST_TEXT = 10_000;

/** Text that every database takes, of bounded length. */
function storableText(text: string): string {
  return text.slice(0, LONGEST_TEXT).replaceAll('\0', '\ufffd').toWellFormed();
}

/** What kept a job from being done, as text: what failed, and why. */
function reasonOf(error: unknown): string {
  if (error instanceof InvalidEventError) {
    const issues = error.issues.map(({ path, message }) => `${path.join('.') || 'data'}: ${message}`);
    return `Not the data of an event job: ${issues.join('; ')}`;
  }
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} Cause: ${reasonOf(error.cause)}`;
}

/**
 * The error that an engine is given for a job: it stores message and stack, and where these hold what its database
 * refuses, the failure would not be recorded and the job would hang. Never throws.
 */
export function engineError(error: unknown, options?: ErrorOptions): Error {
  try {
    const failure = new Error(storableText(reasonOf(error)), options);
    const root = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    if (root instanceof Error) failure.stack = storableText(String(root.stack));
    return failure;
  } catch {
    // User code can throw anything, also what throws again when it is looked at.
    return new Error('The handler failed with something that cannot be read.');
  }
}

/**
 * What BullMQ takes for an id, and none of its own key names: on Redis a job's key is the queue's name and the id, so
 * that a job of the id `meta` would be taken for one that exists. All of those names are without a digit.
 */
const PLAIN = /^(?=.*[0-9])[\w.@+-]{1,200}$/;
const HASHED = 'sha256-';

/** The BullMQ id of a key: the key itself where BullMQ takes it, else its hash. Two keys never share an id. */
export function bullmqJobId(key: string): string {
  // BullMQ refuses whole numbers, and a database may take other numbers for the ids that it counts itself.
  if (PLAIN.test(key) && Number.isNaN(Number(key)) && !key.startsWith(HASHED)) return key;
  return HASHED + createHash('sha256').update(utf16(key)).digest('hex');
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const NAMESPACE = Buffer.from('9c5b1b8e2f0e4a60b8d53f1f6f0d7a11', 'hex');

/**
 * The pg-boss id of a key: the key itself where it is a UUID in lower case, else its UUIDv5. Two keys never share an
 * id: keys that are UUIDs of version 5 are hashed too, as one could be the hash of another key.
 */
export function pgBossJobId(key: string): string {
  const version = UUID.exec(key)?.[1];
  if (version !== undefined && version !== '5') return key;
  const bytes = createHash('sha1').update(NAMESPACE).update(utf16(key)).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The bytes of a key. UTF-16, because UTF-8 has one replacement for all lone surrogates. */
function utf16(key: string): Buffer {
  return Buffer.from(key, 'utf16le');
}

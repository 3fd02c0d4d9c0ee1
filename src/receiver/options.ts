import { ConfigError, type WebhookError } from '../errors.js';
import type { DeliveryItem, InvalidItem, UnknownItem } from '../events/parse-delivery.js';
import type { WebhookEvent } from '../events/types.js';
import { checkNumber, checkStore, MAX_TIMER_MS } from '../internal/check-options.js';
import type { Logger } from '../internal/logger.js';
import { type HeaderNames, serviceHeaders } from '../signature/headers.js';
import { memoryStore } from '../stores/memory.js';
import type { IdempotencyStore } from '../stores/store.js';

/** One secret, or several while one replaces another: any of them may match. */
export type Secret = string | readonly string[];

/** What an error is about. Both are absent when the whole delivery was refused. */
export interface ErrorContext {
  readonly item?: DeliveryItem | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** The request that a secret is looked up for. Nothing of it is verified yet: use it as a key to look up, and no more. */
export interface SecretRequest {
  /** A header's value by its name, in any case. */
  header(name: string): string | undefined;
  /** Path and query as the sender asked for them, such as `/webhooks/7?tenant=a`; absent where nobody said them. */
  readonly url?: string | undefined;
}

/** A secret together with what it stands for, such as a tenant or a webhook. */
export interface SourcedSecret {
  readonly secret: Secret;
  /** Prefixes every idempotency key, and is in `context`: no source can suppress the events of another. Not empty. */
  readonly source: string;
}

/** What a secret function gives: a secret or several, also with their source, or `undefined` where there is none (403). */
export type FoundSecret = Secret | SourcedSecret | undefined;

/** What verifying a delivery needs; what receivers and verifiers have in common. */
export interface VerifierOptions {
  /**
   * The webhook's signing secret, several, or a function of the request that finds them, called once a delivery: let it
   * cache. One that serves several webhooks or tenants gives `{ secret, source }`, for each of them.
   */
  readonly secret: Secret | ((request: SecretRequest) => FoundSecret | Promise<FoundSecret>);
  /** Names of the two signature headers. (Default: `serviceHeaders`.) */
  readonly headers?: HeaderNames | undefined;
  /** How many seconds a delivery's timestamp may differ from the clock, either way. (Default: any; 300 is usual.) */
  readonly toleranceSeconds?: number | undefined;
  /** Bodies of more bytes are answered 413. (Default: 10 MiB.) */
  readonly maxBodyBytes?: number | undefined;
  /**
   * How many deliveries may be arriving or being verified at once; beyond it the one that has been arriving longest is
   * answered 503. (Default: 1000.)
   */
  readonly maxArriving?: number | undefined;
  /**
   * How many bytes of them are kept at once, counted as they are received; beyond it the delivery that has been arriving
   * longest is answered 503. At least `maxBodyBytes`. (Default: 64 MiB.)
   */
  readonly maxArrivingBytes?: number | undefined;
  /** Verified deliveries beyond this many at once are answered 503; verifiers do not count them. (Default: 1000.) */
  readonly maxInFlight?: number | undefined;
  /** How long the body may take to arrive, and an async secret to be given, in ms; then 503. (Default: 30 000.) */
  readonly receiveTimeoutMs?: number | undefined;
  /** The clock that `toleranceSeconds` is held against, in milliseconds. (Default: `Date.now`.) */
  readonly now?: (() => number) | undefined;
  /**
   * Told of every refusal and failure; not waited for. Not of `ERR_WEBHOOK_RAW_BODY_UNAVAILABLE`, which the framework's own
   * error handler gets where there is one (`nodeHandler` reports it here).
   */
  readonly onError?: ((error: WebhookError, context: ErrorContext) => unknown) | undefined;
  /**
   * Logs in pino's shape (`console` will do): `error` for what is yours to look after, `warn` for every other refusal,
   * `info` for a delivery that was authentic, `debug` for each of its items. No secret, signature or body is in it.
   */
  readonly logger?: Logger | undefined;
}

/** What a handler is told about the event it is given. */
export interface EventContext<Tx = undefined> {
  /** What makes two events the same: `idempotencyKey(event)`, behind the source if there is one. */
  readonly idempotencyKey: string;
  /** What the secret function named beside the secret that verified the delivery. */
  readonly source?: string | undefined;
  /**
   * Aborted when `handlerTimeoutMs` is over: the event then counts as failed and will be handled again. Pass it on. It is
   * made when it is first read, so take it from the context itself: `{ ...context }` leaves it out. A timer aborts it, so
   * that it says nothing of a process that has just been frozen: see `throwIfExpired`.
   */
  readonly signal: AbortSignal;
  /** When `handlerTimeoutMs` is over, in epoch milliseconds. */
  readonly deadline: number;
  /**
   * Throws `ERR_WEBHOOK_HANDLER_TIMEOUT` once the handler's time is over, by the clocks: call it right before each effect.
   * Another replica may have taken over while this process was frozen. `{ ...context }` leaves it out, like `signal`.
   */
  readonly throwIfExpired: () => void;
  /** A number that grows with each claim of the key, to fence effects elsewhere with; absent where the store has none. */
  readonly fencingToken?: bigint | undefined;
  /** The delivery's timestamp: Unix seconds as text. */
  readonly timestamp: string;
  /** The open transaction of a transactional store. */
  readonly tx: Tx;
}

/** An event and its idempotency key. */
export interface EventEntry {
  readonly event: WebhookEvent;
  readonly idempotencyKey: string;
}

/** What `enqueue` learns about the delivery. */
export interface EnqueueContext {
  readonly signal: AbortSignal;
  readonly timestamp: string;
  readonly source?: string | undefined;
}

/** Stores the events of a delivery durably. Resolves when all of them are stored; rejects to have them redelivered. */
export type Enqueue = (entries: readonly EventEntry[], context: EnqueueContext) => unknown;

/** Options of `createReceiver` and of the handlers. */
export interface ReceiverOptions<Tx = undefined> extends VerifierOptions {
  /** Handles one event. Resolving means that it took effect; rejecting, that it must be sent again. */
  readonly onEvent?: ((event: WebhookEvent, context: EventContext<NoInfer<Tx>>) => unknown) | undefined;
  /** Stores the valid events of a delivery, each key once. Resolving means that all are stored. Instead of `onEvent`. */
  readonly enqueue?: Enqueue | undefined;
  /**
   * Remembers which events took effect. `false` turns that off. Not used with `enqueue`, where whatever stores the events
   * deduplicates by their keys. (Default: `memoryStore()`, which is one process's.)
   */
  readonly store?: IdempotencyStore<Tx> | false | undefined;
  /** What makes two events of one source the same. (Default: kind and id, `event.emitted:<id>`.) */
  readonly idempotencyKey?: ((event: WebhookEvent) => string) | undefined;
  /** How many events of one delivery are handled at once. (Default: 1, in their order.) */
  readonly concurrency?: number | undefined;
  /**
   * How long one handler or enqueue may take, in ms; a handler never longer than 0.9 of `store.leaseMs`. Then its signal is
   * aborted and the sender is answered 500. While it still runs, its key stays held for as long as the store's lease lasts,
   * and it counts in `maxInFlight`. (Default: 30 000.)
   */
  readonly handlerTimeoutMs?: number | undefined;
  /** Takes an item that is no valid event: resolving means that it is taken care of. (Default: the delivery is 422.) */
  readonly onInvalid?: ((item: InvalidItem) => unknown) | undefined;
  /** Sees an item of a kind that this version does not know. (Default: it is acknowledged.) */
  readonly onUnknown?: ((item: UnknownItem) => unknown) | undefined;
}

function checkFunctions(options: Record<string, unknown>): void {
  for (const name in options) {
    if (options[name] !== undefined && typeof options[name] !== 'function') {
      throw new ConfigError(`Option ${name} must be a function.`);
    }
  }
}

/** Gives the secrets back, or throws ConfigError when there is none, or something else among them. */
export function checkSecret(secret: Secret): Secret {
  const secrets = [secret].flat();
  if (secrets.length > 0 && secrets.every((each) => typeof each === 'string' && each !== '')) return secret;
  throw new ConfigError('`secret` must be a non-empty string, or several. Is the environment variable set?');
}

/** What a secret function gave, in one form. Throws ConfigError for anything else than a FoundSecret. */
export function checkFound(found: FoundSecret): { secret: Secret; source?: string | undefined } | undefined {
  if (found === undefined) return undefined;
  if (typeof found !== 'object' || found === null || Array.isArray(found))
    return { secret: checkSecret(found as Secret) };
  const { secret, source } = found as SourcedSecret;
  if (typeof source === 'string' && source !== '') return { secret: checkSecret(secret), source };
  throw new ConfigError('`source` must be a non-empty string beside the `secret` that a function returns.');
}

/** The options with their defaults. Throws ConfigError for whatever could only fail later. */
export function resolveVerifierOptions(options: VerifierOptions) {
  if (typeof options !== 'object' || options === null) throw new ConfigError('No options.');
  const { secret, headers = serviceHeaders, toleranceSeconds, now = Date.now, onError, logger } = options;
  const { maxBodyBytes = 10 * 1024 * 1024, maxInFlight = 1000, receiveTimeoutMs = 30_000 } = options;
  const { maxArriving = 1000, maxArrivingBytes = 64 * 1024 * 1024 } = options;
  if (typeof secret !== 'function') checkSecret(secret);
  checkFunctions({ now, onError });
  for (const level of ['debug', 'info', 'warn', 'error'] as const) {
    checkFunctions({ [`logger.${level}`]: logger && (logger[level] ?? null) });
  }
  if (!headers.signature || !headers.timestamp) {
    throw new ConfigError('Option headers must name both, as serviceHeaders does.');
  }
  if (toleranceSeconds !== undefined) checkNumber('toleranceSeconds', toleranceSeconds, 0);
  checkNumber('maxBodyBytes', maxBodyBytes, 1);
  checkNumber('maxArriving', maxArriving, 1);
  checkNumber('maxArrivingBytes', maxArrivingBytes, 1);
  if (maxArrivingBytes < maxBodyBytes) {
    throw new ConfigError(
      'Option maxArrivingBytes must be at least maxBodyBytes, or no body of that size could arrive.',
    );
  }
  checkNumber('maxInFlight', maxInFlight, 1);
  checkNumber('receiveTimeoutMs', receiveTimeoutMs, 1, MAX_TIMER_MS);
  const limits = { maxBodyBytes, maxArriving, maxArrivingBytes, maxInFlight, receiveTimeoutMs };
  return { secret, headers, toleranceSeconds, ...limits, now, onError, logger };
}

/** The options of a receiver alone, with their defaults. Throws ConfigError for whatever could only fail later. */
export function resolveReceiverOptions<Tx>(options: ReceiverOptions<Tx>) {
  const { onEvent, enqueue, idempotencyKey = kindAndId, onInvalid, onUnknown } = options;
  const { concurrency = 1, handlerTimeoutMs = 30_000 } = options;
  checkFunctions({ onEvent, enqueue, idempotencyKey, onInvalid, onUnknown });
  if ((onEvent === undefined) === (enqueue === undefined)) {
    throw new ConfigError('Give one of the options onEvent and enqueue.');
  }
  checkStore(options.store);
  checkNumber('concurrency', concurrency, 1);
  checkNumber('handlerTimeoutMs', handlerTimeoutMs, 1, MAX_TIMER_MS);
  const store = options.store ?? defaultStore<Tx>(handlerTimeoutMs);
  return { onEvent, enqueue, store, idempotencyKey, onInvalid, onUnknown, concurrency, handlerTimeoutMs };
}

/** Its lease is no shorter than what the handler is given. */
function defaultStore<Tx>(handlerTimeoutMs: number): IdempotencyStore<Tx> {
  return memoryStore({
    leaseMs: Math.min(Math.max(60_000, 2 * handlerTimeoutMs), MAX_TIMER_MS),
  }) as IdempotencyStore<Tx>;
}

function kindAndId(event: WebhookEvent): string {
  return `${event.event}:${event.id}`;
}

import { ConfigError } from '../errors.js';
import { checkedMaxEvents } from '../events/parse-delivery.js';
import { checkFinality, checkWaiting } from '../handle/finality.js';
import { kindAndId } from '../handle/idempotency-key.js';
import type { Enqueue, HandleOptions, OnEvent, OnEvents } from '../handle/types.js';
import { hasMethods } from '../internal/check-client.js';
import {
  checkFunction,
  checkNumber,
  checkOptions,
  checkStore,
  checkWhole,
  MAX_TIMER_MS,
  optionError,
} from '../internal/check-options.js';
import { checkSecret } from '../receive/find-secret.js';
import type { ReceiveOptions } from '../receive/receive.js';
import { serviceHeaders } from '../signature/headers.js';
import { memoryStore } from '../stores/memory.js';
import type { IdempotencyStore } from '../stores/store.js';
import type { ReceiverOptions, VerifierOptions } from './options.js';

// Records rather than lists, so that the compiler finds an option that is missing here.
const VERIFIER_NAMES: Record<keyof VerifierOptions, 1> = {
  secret: 1,
  headers: 1,
  toleranceSeconds: 1,
  maxBodyBytes: 1,
  maxEvents: 1,
  maxArriving: 1,
  maxArrivingBytes: 1,
  maxLookUps: 1,
  receiveTimeoutMs: 1,
  now: 1,
  onError: 1,
  logger: 1,
};
const OTHER_NAMES: Record<Exclude<keyof ReceiverOptions, keyof VerifierOptions>, 1> = {
  onEvent: 1,
  onEvents: 1,
  enqueue: 1,
  store: 1,
  idempotencyKey: 1,
  concurrency: 1,
  maxInFlight: 1,
  handlerTimeoutMs: 1,
  onInvalid: 1,
  onUnknown: 1,
  finality: 1,
  onDropped: 1,
};

const receiverNames = () => Object.keys(VERIFIER_NAMES).concat(Object.keys(OTHER_NAMES));

/** Throws ConfigError for an option that `createVerifier` does not have. */
export function checkVerifierNames(options: VerifierOptions): void {
  checkOptions('createVerifier', options, Object.keys(VERIFIER_NAMES));
}

/** Throws ConfigError for an option that `createReceiver` does not have. */
export function checkReceiverNames(options: unknown): void {
  checkOptions('createReceiver', options, receiverNames());
}

/** What an adapter calls, and knows each of them by. */
const METHODS = { receiver: 'handleRequest', verifier: 'verifyRequest' };

/**
 * Whether an adapter received the finished `kind` in place of options. Throws
 * ConfigError for an object that is both, as its options would have no effect, and for a receiver in place of a verifier
 * or the other way round.
 */
export function isFinished(given: unknown, kind: 'receiver' | 'verifier'): boolean {
  const method = METHODS[kind];
  if (!hasMethods<Record<string, unknown>>(given, method)) {
    const other = kind === 'receiver' ? 'verifier' : 'receiver';
    if (!hasMethods<Record<string, unknown>>(given, METHODS[other])) return false;
    throw new ConfigError(
      `This adapter takes a ${kind} or its options, got a ${other}. Use the adapter for a ${other}.`,
    );
  }
  // Options are plain objects. An instance of a class may call its own fields as it likes.
  if (![Object.prototype, null].includes(Object.getPrototypeOf(given))) return true;
  for (const [name, value] of Object.entries(given)) {
    // A receiver has a member of that name, too.
    if (value === undefined || name === 'idempotencyKey' || !receiverNames().includes(name)) continue;
    throw new ConfigError(`Pass a ${kind} or options, not both: \`${name}\` beside \`${method}\` has no effect.`);
  }
  return true;
}

/** A name that HTTP allows for a header. Fetch throws for any other, so every delivery would fail. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

function checkHeaders(headers: unknown): void {
  checkOptions('headers', headers, ['signature', 'timestamp']);
  const { signature, timestamp } = headers as Record<string, unknown>;
  for (const [name, value] of Object.entries({ signature, timestamp })) {
    if (typeof value === 'string' && HEADER_NAME.test(value)) continue;
    throw optionError(`headers.${name}`, 'the name of an HTTP header, as in `serviceHeaders`', value);
  }
  if (String(signature).toLowerCase() === String(timestamp).toLowerCase()) {
    throw new ConfigError('`headers.signature` and `headers.timestamp` must name two different headers.');
  }
}

function checkFunctions(options: Record<string, unknown>): void {
  for (const name in options) if (options[name] !== undefined) checkFunction(name, options[name]);
}

function checkLogger(logger: unknown): void {
  if (logger === undefined) return;
  if ((typeof logger !== 'object' && typeof logger !== 'function') || logger === null) {
    throw optionError('logger', 'an object with the functions debug, info, warn and error', logger);
  }
  for (const level of ['debug', 'info', 'warn', 'error']) checkFunction(`logger.${level}`, Reflect.get(logger, level));
}

/** The options of a verifier with their defaults. Throws ConfigError for an invalid option. */
export function resolveVerifierOptions(
  options: VerifierOptions,
): ReceiveOptions & Pick<VerifierOptions, 'onError' | 'logger'> {
  const { secret, headers = serviceHeaders, toleranceSeconds = 300, now = Date.now, onError, logger } = options;
  const { maxBodyBytes = 10 * 1024 * 1024, receiveTimeoutMs = 30_000 } = options;
  const { maxArriving = 1000, maxArrivingBytes = 64 * 1024 * 1024, maxLookUps = 100 } = options;
  if (typeof secret !== 'function') checkSecret(secret);
  checkFunctions({ now, onError });
  checkLogger(logger);
  checkHeaders(headers);
  if (toleranceSeconds !== false) {
    if (typeof toleranceSeconds !== 'number') {
      throw optionError('toleranceSeconds', 'a number of seconds, or false for any timestamp', toleranceSeconds);
    }
    checkNumber('toleranceSeconds', toleranceSeconds, 0);
  }
  checkNumber('maxBodyBytes', maxBodyBytes, 1);
  const maxEvents = checkedMaxEvents(options);
  checkNumber('maxArriving', maxArriving, 1);
  checkNumber('maxArrivingBytes', maxArrivingBytes, 1);
  if (maxArrivingBytes < maxBodyBytes) {
    throw new ConfigError('`maxArrivingBytes` must be at least `maxBodyBytes`, or a body of that size cannot arrive.');
  }
  checkNumber('maxLookUps', maxLookUps, 1);
  checkNumber('receiveTimeoutMs', receiveTimeoutMs, 1, MAX_TIMER_MS);
  const limits = { maxBodyBytes, maxEvents, maxArriving, maxArrivingBytes, maxLookUps, receiveTimeoutMs };
  return { secret, headers, toleranceSeconds, ...limits, now, onError, logger };
}

/** The other options of a receiver with their defaults. Throws ConfigError for an invalid option. */
export function resolveReceiverOptions<Tx>(options: ReceiverOptions<Tx>): HandleOptions<Tx> {
  // Callers without types may pass several, or none.
  const { onEvent, onEvents, enqueue, concurrency = 1 } = options as object as Handlers<Tx>;
  const { idempotencyKey = kindAndId, onInvalid, onUnknown, finality, onDropped } = options;
  const { maxInFlight = 1000, handlerTimeoutMs = 30_000 } = options;
  checkFunctions({ onEvent, onEvents, enqueue, idempotencyKey, onInvalid, onUnknown });
  const set = [onEvent, onEvents, enqueue].filter((each) => each !== undefined).length;
  if (set !== 1) {
    throw new ConfigError(`Set one of \`onEvent\`, \`onEvents\` and \`enqueue\`, got ${set === 0 ? 'none' : set}.`);
  }
  if (onEvents && options.concurrency !== undefined) {
    throw new ConfigError('`concurrency` has no effect with `onEvents`, which gets all events of a delivery at once.');
  }
  checkStore(options.store);
  checkFinality(finality, onDropped);
  if (finality) checkWaiting(finality, options);
  checkWhole('concurrency', concurrency, 1);
  checkNumber('maxInFlight', maxInFlight, 1);
  checkNumber('handlerTimeoutMs', handlerTimeoutMs, 1, MAX_TIMER_MS);
  const store = options.store ?? defaultStore<Tx>(handlerTimeoutMs);
  const handlers = { onEvent, onEvents, enqueue, onInvalid, onUnknown, finality, onDropped };
  return { ...handlers, store, idempotencyKey, concurrency, maxInFlight, handlerTimeoutMs };
}

interface Handlers<Tx> {
  readonly onEvent?: OnEvent<Tx>;
  readonly onEvents?: OnEvents<Tx>;
  readonly enqueue?: Enqueue;
  readonly concurrency?: number;
}

/** Its lease is longer than the handler's time limit. */
function defaultStore<Tx>(handlerTimeoutMs: number): IdempotencyStore<Tx> {
  return memoryStore({
    leaseMs: Math.min(Math.max(60_000, 2 * handlerTimeoutMs), MAX_TIMER_MS),
  }) as IdempotencyStore<Tx>;
}

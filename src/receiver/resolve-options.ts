import { ConfigError } from '../errors.js';
import { MAX_EVENTS } from '../events/parse-delivery.js';
import type { Finality } from '../handle/before.js';
import { kindAndId } from '../handle/idempotency-key.js';
import type { Enqueue, HandleOptions, OnEvent, OnEvents, OnInvalid, OnUnknown } from '../handle/types.js';
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
import type { Logger } from '../internal/logger.js';
import { checkSecret } from '../receive/find-secret.js';
import type { ReceiveOptions } from '../receive/receive.js';
import type { Secret, SecretFunction } from '../receive/secret.js';
import { type HeaderNames, serviceHeaders } from '../signature/headers.js';
import { memoryStore } from '../stores/memory.js';
import type { IdempotencyStore } from '../stores/store.js';
import type { OnError, ReceiverOptions, VerifierOptions } from './options.js';

/** What an option may be: throws ConfigError for another value, and returns the default for a missing one. */
type Rule<Value> = (value: unknown, name: string) => Value;

const number =
  (fallback: number, max?: number): Rule<number> =>
  (value = fallback, name) => {
    checkNumber(name, value, 1, max);
    return value as number;
  };

const whole =
  (fallback: number): Rule<number> =>
  (value = fallback, name) => {
    checkWhole(name, value, 1);
    return value as number;
  };

const aFunction =
  <Value>(fallback?: Value): Rule<Value> =>
  (value = fallback, name) => {
    if (value !== undefined) checkFunction(name, value);
    return value as Value;
  };

/** Checked once the others are known, on which it depends. */
const checkedLater =
  <Value>(): Rule<Value> =>
  (value) =>
    value as Value;

/** A name that HTTP allows for a header. Fetch throws for any other. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

const headers: Rule<HeaderNames> = (value = serviceHeaders, name) => {
  checkOptions(name, value, ['signature', 'timestamp']);
  const { signature, timestamp } = value as HeaderNames;
  for (const [key, header] of Object.entries({ signature, timestamp })) {
    if (typeof header === 'string' && HEADER_NAME.test(header)) continue;
    throw optionError(`${name}.${key}`, 'the name of an HTTP header, as in `serviceHeaders`', header);
  }
  return value as HeaderNames;
};

const logger: Rule<Logger | undefined> = (value, name) => {
  if (value === undefined || hasMethods<Logger>(value, 'debug', 'info', 'warn', 'error')) return value;
  throw optionError(name, 'an object with the functions debug, info, warn and error', value);
};

// Functions, so that bundlers leave the rules out of what creates no receiver.
const verifierRules = () =>
  ({
    secret: (value: unknown) =>
      typeof value === 'function' ? (value as SecretFunction) : checkSecret(value as Secret),
    headers,
    toleranceSeconds(value: unknown = 300, name: string) {
      if (value !== false) checkNumber(name, value, 0);
      return value as number | false;
    },
    maxBodyBytes: number(10 * 1024 * 1024),
    maxEvents: whole(MAX_EVENTS),
    maxArriving: number(1000),
    maxArrivingBytes: number(64 * 1024 * 1024),
    maxLookUps: number(100),
    receiveTimeoutMs: number(30_000, MAX_TIMER_MS),
    now: aFunction(Date.now),
    onError: aFunction<OnError | undefined>(),
    logger,
  }) satisfies Record<keyof VerifierOptions, Rule<unknown>>;

const receiverRules = () =>
  ({
    ...verifierRules(),
    onEvent: aFunction<OnEvent<never> | undefined>(),
    onEvents: aFunction<OnEvents<never> | undefined>(),
    enqueue: aFunction<Enqueue | undefined>(),
    store: checkedLater<IdempotencyStore<never> | false | undefined>(),
    idempotencyKey: aFunction(kindAndId),
    concurrency: whole(1),
    maxInFlight: number(1000),
    handlerTimeoutMs: number(30_000, MAX_TIMER_MS),
    onInvalid: aFunction<OnInvalid | undefined>(),
    onUnknown: aFunction<OnUnknown | undefined>(),
    finality: checkedLater<Finality | undefined>(),
  }) satisfies Record<keyof ReceiverOptions, Rule<unknown>>;

type Rules = Readonly<Record<string, Rule<unknown>>>;
type VerifierRules = ReturnType<typeof verifierRules>;
type Resolved<From extends Rules> = { readonly [Name in keyof From]: ReturnType<From[Name]> };

/** The options of `owner` with their defaults. Throws ConfigError for an unknown or invalid one. */
function resolve<From extends Rules & VerifierRules>(owner: string, rules: From, options: object) {
  checkOptions(owner, options, Object.keys(rules));
  const given = options as Readonly<Record<string, unknown>>;
  const resolved = Object.fromEntries(
    Object.entries<Rule<unknown>>(rules).map(([name, rule]) => [name, rule(given[name], name)]),
  ) as Resolved<From>;
  const { maxArrivingBytes, maxBodyBytes } = resolved as Resolved<VerifierRules>;
  if (maxArrivingBytes < maxBodyBytes) {
    throw new ConfigError('`maxArrivingBytes` must be at least `maxBodyBytes`, or a body of that size cannot arrive.');
  }
  return resolved;
}

type ResolvedVerifier = ReceiveOptions & Pick<VerifierOptions, 'onError' | 'logger'>;

/** The options of a verifier with their defaults. Throws ConfigError for an unknown or invalid one. */
export function resolveVerifierOptions(options: VerifierOptions): ResolvedVerifier {
  return resolve('createVerifier', verifierRules(), options);
}

/** The options of a receiver with their defaults. Throws ConfigError for an unknown or invalid one. */
export function resolveReceiverOptions<Tx>(options: ReceiverOptions<Tx>): ResolvedVerifier & HandleOptions<Tx> {
  const resolved = resolve('createReceiver', receiverRules(), options);
  const { onEvent, onEvents, enqueue, handlerTimeoutMs, finality } = resolved;
  const set = [onEvent, onEvents, enqueue].filter((each) => each !== undefined).length;
  if (set !== 1) {
    throw new ConfigError(`Set one of \`onEvent\`, \`onEvents\` and \`enqueue\`, got ${set === 0 ? 'none' : set}.`);
  }
  if (onEvents && options.concurrency !== undefined) {
    throw new ConfigError('`concurrency` has no effect with `onEvents`, which gets all events of a delivery at once.');
  }
  checkStore(options.store);
  if (finality !== undefined) {
    if (!hasMethods<Finality>(finality, 'before')) {
      throw optionError('finality', 'a Finality, such as the result of chainFinality', finality);
    }
    if (options.store === false && !enqueue) throw new ConfigError('`finality` needs a `store`, got false.');
    finality.check?.(options);
  }
  // Its lease is longer than the handler's time limit.
  const leaseMs = Math.min(Math.max(60_000, 2 * handlerTimeoutMs), MAX_TIMER_MS);
  return { ...resolved, store: resolved.store ?? memoryStore({ leaseMs }) } as ResolvedVerifier & HandleOptions<Tx>;
}

/** What an adapter calls, and knows each of them by. */
const METHODS = { receiver: 'handleRequest', verifier: 'verifyRequest' };

/** Whether an adapter received the finished `kind` in place of options. Throws ConfigError for the other kind. */
export function isFinished(given: unknown, kind: keyof typeof METHODS): boolean {
  const has = (each: keyof typeof METHODS) => hasMethods<Record<string, unknown>>(given, METHODS[each]);
  const other = kind === 'receiver' ? 'verifier' : 'receiver';
  if (has(kind) || !has(other)) return has(kind);
  throw new ConfigError(`This adapter takes a ${kind} or its options, got a ${other}. Use the adapter for a ${other}.`);
}

import { ConfigError } from '../errors.js';
import { MAX_EVENTS } from '../events/parse-delivery.js';
import type { DeadLetterLimits } from '../handle/dead-letter.js';
import { kindAndId } from '../handle/idempotency-key.js';
import type { HandleOptions } from '../handle/options.js';
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
import type { ReceiveOptions, Secret } from '../receive/options.js';
import { checkSecret } from '../receive/secret.js';
import { type HeaderNames, serviceHeaders } from '../signature/headers.js';
import { memoryStore } from '../stores/memory.js';
import type { ReceiverOptions, VerifierOptions } from './options.js';

/** Throws ConfigError for a value that an option does not take. */
type Check = (name: string, value: unknown, ...range: number[]) => unknown;

/** The check of an option, its default, and the range of a number. Without a default, only a given value is checked. */
type Rule = readonly [check: Check, fallback?: unknown, ...range: number[]];

/** A name that HTTP allows for a header. Fetch throws for any other. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

function checkHeaders(name: string, value: unknown): void {
  checkOptions(name, value, ['signature', 'timestamp']);
  const { signature, timestamp } = value as HeaderNames;
  for (const [key, header] of Object.entries({ signature, timestamp })) {
    if (typeof header === 'string' && HEADER_NAME.test(header)) continue;
    throw optionError(`${name}.${key}`, 'the name of an HTTP header, as in `serviceHeaders`', header);
  }
}

/** Returns a check for an object with the methods. */
const checkMethods =
  (takes: string, ...methods: string[]): Check =>
  (name, value) => {
    if (!hasMethods<Record<string, unknown>>(value, ...methods)) throw optionError(name, takes, value);
  };

function checkLimits(name: string, value: unknown): void {
  checkOptions(name, value, ['afterAttempts', 'afterSeconds']);
  const { afterAttempts = 1, afterSeconds = 0 } = value as DeadLetterLimits;
  checkWhole(`${name}.afterAttempts`, afterAttempts, 1);
  checkNumber(`${name}.afterSeconds`, afterSeconds, 0);
}

/** Accepts values that are checked elsewhere. */
const anything: Check = () => {};

// Functions, so that bundlers drop the rules from code that creates no receiver.
const verifierRules = (): Record<keyof VerifierOptions, Rule> => ({
  secret: [anything],
  headers: [checkHeaders, serviceHeaders],
  toleranceSeconds: [(name, value) => value === false || checkNumber(name, value, 0), 300],
  maxBodyBytes: [checkNumber, 10 * 1024 * 1024, 1],
  maxEvents: [checkWhole, MAX_EVENTS, 1],
  maxArriving: [checkNumber, 1000, 1],
  maxArrivingBytes: [checkNumber, 64 * 1024 * 1024, 1],
  maxLookUps: [checkNumber, 100, 1],
  receiveTimeoutMs: [checkNumber, 30_000, 1, MAX_TIMER_MS],
  now: [checkFunction, Date.now],
  onError: [checkFunction],
  logger: [checkMethods('an object with the functions debug, info, warn and error', 'debug', 'info', 'warn', 'error')],
});

const receiverRules = (): Record<keyof ReceiverOptions, Rule> => ({
  ...verifierRules(),
  onEvent: [checkFunction],
  onEvents: [checkFunction],
  enqueue: [checkFunction],
  store: [(_, store) => checkStore(store as object | false)],
  idempotencyKey: [checkFunction],
  concurrency: [checkWhole, 1, 1],
  maxInFlight: [checkNumber, 1000, 1],
  handlerTimeoutMs: [checkNumber, 30_000, 1, MAX_TIMER_MS],
  deadLetters: [checkLimits],
  onDeadLetter: [checkFunction],
  onInvalid: [checkFunction],
  onUnknown: [checkFunction],
  finality: [checkMethods('a Finality, such as the result of chainFinality', 'before')],
  reorgs: [checkMethods('a Reorgs, such as the result of chainReorgs', 'logOf', 'follow')],
  onReverted: [checkFunction],
  onRevertedEvents: [checkFunction],
});

type ResolvedVerifier = ReceiveOptions & Pick<VerifierOptions, 'onError' | 'logger'>;

/** The options of `owner` with their defaults. Throws ConfigError for an unknown or invalid one. */
function resolve(owner: string, rules: Readonly<Record<string, Rule>>, options: VerifierOptions): ResolvedVerifier {
  checkOptions(owner, options, Object.keys(rules));
  if (typeof options.secret !== 'function') checkSecret(options.secret as Secret);
  const resolved: Record<string, unknown> = {};
  for (const [name, [check, fallback, ...range]] of Object.entries(rules)) {
    const given: unknown = options[name as keyof VerifierOptions];
    const value = given === undefined ? fallback : given;
    if (value !== undefined) check(name, value, ...range);
    resolved[name] = value;
  }
  const { maxArrivingBytes, maxBodyBytes } = resolved as unknown as ResolvedVerifier;
  if (maxArrivingBytes < maxBodyBytes) {
    throw new ConfigError('`maxArrivingBytes` must be at least `maxBodyBytes`, or a body of that size cannot arrive.');
  }
  return resolved as unknown as ResolvedVerifier;
}

/** The options of a verifier with their defaults. Throws ConfigError for an unknown or invalid one. */
export function resolveVerifierOptions(options: VerifierOptions): ResolvedVerifier {
  return resolve('createVerifier', verifierRules(), options);
}

/** The options of a receiver with their defaults. Throws ConfigError for an unknown or invalid one. */
export function resolveReceiverOptions<Tx>(options: ReceiverOptions<Tx>): ResolvedVerifier & HandleOptions<Tx> {
  const resolved = resolve('createReceiver', receiverRules(), options) as ResolvedVerifier & HandleOptions<Tx>;
  const { store, handlerTimeoutMs } = resolved;
  for (const [isRefused, why] of refusals(resolved)) if (isRefused) throw new ConfigError(why);
  resolved.finality?.check?.(options);
  // The default store's lease must be longer than the handler's time limit.
  const leaseMs = Math.max(60_000, 2 * handlerTimeoutMs);
  return {
    ...resolved,
    idempotencyKey: options.idempotencyKey ?? resolved.reorgs?.idempotencyKey ?? kindAndId,
    // A queue deduplicates itself.
    store: resolved.enqueue ? false : (store ?? (memoryStore({ leaseMs }) as typeof store)),
  };
}

/** The combinations of options that cannot work, and why. */
function refusals<Tx>({ store, finality, reorgs, deadLetters, ...handlers }: HandleOptions<Tx>): [unknown, string][] {
  const { onEvent, onEvents, enqueue, onReverted, onRevertedEvents, onDeadLetter } = handlers;
  const set = [onEvent, onEvents, enqueue].filter((each) => each !== undefined).length;
  return [
    [set !== 1, `Set one of \`onEvent\`, \`onEvents\` and \`enqueue\`, got ${set || 'none'}.`],
    [finality && store === false && !enqueue, '`finality` needs a `store`, got false.'],
    [!reorgs && (onReverted || onRevertedEvents), '`onReverted` needs the option `reorgs`.'],
    [reorgs && finality, 'Set `reorgs` or `finality`: an event that waits until it is final needs no undo.'],
    [reorgs && enqueue, '`reorgs` is for receivers that handle events themselves, not with `enqueue`.'],
    [reorgs && onEvent && !onReverted, '`reorgs` needs `onReverted`, which undoes what `onEvent` did.'],
    [reorgs && onEvents && !onRevertedEvents, '`reorgs` needs `onRevertedEvents` beside `onEvents`.'],
    [reorgs && !(store || undefined)?.logs, NO_LOGS],
    [onDeadLetter && !deadLetters, '`onDeadLetter` needs the option `deadLetters`.'],
    [deadLetters && enqueue, OF_QUEUE],
    [deadLetters && store !== undefined && !(store || undefined)?.letters, NO_LETTERS],
  ];
}

const NO_LETTERS =
  '`deadLetters` needs a store that keeps them: `memoryStore`, `sqlStore`, `redisStore` or `dynamodbStore`, or one of yours with `letters`.';
const NO_LOGS =
  '`reorgs` needs `store: sqlStore({ …, transactional: true })`, or `memoryStore()` in tests: an effect and the state of its log must change in one transaction, and other stores have none.';
const OF_QUEUE =
  '`deadLetters` is for receivers that handle events themselves. With `enqueue`, the queue keeps the jobs that failed.';

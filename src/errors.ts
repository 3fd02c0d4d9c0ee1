/** The HTTP status and the log level of each error code. Every other code is 500 and logged as an error. */
const CODES = {
  ERR_WEBHOOK_METHOD: [405, 'warn'],
  ERR_WEBHOOK_HEADER: [403, 'warn'],
  ERR_WEBHOOK_TIMESTAMP: [403, 'warn'],
  ERR_WEBHOOK_SIGNATURE: [403, 'warn'],
  ERR_WEBHOOK_CONTENT_ENCODING: [415, 'warn'],
  ERR_WEBHOOK_BODY_TOO_LARGE: [413, 'warn'],
  ERR_WEBHOOK_BODY_INCOMPLETE: [503, 'warn'],
  ERR_WEBHOOK_INVALID_BODY: [400, 'warn'],
  ERR_WEBHOOK_INVALID_EVENT: [422, 'warn'],
  ERR_WEBHOOK_IN_PROGRESS: [503, 'warn'],
  // Waiting for a block and being replaced by another process are normal.
  ERR_WEBHOOK_NOT_FINAL: [503, 'info'],
  ERR_WEBHOOK_DRAINING: [503, 'info'],
  ERR_WEBHOOK_STORE: [503, 'error'],
  ERR_WEBHOOK_ENQUEUE: [503, 'error'],
  ERR_WEBHOOK_SECRET: [503, 'error'],
  ERR_WEBHOOK_OVERLOADED: [503, 'warn'],
  ERR_WEBHOOK_OUT_OF_TIME: [503, 'warn'],
} as const;

/** Stable error codes of the core to branch on. Messages may change between versions; codes do not. */
export type WebhookErrorCode =
  | keyof typeof CODES
  | 'ERR_WEBHOOK_CONFIG'
  | 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE'
  | 'ERR_WEBHOOK_HANDLER'
  | 'ERR_WEBHOOK_HANDLER_TIMEOUT'
  | 'ERR_WEBHOOK_NON_RETRYABLE'
  | 'ERR_WEBHOOK_OUTCOME_UNKNOWN'
  | 'ERR_WEBHOOK_INTERNAL';

/** Any code: those of the core, and those that a subpath such as `./evm` defines. */
export type AnyErrorCode = WebhookErrorCode | (`ERR_WEBHOOK_${string}` & {});

/** Path of the package's documentation of a code. */
export const docsOf = (code: string): string => `event-webhook-receiver/docs/errors.md#${code.toLowerCase()}`;

/** The HTTP status of an error, by the code that its constructor received: the property may have been overwritten. */
export function statusOf(error: unknown): number {
  return entryOf(WebhookError.codeOf(error))[0];
}

/** The level at which an error is logged. */
export function levelOf(error: WebhookError): 'error' | 'warn' | 'info' {
  const level = entryOf(WebhookError.codeOf(error))[1];
  // A `cause` means that the check of the block failed.
  return level === 'info' && error.cause !== undefined ? 'warn' : level;
}

function entryOf(code: string | undefined): readonly [status: number, level: 'error' | 'warn' | 'info'] {
  return code !== undefined && Object.hasOwn(CODES, code) ? CODES[code as keyof typeof CODES] : [500, 'error'];
}

/**
 * Base class of every error of this library. `code` identifies the failure, `status` is the HTTP status to answer with,
 * and the message says what failed and what to do. No message contains a secret, expected signature, or part of a body.
 */
export class WebhookError<Code extends AnyErrorCode = AnyErrorCode> extends Error {
  readonly code: Code;
  readonly status: number;
  /** Where the installed package documents the code: cause and fix. Loggers and consoles print it with the error. */
  readonly docs: string;
  readonly #code: Code;

  /**
   * The code of an error that this class created; undefined for any other value. Unlike the property `code`, it cannot be
   * forged or overwritten, and reading it cannot throw.
   */
  static codeOf(value: unknown): AnyErrorCode | undefined {
    return typeof value === 'object' && value !== null && #code in value ? (value as WebhookError).#code : undefined;
  }

  /** @param name Name of the class, as text: bundlers shorten the names of classes. */
  constructor(code: Code, message: string, options?: { cause?: unknown }, name = 'WebhookError') {
    super(message, options);
    this.name = name;
    this.code = code;
    this.#code = code;
    this.status = entryOf(code)[0];
    this.docs = docsOf(code);
    // The stack is useless in an error about the request, and larger than the rest of the error.
    if (this.status < 500) this.stack = `${name}: ${message}`;
  }
}

/** An option or argument of your program is missing or invalid. Never thrown for the contents of a delivery. */
export class ConfigError extends WebhookError<'ERR_WEBHOOK_CONFIG'> {
  constructor(message: string) {
    super('ERR_WEBHOOK_CONFIG', message, undefined, 'ConfigError');
  }
}

/** The body is not a JSON array in UTF-8 (spec section 6, rule 1). */
export class InvalidBodyError extends WebhookError<'ERR_WEBHOOK_INVALID_BODY'> {
  constructor(message: string) {
    super('ERR_WEBHOOK_INVALID_BODY', message, undefined, 'InvalidBodyError');
  }
}

/** One problem of an event: its path (keys and array positions from the event down) and what was expected. */
export interface EventIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/**
 * A value, or items of a delivery, do not match the event schema of spec section 2.2. `issues` has the first 10
 * problems, each with its path (in a delivery, the item's position comes first) and the reason. No values are quoted.
 */
export class InvalidEventError extends WebhookError<'ERR_WEBHOOK_INVALID_EVENT'> {
  readonly issues: readonly EventIssue[];
  /** How many items of the delivery are invalid; 1 for a value. */
  readonly count: number;

  constructor(issues: readonly EventIssue[], count = 1) {
    const found = issues.slice(0, 3).map(({ path, message }) => `${path.join('.') || 'event'}: ${message}`);
    const left = count === 1 ? `${issues.length - 3} more` : 'more';
    const more = issues.length > 3 ? ` (and ${left})` : '';
    const what = count === 1 ? 'Not a valid event' : `${count} items are not valid events`;
    super('ERR_WEBHOOK_INVALID_EVENT', `${what}: ${found.join('; ')}${more}`, undefined, 'InvalidEventError');
    this.issues = issues;
    this.count = count;
  }
}

/** The body was read before the library could read it, so the signed bytes are lost. */
export class RawBodyUnavailableError extends WebhookError<'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE'> {
  constructor(fix: string, cause?: unknown) {
    const message = `The body was already read, so the signed bytes are gone. ${fix}`;
    const options = cause === undefined ? undefined : { cause };
    super('ERR_WEBHOOK_RAW_BODY_UNAVAILABLE', message, options, 'RawBodyUnavailableError');
  }
}

/**
 * Whether `error` is an error of this library. Checks the code, not the class, so it also works when two copies of the
 * library are loaded (ESM beside CommonJS). Never throws.
 */
export function isWebhookError(error: unknown): error is WebhookError {
  try {
    const code = typeof error === 'object' ? (error as { code?: unknown } | null)?.code : undefined;
    return typeof code === 'string' && code.startsWith('ERR_WEBHOOK_');
  } catch {
    // User code can throw any value, such as a proxy that throws when it is read.
    return false;
  }
}

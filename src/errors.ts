/** The error codes that are answered with another HTTP status than 500. */
const STATUS = {
  ERR_WEBHOOK_METHOD: 405,
  ERR_WEBHOOK_HEADER: 403,
  ERR_WEBHOOK_TIMESTAMP: 403,
  ERR_WEBHOOK_SIGNATURE: 403,
  ERR_WEBHOOK_CONTENT_ENCODING: 415,
  ERR_WEBHOOK_BODY_TOO_LARGE: 413,
  ERR_WEBHOOK_BODY_INCOMPLETE: 503,
  ERR_WEBHOOK_INVALID_BODY: 400,
  ERR_WEBHOOK_INVALID_EVENT: 422,
  ERR_WEBHOOK_IN_PROGRESS: 503,
  ERR_WEBHOOK_STORE: 503,
  ERR_WEBHOOK_ENQUEUE: 503,
  ERR_WEBHOOK_SECRET: 503,
  ERR_WEBHOOK_OVERLOADED: 503,
  ERR_WEBHOOK_DRAINING: 503,
} as const;

/** The stable identifiers to branch on. Messages may change between versions; codes do not. */
export type WebhookErrorCode =
  | keyof typeof STATUS
  | 'ERR_WEBHOOK_CONFIG'
  | 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE'
  | 'ERR_WEBHOOK_HANDLER'
  | 'ERR_WEBHOOK_HANDLER_TIMEOUT'
  | 'ERR_WEBHOOK_INTERNAL'
  | 'ERR_WEBHOOK_RPC'
  | DecodeErrorCode
  | ApiErrorCode;

/** What can be wrong with an event that is to be decoded (`DecodeError` of `./evm`). */
export type DecodeErrorCode =
  | 'ERR_WEBHOOK_RAW_FIELDS'
  | 'ERR_WEBHOOK_ABI_MISMATCH'
  | 'ERR_WEBHOOK_DECODE'
  | 'ERR_WEBHOOK_INPUT_VALUE'
  | 'ERR_WEBHOOK_CONTRADICTION'
  | 'ERR_WEBHOOK_TRANSACTION';

/** What can be wrong with a call of the service's API (`WebhookApiError` of `./client`). */
export type ApiErrorCode = 'ERR_WEBHOOK_API' | 'ERR_WEBHOOK_API_UNREACHABLE';

/** The HTTP status of an error, by the code that it was made with: what it says of itself may be anything. */
export function statusOf(error: unknown): number {
  return statusOfCode(WebhookError.codeOf(error));
}

function statusOfCode(code: WebhookErrorCode | undefined): number {
  return code !== undefined && Object.hasOwn(STATUS, code) ? STATUS[code as keyof typeof STATUS] : 500;
}

type Status<Code> = Code extends keyof typeof STATUS ? (typeof STATUS)[Code] : Code extends ApiErrorCode ? number : 500;

/**
 * What every error of this library is. `code` says what happened, `status` is the HTTP status that belongs to it, and
 * the message says what failed and what to do. No message holds a secret, an expected signature or a part of a body.
 */
export class WebhookError<Code extends WebhookErrorCode = WebhookErrorCode> extends Error {
  readonly code: Code;
  readonly status: Status<Code>;
  readonly #code: Code;

  /**
   * The code of an error that this class made; undefined of anything else. Unlike `code` behind instanceof, it can neither
   * be claimed nor changed, and looking at it cannot throw.
   */
  static codeOf(value: unknown): WebhookErrorCode | undefined {
    return typeof value === 'object' && value !== null && #code in value ? (value as WebhookError).#code : undefined;
  }

  constructor(code: Code, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
    this.#code = code;
    this.status = statusOfCode(code) as Status<Code>;
  }
}

/** An option, or what else the program gives, is missing or makes no sense. It is never for what a delivery holds. */
export class ConfigError extends WebhookError<'ERR_WEBHOOK_CONFIG'> {
  constructor(message: string) {
    super('ERR_WEBHOOK_CONFIG', message);
  }
}

/** The body is not a JSON array in UTF-8 (spec section 6, rule 1). */
export class InvalidBodyError extends WebhookError<'ERR_WEBHOOK_INVALID_BODY'> {
  constructor(message: string) {
    super('ERR_WEBHOOK_INVALID_BODY', message);
  }
}

/** One thing that is wrong with an event: where (keys and array positions from the event down) and what was expected. */
export interface EventIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** A value is not an event of the shape of spec section 2.2. `issues` says where and why; it quotes no values. */
export class InvalidEventError extends WebhookError<'ERR_WEBHOOK_INVALID_EVENT'> {
  readonly issues: readonly EventIssue[];

  constructor(issues: readonly EventIssue[]) {
    const found = issues.slice(0, 3).map(({ path, message }) => `${path.join('.') || 'event'}: ${message}`);
    const more = issues.length > 3 ? ` (and ${issues.length - 3} more)` : '';
    super('ERR_WEBHOOK_INVALID_EVENT', `Not a valid event: ${found.join('; ')}${more}`);
    this.issues = issues;
  }
}

/** Something read the request's body before the library could, so the bytes that were signed are gone. */
export class RawBodyUnavailableError extends WebhookError<'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE'> {
  constructor(fix: string) {
    super('ERR_WEBHOOK_RAW_BODY_UNAVAILABLE', `The body was already read, so the signed bytes are gone. ${fix}`);
  }
}

/**
 * Whether `error` is an error of this library. Looks at the code and not at the class, so that it also holds
 * when two copies of the library are loaded (ESM beside CJS, say).
 */
export function isWebhookError(error: unknown): error is WebhookError {
  try {
    const code = typeof error === 'object' ? (error as { code?: unknown } | null)?.code : undefined;
    return typeof code === 'string' && code.startsWith('ERR_WEBHOOK_');
  } catch {
    // User code can throw anything, also what throws again when it is looked at.
    return false;
  }
}

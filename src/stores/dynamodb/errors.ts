import { WebhookError } from '../../errors.js';
import { storeError } from '../bounded-calls.js';
import { eachKey } from '../each-key.js';

/** The common part of the errors of AWS SDK 3. */
interface SdkError {
  /** The name; for a failed connection its code, such as `ECONNREFUSED`. */
  readonly name: string;
  readonly message: string;
  /** For a failed condition, the item, if the request asked for it and the client is new enough. */
  readonly Item: object | undefined;
  /** For a cancelled transaction, one reason for each write. */
  readonly reasons: readonly CancellationReason[];
  /** Whether the client sent the request, as far as the error shows. */
  readonly isSent: boolean;
}

export interface CancellationReason {
  readonly Code?: string | undefined;
  readonly Item?: object | undefined;
}

/** Reads an error that a client threw. */
export function sdkError(error: unknown): SdkError {
  const { name, message, Item, CancellationReasons: reasons, $metadata, code } = Object(error);
  return {
    name: String(name === 'Error' ? (code ?? name) : name),
    message: String(message),
    Item: Item as object | undefined,
    reasons: Array.isArray(reasons) ? reasons : [],
    isSent: $metadata !== undefined || code !== undefined || LOCAL_ERRORS.has(String(name)),
  };
}

/** Errors without request metadata that are not caused by the input. */
const LOCAL_ERRORS = new Set(['AbortError', 'TimeoutError', 'CredentialsProviderError']);

const THROTTLED = new Set(['ProvisionedThroughputExceededException', 'ThrottlingException', 'RequestLimitExceeded']);
const TOO_LARGE = new Set(['RequestEntityTooLarge', 'RequestEntityTooLargeException', 'RequestTooLargeException']);
const DENIED = new Set(['AccessDeniedException', 'UnrecognizedClientException', 'ExpiredTokenException']);

export const isConditionFailed = (error: unknown): boolean =>
  sdkError(error).name === 'ConditionalCheckFailedException';

/** Whether a request failed because another transaction on the item is in progress. */
export const isConflict = (error: unknown): boolean => sdkError(error).name === 'TransactionConflictException';

/** Whether a write would make its item too large. */
export function isTooLarge(error: unknown): boolean {
  const { name, message } = sdkError(error);
  return TOO_LARGE.has(name) || (name === 'ValidationException' && /size|too large/i.test(message));
}

export const isDenied = (error: unknown): boolean => DENIED.has(sdkError(error).name);

/** The `ERR_WEBHOOK_STORE` error for a failed request, with what to do. */
export function explained(error: unknown): WebhookError {
  if (WebhookError.codeOf(error) === 'ERR_WEBHOOK_STORE') return error as WebhookError;
  return storeError(explanation(sdkError(error)), error);
}

/** Rethrows the error of a failed request, with what to do. */
export const rethrow = (error: unknown): never => {
  throw explained(error);
};

/** Like `eachKey`, with such errors. */
export const explainedEach: typeof eachKey = (keys, work) => eachKey(keys, work).catch(rethrow);

/** A throttled client retries until it is aborted. */
export const NO_ANSWER = 'DynamoDB did not answer in time (timeoutMs): it is slow, throttles, or cannot be reached.';

function explanation({ name }: SdkError): string {
  if (name === 'ResourceNotFoundException') {
    return 'DynamoDB has no table of this name (`table`) in the region of the client. Create it as dynamodbTable({ table }) describes.';
  }
  if (name === 'ValidationException') {
    return 'DynamoDB rejected a request of the store. The table needs the string partition key `key` and no sort key: create it as dynamodbTable({ table }) describes.';
  }
  if (THROTTLED.has(name)) {
    return 'DynamoDB throttled the store, and the retries of the client did not help. Increase the capacity of the table or set its billing mode to PAY_PER_REQUEST.';
  }
  if (DENIED.has(name)) {
    return 'DynamoDB denied the store access to its table. Allow the role dynamodb:GetItem, dynamodb:UpdateItem and dynamodb:DeleteItem on it, dynamodb:Scan to list dead letters, and for context.tx also what the writes need.';
  }
  if (name === 'AbortError' || name === 'TimeoutError') return NO_ANSWER;
  return `A request to DynamoDB failed (${name}): see the cause. If it repeats, check the region, endpoint and credentials of the client.`;
}

/** The error of an event whose handler's writes cannot be committed. */
export function handlerError(message: string, cause?: unknown): WebhookError {
  return new WebhookError('ERR_WEBHOOK_HANDLER', message, cause === undefined ? {} : { cause });
}

/** Cancellation codes after which the same transaction may succeed when it is sent again. */
const TRANSIENT = new Set(['TransactionConflict', 'ProvisionedThroughputExceeded', 'ThrottlingError']);
/** Errors that a request with the same input always gets. */
const INVALID = new Set(['ValidationException', 'SerializationException', 'RequestEntityTooLarge']);

/** The error of a transaction that must not be sent again; undefined if it may be. The first `keys` writes are the store's. */
export function refusalOf(error: unknown, keys: number): WebhookError | undefined {
  const { name, reasons, isSent } = sdkError(error);
  if (name === 'TransactionCanceledException') return cancellationOf(error, reasons, keys);
  if (INVALID.has(name)) return handlerError(REJECTED, error);
  if (name === 'ResourceNotFoundException') return handlerError(NO_TABLE, error);
  if (isDenied(error)) return explained(error);
  return isSent ? undefined : handlerError(UNSENDABLE, error);
}

function cancellationOf(
  error: unknown,
  reasons: readonly CancellationReason[],
  keys: number,
): WebhookError | undefined {
  const codes = reasons.map(({ Code = 'None' }) => Code);
  if (codes.slice(0, keys).includes('ConditionalCheckFailed')) return storeError(LOST, error);
  const index = codes.findIndex((code, at) => at >= keys && code !== 'None' && !TRANSIENT.has(code));
  if (index >= 0) return handlerError(explainWrite(index - keys, codes[index] as string), error);
  if (codes.some((code) => TRANSIENT.has(code))) return undefined;
  return storeError(`DynamoDB cancelled the transaction (${codes.join(', ')}), so nothing was committed.`, error);
}

/** Names a write by its position, without quoting it. */
function explainWrite(index: number, code: string): string {
  const why = Object.hasOwn(REASONS, code) ? REASONS[code] : `DynamoDB answers ${code}`;
  return `Write ${index} of tx.write (counted from 0) failed, so nothing was committed: ${why}.`;
}

const REASONS: Readonly<Record<string, string>> = {
  ConditionalCheckFailed: 'its condition is not true',
  DuplicateItem: 'it inserts an item that exists',
  ItemCollectionSizeLimitExceeded: 'it makes an item collection larger than 10 GB',
  ValidationError: 'check its types and expressions against the item, and its size, up to 400 kB',
};

const REJECTED =
  'DynamoDB rejected the writes of tx.write, so nothing was committed: see the cause. A transaction allows one write per item, items of up to 400 kB, and 4 MB in total.';
const NO_TABLE =
  'DynamoDB does not have a table named in tx.write, so nothing was committed. Create the table in the region of the client.';
const UNSENDABLE =
  'The client cannot send the writes of tx.write, so nothing was committed. Check the types of their values, and the marshallOptions of a DynamoDBDocument.';
const LOST =
  'The run took longer than its lease and another run has taken over the key, so nothing of this run was committed. Increase leaseMs if that recurs.';

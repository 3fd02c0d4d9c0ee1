import { WebhookError } from '../../errors.js';
import { storeError } from '../bounded-calls.js';

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

import type { WebhookError } from '../../errors.js';
import { storeError } from '../bounded-calls.js';
import { type CancellationReason, explained, isDenied, sdkError } from './errors.js';
import { handlerError } from './transaction.js';

/** Cancellation codes after which the same transaction may succeed when it is sent again. */
const TRANSIENT = new Set(['TransactionConflict', 'ProvisionedThroughputExceeded', 'ThrottlingError']);
/** Errors that a request with the same input always gets. */
const INVALID = new Set(['ValidationException', 'SerializationException', 'RequestEntityTooLarge']);

/** The error of a transaction that must not be sent again; undefined if it may be. The first `keys` writes are the store's. */
export function refusalOf(error: unknown, keys: number): WebhookError | undefined {
  const { name, message, reasons, isSent } = sdkError(error);
  if (name === 'TransactionCanceledException') return cancellationOf(error, reasons, keys);
  if (INVALID.has(name)) return handlerError(explainInvalid(message), error);
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
  if (index >= 0)
    return handlerError(explainWrite(index - keys, codes[index] as string, reasons[index]?.Message), error);
  if (codes.some((code) => TRANSIENT.has(code))) return undefined;
  return storeError(`DynamoDB cancelled the transaction (${codes.join(', ')}), so nothing was committed.`, error);
}

/** Names a write by its position, without quoting it. */
function explainWrite(index: number, code: string, message = ''): string {
  const which = `Write ${index} of tx.write (counted from 0)`;
  const committed = 'nothing was committed';
  if (code === 'ConditionalCheckFailed') return `The condition of ${lowered(which)} failed, so ${committed}.`;
  if (code === 'DuplicateItem') return `${which} inserts an item that exists, so ${committed}.`;
  if (code === 'ItemCollectionSizeLimitExceeded') {
    return `${which} makes an item collection larger than 10 GB, so ${committed}.`;
  }
  if (code === 'ValidationError') {
    const size = /size/i.test(message) ? ` ${TOO_LARGE}` : ' Check its types and expressions against the item.';
    return `DynamoDB rejected ${lowered(which)}, so ${committed}.${size}`;
  }
  return `DynamoDB cancelled the transaction because of ${lowered(which)} (${code}), so ${committed}.`;
}

const lowered = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

function explainInvalid(message: string): string {
  if (/multiple operations on one item/i.test(message)) return TWO_ON_ONE;
  if (/4 ?MB|payload|aggregate size|too large/i.test(message)) return OVER_4_MB;
  if (/item size/i.test(message)) return `A write of tx.write was rejected, so nothing was committed. ${TOO_LARGE}`;
  return 'DynamoDB rejected the transaction as invalid, so nothing was committed. Check the keys, types and expressions of what tx.write got.';
}

const TOO_LARGE = 'An item takes up to 400 kB: store large data elsewhere, such as in S3, and its address in the item.';
const TWO_ON_ONE =
  'Two writes of tx.write target the same item, so nothing was committed. Combine them in one Update, and put a condition into the write that it belongs to.';
const OVER_4_MB =
  'The writes of tx.write exceed the 4 MB of a transaction, so nothing was committed. Write less for each event, or store large data elsewhere.';
const NO_TABLE =
  'DynamoDB has no table of a name that tx.write got, so nothing was committed. Create the table in the region of the client.';
const UNSENDABLE =
  'The client cannot send what tx.write got, so nothing was committed. Check the types of its values, and the marshallOptions of a DynamoDBDocument.';
const LOST =
  'The run took longer than its lease and another run has taken over the key, so nothing of this run was committed. Increase leaseMs if that recurs.';

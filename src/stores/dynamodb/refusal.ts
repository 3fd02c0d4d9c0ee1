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

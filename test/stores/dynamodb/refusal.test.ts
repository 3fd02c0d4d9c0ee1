import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../src/stores/dynamodb/errors.js';
import { Collector } from '../../../src/stores/dynamodb/transaction.js';

// As the client throws them: some that DynamoDB Local never answers.

const sent = (name: string, message = '') => Object.assign(new Error(message), { name, $metadata: {} });

/** A cancelled transaction of one key and two writes. */
function cancelled(...codes: readonly (string | [code: string, message: string] | undefined)[]) {
  const CancellationReasons = codes.map((code) =>
    Array.isArray(code) ? { Code: code[0], Message: code[1] } : { Code: code },
  );
  return Object.assign(sent('TransactionCanceledException'), { CancellationReasons });
}

const refused = (error: unknown) => refusalOf(error, 1);

describe('a transaction of DynamoDB that failed', () => {
  it.each([
    ['a conflict', cancelled('TransactionConflict', 'None', 'None')],
    ['throttling of a write', cancelled('None', 'ThrottlingError', undefined)],
    ['throttling of the key', cancelled('ProvisionedThroughputExceeded', 'None', 'None')],
    ['a copy under way', sent('TransactionInProgressException')],
    ['an error of the server', sent('InternalServerError')],
    ['a broken connection', Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })],
    ['no answer in time', Object.assign(new Error(), { name: 'TimeoutError' })],
  ])('is sent again after %s', (_what, error) => {
    expect(refused(error)).toBeUndefined();
  });

  it.each([
    ['a lost lease', cancelled('ConditionalCheckFailed', 'None', 'None'), /another run has taken over/],
    ['no reason', cancelled(), /cancelled the transaction \(\), so nothing was committed/],
    ['a reason of the key alone', cancelled('AccessDenied', 'None'), /\(AccessDenied, None\)/],
    ['a missing permission', sent('AccessDeniedException'), /Allow the role/],
  ])('is refused by the store after %s', (_what, error, message) => {
    expect(refused(error)).toMatchObject({ code: 'ERR_WEBHOOK_STORE', message: expect.stringMatching(message) });
  });

  it.each([
    [
      'a condition',
      cancelled('None', 'None', 'ConditionalCheckFailed'),
      /^Write 1 of tx\.write .* its condition is not true/,
    ],
    ['an item that exists', cancelled('None', 'DuplicateItem'), /^Write 0 .* inserts an item that exists/],
    ['a large collection', cancelled('None', 'ItemCollectionSizeLimitExceeded'), /larger than 10 GB/],
    ['an invalid item', cancelled('None', ['ValidationError', 'Type mismatch …']), /check its types .* up to 400 kB/],
    ['an unknown reason', cancelled('None', 'None', 'NewReason'), /^Write 1 .* DynamoDB answers NewReason/],
    ['a reason beside a conflict', cancelled('TransactionConflict', 'DuplicateItem'), /inserts an item that exists/],
    ['two writes of one item', sent('ValidationException', 'operations on one item …'), /one write per item/],
    ['more than a request may have', sent('RequestEntityTooLarge', 'Payload too large …'), /4 MB in total/],
    ['an invalid expression', sent('SerializationException', 'line 1'), /rejected the writes of tx\.write/],
    ['a missing table', sent('ResourceNotFoundException'), /not have a table named in tx\.write/],
    ['what cannot be sent', new Error('Unsupported type'), /cannot send the writes of tx\.write/],
  ])('is refused as the handler’s after %s, and quotes nothing', (_what, error, message) => {
    expect(refused(error)).toMatchObject({ code: 'ERR_WEBHOOK_HANDLER', message: expect.stringMatching(message) });
    expect(refused(error)?.message).not.toMatch(/…|line 1|Unsupported/);
  });
});

it('a handler may change every object, collection and array of bytes that it wrote', () => {
  const collector = new Collector(1);
  const item = { map: new Map([['a', [1]]]), set: new Set(['a']), bytes: new Uint8Array([1]), none: null };
  collector.tx.write({ Put: { Item: item } });
  item.map.get('a')?.push(2);
  item.set.clear();
  item.bytes.fill(0);
  const kept = { map: new Map([['a', [1]]]), set: new Set(['a']), bytes: new Uint8Array([1]), none: null };
  expect(collector.collected()).toEqual([{ Put: { Item: kept } }]);
  expect(() => new Collector(1).tx.write(7 as never)).toThrow('write');
});

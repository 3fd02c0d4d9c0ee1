import { describe, expect, it } from 'vitest';
import { WebhookError } from '../../../src/index.js';
import { commitError, explained, isBusy, isConflict, reasonsOf } from '../../../src/stores/sql/errors.js';
import { hasEnded } from '../../../src/stores/sql/sqlite.js';

const withCode = (code: unknown, message = 'no') => Object.assign(new Error(message), { code });

describe('the errors of databases', () => {
  it.each([
    { code: '40001' },
    { code: '40P01' },
    { code: 'P2034' },
    { code: 'ER_LOCK_DEADLOCK' },
    { code: 'ER_CHECKREAD' },
    { errno: 1213 },
    { errno: 1020 },
    { code: 'P2010', originalCode: '40001' },
  ])('are conflicts: %j', (error) => {
    expect(isConflict(error)).toBe(true);
    expect(isConflict({ ...error, code: 'other', errno: 1, originalCode: '' })).toBe(false);
  });

  it.each(['cause', 'driverError', 'parent', 'original', 'originalError', 'meta', 'driverAdapterError'])(
    'are found in %s of the error that an ORM throws',
    (name) => {
      expect(isConflict({ code: 'P2010', [name]: { cause: { code: '40001' } } })).toBe(true);
      expect(isConflict({ [name]: null })).toBe(false);
    },
  );

  it('are found once, up to 20 of a chain that may end in itself', () => {
    const own: { cause?: unknown } = {};
    own.cause = own;
    expect(reasonsOf(own)).toEqual([own]);
    expect(reasonsOf('text')).toEqual([]);
    let chain: object = {};
    for (let depth = 0; depth < 30; depth++) chain = { cause: chain };
    expect(reasonsOf(chain)).toHaveLength(20);
  });

  it.each([
    withCode('42P01'),
    { errno: 1146 },
    new Error('no such table: keys'),
    { cause: { message: 'no such table: keys' } },
  ])('say that the table is missing: %o', (error) => {
    expect(explained(error, 'keys')).toMatchObject({
      code: 'ERR_WEBHOOK_STORE',
      message: 'The table keys does not exist. Call migrate() of the store before deliveries arrive.',
      cause: error,
    });
  });

  it.each([withCode('42703'), undefined, 'no such table'])('are passed on otherwise: %o', (error) => {
    expect(explained(error, 'keys')).toBe(error);
  });

  it.each([
    withCode('SQLITE_BUSY'),
    withCode('SQLITE_LOCKED_SHAREDCACHE'),
    new Error('database is locked'),
    new Error('database table is locked: keys'),
    new Error('table "keys" is locked'),
    { code: 'P2010', cause: new Error('database is locked') },
  ])('say that a SQLite file is busy: %o', (error) => {
    expect(isBusy(error)).toBe(true);
  });

  it.each([withCode('SQLITE_FULL'), new Error('locked'), new Error(`database ${'x'.repeat(90)} is locked`), undefined])(
    'say nothing of the kind: %o',
    (error) => {
      expect(isBusy(error)).toBe(false);
    },
  );
});

it.each([
  [withCode('TRANSACTION_CLOSED'), true],
  [new Error('no such savepoint: event_webhook_receiver'), true],
  [{ code: 'P2010', cause: new Error('no such savepoint: event_webhook_receiver') }, true],
  [withCode('SQLITE_FULL', 'database or disk is full'), false],
  [undefined, false],
])('the error of the check in SQLite says whether the handler ended the transaction: %o', (error, ended) => {
  expect(hasEnded(error)).toBe(ended);
});

describe('the error of a commit', () => {
  it.each([new WebhookError('ERR_WEBHOOK_STORE', 'ours'), withCode('40001'), withCode('SQLITE_BUSY')])(
    'is passed on if it says what happened: %o',
    (error) => {
      expect(commitError(error)).toBe(error);
    },
  );

  it.each([withCode('23505'), withCode('25P02'), Object.assign(withCode('E'), { cause: withCode('23000') })])(
    'says that the database refused: %o',
    (cause) => {
      const message = expect.stringContaining('The database refused to commit, so the transaction was rolled back.');
      expect(commitError(cause)).toMatchObject({ code: 'ERR_WEBHOOK_STORE', message, cause });
    },
  );

  it.each([withCode('ECONNRESET'), withCode('08006'), withCode('X23'), new Error('closed')])(
    'says that it is unknown otherwise: %o',
    (cause) => {
      const message =
        'The connection failed, so it is unknown whether the transaction was committed. A redelivery resolves this.';
      expect(commitError(cause)).toMatchObject({ code: 'ERR_WEBHOOK_STORE', message, cause });
    },
  );
});

import { describe, expect, it } from 'vitest';
import type { EventTransaction } from '../../src/events/types.js';
import { isRemoved, logIdentity, rawLog } from '../../src/evm/index.js';
import { createReceiver, type EventEmitted, parseEventEmitted } from '../../src/index.js';
import { createTestDelivery, sampleEventEmitted, sampleTransactionIncluded } from '../../src/testing/index.js';
import { refusal, word } from './events.js';

const sample = sampleEventEmitted();
const fields = JSON.parse(sample.data.event.rawFields ?? '') as Record<string, unknown>;
const { transaction } = sample.data;

/** An event whose log is that of the sample with other keys. */
function withLog(changed: Record<string, unknown>): EventEmitted {
  const rawFields = JSON.stringify({ ...fields, ...changed });
  return parseEventEmitted(sampleEventEmitted({ data: { event: { rawFields }, transaction } }));
}

function withoutLog(): EventEmitted {
  return parseEventEmitted(sampleEventEmitted({ data: { event: { rawFields: undefined }, transaction } }));
}

describe('rawLog', () => {
  it('has the keys of a log with quantities as numbers', () => {
    expect(rawLog(withLog({ blockNumber: '0xffffffffffffffff', logIndex: '0x2a', transactionIndex: '0x07' }))).toEqual({
      address: fields.address,
      topics: fields.topics,
      data: fields.data,
      blockNumber: 2n ** 64n - 1n,
      transactionHash: fields.transactionHash,
      transactionIndex: 7,
      blockHash: fields.blockHash,
      logIndex: 42,
      removed: false,
    });
  });

  it('has the time of the block if the node sent it', () => {
    expect(rawLog(withLog({ blockTimestamp: '0x65537d72' }))).toMatchObject({ blockTimestamp: 1_699_970_418n });
    expect(rawLog(withLog({ blockTimestamp: 1_699_970_418 }))).toMatchObject({ blockTimestamp: 1_699_970_418n });
  });

  it.each([
    null,
    '',
    '0x',
    '1699970418',
    '2025-06-30T11:56:47Z',
    -1,
    1.5,
    2 ** 53,
    true,
    [],
    {},
    `0x1${'0'.repeat(64)}`,
  ])('has no time of the block where it is %j', (blockTimestamp) => {
    expect(rawLog(withLog({ blockTimestamp }))).not.toHaveProperty('blockTimestamp');
  });

  it('reads quantities that are JSON numbers', () => {
    expect(rawLog(withLog({ blockNumber: 16, transactionIndex: 7, logIndex: 42 }))).toMatchObject({
      ...{ blockNumber: 16n, transactionIndex: 7, logIndex: 42 },
    });
  });

  it.each([null, '', '0x', '7', -1, 1.5, 2 ** 53, true, [], {}])(
    'takes txIndexInBlock of data.transaction where transactionIndex is %j',
    (transactionIndex) => {
      const event = withLog({ transactionIndex });
      Object.assign(event.data.transaction ?? {}, { txIndexInBlock: 9 });
      expect(rawLog(event)?.transactionIndex).toBe(9);
    },
  );

  it('refuses a transactionIndex that nothing tells', () => {
    for (const transaction of [null, { txIndexInBlock: null }]) {
      const event = withLog({ transactionIndex: '0x' });
      event.data.transaction = transaction && { ...(event.data.transaction as EventTransaction), ...transaction };
      expect(refusal(() => rawLog(event))).toMatchObject({
        ...{ code: 'ERR_WEBHOOK_RAW_FIELDS', input: 'rawFields.transactionIndex' },
      });
    }
  });

  it('has all hex text in lower case', () => {
    const upper = { address: `0x${'AB'.repeat(20)}`, topics: [`0x${'CD'.repeat(32)}`], data: '0xEF' };
    const lower = { address: `0x${'ab'.repeat(20)}`, topics: [`0x${'cd'.repeat(32)}`], data: '0xef' };
    expect(rawLog(withLog(upper))).toMatchObject(lower);
  });

  it('cannot be changed by one who asks for another who does', () => {
    const log = rawLog(withLog({})) as unknown as { removed: boolean; topics: string[] };
    expect(() => Object.assign(log, { removed: true })).toThrow(TypeError);
    expect(() => log.topics.pop()).toThrow(TypeError);
  });

  it('is parsed once for an event, and again when its text is another', () => {
    const event = withLog({});
    const log = rawLog(event);
    expect(rawLog(event)).toBe(log);
    event.data.event.rawFields = JSON.stringify({ ...fields, logIndex: '0x1' });
    expect(rawLog(event)?.logIndex).toBe(1);
  });

  it('is undefined for an event without rawFields, or with null', () => {
    expect(rawLog(withoutLog())).toBeUndefined();
    const event = withoutLog();
    Object.assign(event.data.event, { rawFields: null });
    expect(rawLog(event)).toBeUndefined();
    expect(isRemoved(event)).toBe(false);
  });

  const TOPICS = 'an array of at most 4 topics: 0x and 64 hex digits each';
  it.each([
    ['address', '0x12', 'an address: 0x and 40 hex digits'],
    ['topics', [word(1), word(2), word(3), word(4), word(5)], TOPICS],
    ['topics', ['0x12'], TOPICS],
    ['topics', [word(1), '0x12'], TOPICS],
    ['topics', word(1), TOPICS],
    ['data', '0x123', 'an even number of hex digits'],
    ['data', '12', 'bytes as hex text'],
    ['blockNumber', null, 'a quantity as hex text'],
    ['blockNumber', -1, 'a quantity as hex text'],
    ['blockNumber', 2 ** 53, 'a quantity as hex text'],
    ['transactionHash', undefined, 'a hash: 0x and 64 hex digits'],
    ['logIndex', word(2n ** 53n), 'a position in a block'],
    ['removed', 'false', 'true or false'],
  ])('refuses %s as %j', (key, value, expected) => {
    const { code, input, reason } = refusal(() => rawLog(withLog({ [key]: value })));
    expect({ code, input }).toEqual({ code: 'ERR_WEBHOOK_RAW_FIELDS', input: `rawFields.${key}` });
    expect(reason).toBe(`is not ${expected}, so the log cannot be read. Report it to the service.`);
  });

  it.each(['', '[]', 'null', '{'])('refuses rawFields that are %j', (rawFields) => {
    const event = sampleEventEmitted({ id: 'one', data: { event: { rawFields } } });
    const error = refusal(() => rawLog(event));
    expect(error.message).toBe(
      'Event "one", rawFields: is not JSON text of an object, so the log cannot be read. Report it to the service.',
    );
  });
});

describe('isRemoved', () => {
  it('is what the log says, and false without one', () => {
    expect([withLog({ removed: true }), withLog({ removed: false }), withoutLog()].map(isRemoved)).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('logIdentity', () => {
  const identity = (event: Parameters<typeof logIdentity>[0]) => logIdentity(event, { chainId: 10 });

  it('is chain, block, transaction and position, whatever the id of the event', () => {
    const [first, again] = [withLog({ logIndex: '0x3' }), withLog({ logIndex: '0x3' })];
    expect(first.id).not.toBe(again.id);
    expect(identity(first)).toBe(`10:${fields.blockHash}:${fields.transactionHash}:3`);
    expect(identity(again)).toBe(identity(first));
    expect(logIdentity(first, { chainId: 10n })).toBe(identity(first));
  });

  it('of each sample is its own', () => {
    expect(identity(sampleEventEmitted())).not.toBe(identity(sampleEventEmitted()));
  });

  it('is another on another chain, in another block, at another position and for the notice of a removal', () => {
    const event = withLog({});
    const others = [
      logIdentity(event, { chainId: 1 }),
      ...[{ blockHash: word(1) }, { transactionHash: word(1) }, { logIndex: '0x1' }, { removed: true }].map((log) =>
        identity(withLog(log)),
      ),
    ];
    expect(new Set([identity(event), ...others]).size).toBe(6);
  });

  it('of the notice of a removal ends with it', () => {
    const log = withLog({ removed: true });
    expect(identity(log)).toBe(`10:${fields.blockHash}:${fields.transactionHash}:0:removed`);
  });

  it('is the same without rawFields', () => {
    expect(identity(withoutLog())).toBe(identity(withLog({})));
  });

  it.each([undefined, Number.NaN, 0, -1, 1.5, '1'])('is refused for the chain id %s', (chainId) => {
    expect(() => logIdentity(withLog({}), { chainId: chainId as number })).toThrow(
      expect.objectContaining({ code: 'ERR_WEBHOOK_CONFIG' }),
    );
  });

  it('is refused without options', () => {
    expect(() => (logIdentity as (event: unknown) => string)(withLog({}))).toThrow('`chainId` must be an integer');
  });

  it('of a transaction.included is its block and hash, so that a block that is put back has the same', () => {
    const [blockHash, hash] = [word(0xab), word(0xcd)];
    const event = sampleTransactionIncluded({
      data: { blockHash, tx: { hash: hash.toUpperCase().replace('X', 'x') } },
    });
    expect(identity(event)).toBe(`10:${blockHash}:${hash}`);
    expect(identity({ ...event, id: 'another' })).toBe(identity(event));
    const moved = sampleTransactionIncluded({ data: { blockHash: word(1), tx: { hash } } });
    expect(identity(moved)).not.toBe(identity(event));
  });

  it.each([
    { blockHash: undefined },
    { blockHash: '0x12' },
    { tx: undefined },
    { tx: { hash: undefined } },
    { tx: { hash: 7 } },
    { tx: null },
  ])('of a transaction.included with %j is its id', (data) => {
    const event = sampleTransactionIncluded({ data: { blockHash: word(1), tx: { hash: word(2) } } });
    Object.assign(event.data, data);
    expect(identity(event)).toBe(event.id);
  });

  it('keys a receiver whose node writes the time of the block, or the position of the transaction, as a number', async () => {
    const keys: string[] = [];
    const receiver = createReceiver({
      secret: 'whsec-of-the-test',
      idempotencyKey: (event) => identity(event),
      onEvent: (_, { idempotencyKey }) => void keys.push(idempotencyKey),
    });
    for (const changed of [{ blockTimestamp: 1_751_284_607, logIndex: '0x1' }, { transactionIndex: 0 }]) {
      const {
        rawBody: body,
        signature,
        timestamp,
      } = createTestDelivery([withLog(changed)], { secret: 'whsec-of-the-test' });
      expect(await receiver.handle({ rawBody: body, signature, timestamp })).toMatchObject({ status: 200 });
    }
    expect(keys).toEqual([1, 0].map((at) => `10:${fields.blockHash}:${fields.transactionHash}:${at}`));
  });

  it('is refused when nothing tells block and transaction', () => {
    const without = withoutLog();
    delete without.data.transaction;
    const malformed = withoutLog();
    Object.assign(malformed.data.transaction ?? {}, { blockHash: '0x12' });
    for (const event of [without, malformed]) {
      expect(refusal(() => identity(event))).toMatchObject({
        code: 'ERR_WEBHOOK_RAW_FIELDS',
        input: 'rawFields',
        reason:
          'is absent, and data.transaction has no hashes to identify the log. Use event.id as the key of such events.',
      });
    }
  });
});

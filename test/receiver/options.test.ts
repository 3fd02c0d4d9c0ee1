import { describe, expect, it } from 'vitest';
import { expressHandler, expressVerifier } from '../../src/adapters/express.js';
import { fetchHandler } from '../../src/adapters/fetch.js';
import { nodeHandler } from '../../src/adapters/node.js';
import { createReceiver, type ReceiverOptions } from '../../src/index.js';

const onEvent = () => {};
const refused = (options: unknown) => () => createReceiver(options as ReceiverOptions);
const config = (message: RegExp) =>
  expect.objectContaining({ name: 'ConfigError', code: 'ERR_WEBHOOK_CONFIG', message: expect.stringMatching(message) });

describe('options', () => {
  it.each([[undefined], [''], [[]], [['ok', '']], [['ok', undefined]], [null], [7], [{ some: () => true }]])(
    'refuse the secret %j, with a hint at the environment',
    (secret) => {
      expect(refused({ secret, onEvent })).toThrow(config(/secret.*environment/));
    },
  );

  it('refuse to be missing', () => {
    expect(refused(undefined)).toThrow(config(/No options/));
    expect(refused(null)).toThrow(config(/No options/));
  });

  it('want one of onEvent and enqueue', () => {
    expect(refused({ secret: 's' })).toThrow(config(/onEvent.*enqueue/));
    expect(refused({ secret: 's', onEvent, enqueue: onEvent })).toThrow(config(/onEvent.*enqueue/));
    expect(refused({ secret: 's', enqueue: onEvent })).not.toThrow();
  });

  it.each(['onEvent', 'enqueue', 'idempotencyKey', 'onInvalid', 'onUnknown', 'onError', 'now'])(
    'want %s to be a function',
    (name) => {
      expect(refused({ secret: 's', onEvent, [name]: 'text' })).toThrow(config(new RegExp(`${name}.*function`)));
    },
  );

  it.each([
    ['toleranceSeconds', -1],
    ['toleranceSeconds', Number.NaN],
    ['toleranceSeconds', '300'],
    ['toleranceSeconds', null],
    ['maxBodyBytes', 0],
    ['maxArriving', 0],
    ['maxArriving', '1000'],
    ['maxArrivingBytes', 0],
    ['maxArrivingBytes', Number.NaN],
    ['maxInFlight', 0],
    ['maxInFlight', Number.POSITIVE_INFINITY],
    ['receiveTimeoutMs', 0],
    ['receiveTimeoutMs', 2 ** 31],
    ['concurrency', 0],
    ['handlerTimeoutMs', 0],
    ['handlerTimeoutMs', 2 ** 31],
  ])('refuse %s of %j, and say what is allowed', (name, value) => {
    expect(refused({ secret: 's', onEvent, [name]: value })).toThrow(config(new RegExp(`${name}.*from [01] to`)));
  });

  it('refuse maxArrivingBytes below maxBodyBytes, given or not', () => {
    const message = config(/maxArrivingBytes must be at least maxBodyBytes/);
    expect(refused({ secret: 's', onEvent, maxBodyBytes: 101, maxArrivingBytes: 100 })).toThrow(message);
    expect(refused({ secret: 's', onEvent, maxArrivingBytes: 100 })).toThrow(message);
    expect(refused({ secret: 's', onEvent, maxBodyBytes: 64 * 1024 * 1024 + 1 })).toThrow(message);
    expect(refused({ secret: 's', onEvent, maxBodyBytes: 100, maxArrivingBytes: 100 })).not.toThrow();
  });

  it('refuse a store without once, and header names that are not there', () => {
    expect(refused({ secret: 's', onEvent, store: {} })).toThrow(config(/store.*IdempotencyStore/));
    expect(refused({ secret: 's', onEvent, store: new Map() })).toThrow(config(/store/));
    expect(refused({ secret: 's', onEvent, headers: {} })).toThrow(config(/headers.*serviceHeaders/));
    expect(refused({ secret: 's', onEvent, headers: { signature: 'X', timestamp: '' } })).toThrow(config(/headers/));
  });

  it('take undefined for absent', () => {
    const names = ['headers', 'toleranceSeconds', 'store', 'maxBodyBytes', 'maxInFlight', 'receiveTimeoutMs', 'now'];
    const absent = Object.fromEntries([...names, 'concurrency', 'handlerTimeoutMs'].map((name) => [name, undefined]));
    expect(refused({ secret: 's', onEvent, ...absent })).not.toThrow();
  });
});

describe('adapters', () => {
  it('refuse missing options as createReceiver does', () => {
    for (const adapter of [expressHandler, fetchHandler, nodeHandler, expressVerifier]) {
      expect(() => adapter(undefined as never)).toThrow(config(/No options/));
      expect(() => adapter({ secret: '', onEvent } as never)).toThrow(config(/secret/));
    }
  });

  it('take a receiver as it is', () => {
    const receiver = createReceiver({ secret: 's', onEvent });
    for (const adapter of [expressHandler, fetchHandler, nodeHandler]) expect(adapter(receiver)).toBeTypeOf('function');
  });
});

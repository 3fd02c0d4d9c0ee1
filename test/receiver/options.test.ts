import { describe, expect, it } from 'vitest';
import { expressHandler, expressVerifier } from '../../src/adapters/express.js';
import { fastifyPlugin, fastifyVerifier } from '../../src/adapters/fastify.js';
import { fetchHandler } from '../../src/adapters/fetch.js';
import { lambdaHandler, lambdaVerifier } from '../../src/adapters/lambda.js';
import { nodeHandler, nodeVerifier } from '../../src/adapters/node.js';
import { createReceiver, createVerifier, type ReceiverOptions } from '../../src/index.js';

const onEvent = () => {};
const refused = (options: unknown) => () => createReceiver(options as ReceiverOptions);
const config = (message: RegExp) =>
  expect.objectContaining({ name: 'ConfigError', code: 'ERR_WEBHOOK_CONFIG', message: expect.stringMatching(message) });

const HANDLERS = [expressHandler, fastifyPlugin, fetchHandler, lambdaHandler, nodeHandler];
const VERIFIERS = [expressVerifier, fastifyVerifier, lambdaVerifier, nodeVerifier];

describe('options', () => {
  it.each([[undefined], [null], [[]], ['whsec']])('refuse to be %j', (options) => {
    expect(refused(options)).toThrow(config(/`createReceiver` takes an options object, got/));
    expect(() => createVerifier(options as never)).toThrow(config(/`createVerifier` takes an options object, got/));
  });

  it('refuse a name that does not exist, and name the nearest one', () => {
    expect(refused({ secret: 's', onEvent, tolerance: 300 })).toThrow(config(/`tolerance`.*`toleranceSeconds`/));
    expect(refused({ secret: 's', onEvnt: onEvent })).toThrow(config(/`onEvnt`.*`onEvent`/));
    expect(() => createVerifier({ secret: 's', onEvent } as never)).toThrow(config(/`onEvent`/));
    expect(refused({ secret: 's', onEvent, maxLookups: 5 })).toThrow(config(/`maxLookups`.*`maxLookUps`/));
    expect(() => createVerifier({ secret: 's', maxLookup: 5 } as never)).toThrow(config(/`maxLookup`.*`maxLookUps`/));
    expect(() => createVerifier({ secret: 's', maxLookUps: 0 })).toThrow(config(/maxLookUps. must be a number/));
    expect(refused({ secret: 's', onEvent, tolerance: undefined })).not.toThrow();
    expect(refused(Object.assign(Object.create({ inherited: 1 }), { secret: 's', onEvent }))).not.toThrow();
  });

  it('want one of onEvent and enqueue', () => {
    expect(refused({ secret: 's' })).toThrow(config(/onEvent.*enqueue.*got none\./));
    expect(refused({ secret: 's', onEvent, enqueue: onEvent })).toThrow(config(/onEvent.*enqueue.*got 2\./));
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
    ['toleranceSeconds', null],
    ['maxBodyBytes', 0],
    ['maxEvents', 0],
    ['maxEvents', Number.POSITIVE_INFINITY],
    ['maxArriving', 0],
    ['maxArrivingBytes', 0],
    ['maxLookUps', 0],
    ['maxLookUps', Number.POSITIVE_INFINITY],
    ['maxInFlight', 0],
    ['maxInFlight', Number.POSITIVE_INFINITY],
    ['receiveTimeoutMs', 0],
    ['receiveTimeoutMs', 2 ** 31],
    ['concurrency', 0],
    ['handlerTimeoutMs', 0],
    ['handlerTimeoutMs', 2 ** 31],
  ])('refuse %s of %j, and say what is allowed', (name, value) => {
    expect(refused({ secret: 's', onEvent, [name]: value })).toThrow(
      config(new RegExp(`${name}. must be a number .*got`)),
    );
  });

  it('refuse maxEvents of a fraction, in a verifier too', () => {
    const message = config(/`maxEvents` must be an integer, got a fraction/);
    expect(refused({ secret: 's', onEvent, maxEvents: 1.5 })).toThrow(message);
    expect(() => createVerifier({ secret: 's', maxEvents: 1.5 })).toThrow(message);
  });

  it('refuse maxArrivingBytes below maxBodyBytes, given or not', () => {
    const message = config(/`maxArrivingBytes` must be at least `maxBodyBytes`/);
    expect(refused({ secret: 's', onEvent, maxBodyBytes: 101, maxArrivingBytes: 100 })).toThrow(message);
    expect(refused({ secret: 's', onEvent, maxArrivingBytes: 100 })).toThrow(message);
    expect(refused({ secret: 's', onEvent, maxBodyBytes: 64 * 1024 * 1024 + 1 })).toThrow(message);
    expect(refused({ secret: 's', onEvent, maxBodyBytes: 100, maxArrivingBytes: 100 })).not.toThrow();
  });

  it('refuse a store without once, and header names that are not there', () => {
    expect(refused({ secret: 's', onEvent, store: {} })).toThrow(config(/store.*IdempotencyStore/));
    expect(refused({ secret: 's', onEvent, store: new Map() })).toThrow(config(/store/));
    expect(refused({ secret: 's', onEvent, store: { once() {}, leaseMs: 0 } })).toThrow(config(/leaseMs.*at least 1,/));
    expect(refused({ secret: 's', onEvent, store: { once() {}, keysPerRun: 0 } })).toThrow(
      config(/keysPerRun.*at least 1,/),
    );
  });

  it.each([
    ['null', null, /`headers` takes an options object, got null/],
    ['text', 'X-Signature', /`headers` takes an options object, got a string/],
    ['no names', {}, /`headers.signature`.*serviceHeaders.*undefined/],
    ['an empty name', { signature: 'X', timestamp: '' }, /`headers.timestamp`.*an empty string/],
    ['a name that is not text', { signature: 'X', timestamp: 7 }, /`headers.timestamp`.*a number/],
    ['a name that HTTP does not allow', { signature: 'X Signature', timestamp: 'Y' }, /`headers.signature`/],
    ['a misspelt key', { signature: 'X', timestamp: 'Y', timestmp: 'Z' }, /`timestmp`.*`timestamp`/],
  ])('refuse headers that are %s', (_what, headers, message) => {
    expect(refused({ secret: 's', onEvent, headers })).toThrow(config(message));
    expect(() => createVerifier({ secret: 's', headers } as never)).toThrow(config(message));
  });
});

describe('adapters', () => {
  it('refuse missing options as createReceiver does', () => {
    for (const adapter of [...HANDLERS, ...VERIFIERS]) {
      expect(() => adapter(undefined as never)).toThrow(config(/options object, got undefined/));
    }
    for (const adapter of HANDLERS) expect(() => adapter({ secret: '', onEvent })).toThrow(config(/secret/));
    for (const adapter of VERIFIERS) expect(() => adapter({ secret: '' })).toThrow(config(/secret/));
  });

  it('take a receiver or verifier that is an instance of a class, whatever its fields are called', () => {
    class Custom {
      readonly logger = console;
      async handleRequest() {
        return { status: 200, outcomes: [] };
      }
      async verifyRequest() {
        return {};
      }
    }
    for (const adapter of [...HANDLERS, ...VERIFIERS]) expect(adapter(new Custom() as never)).toBeTypeOf('function');
  });

  it('refuse a verifier for a receiver, and the other way round', () => {
    for (const adapter of HANDLERS) {
      expect(() => adapter(createVerifier({ secret: 's' }) as never)).toThrow(
        config(/`createReceiver` has no option `verify`/),
      );
    }
    for (const adapter of VERIFIERS) {
      expect(() => adapter(createReceiver({ secret: 's', onEvent }) as never)).toThrow(
        config(/`createVerifier` has no option `/),
      );
    }
  });
});

import { assertType, describe, expectTypeOf, test } from 'vitest';
import { chainFinality } from '../../src/chain/index.js';
import type { Finality } from '../../src/handle/before.js';
import {
  createReceiver,
  createRouter,
  createVerifier,
  type EventContext,
  type EventEntry,
  memoryStore,
  type RawBody,
  type SecretRequest,
  verifySignature,
  type WebhookEvent,
} from '../../src/index.js';
import type { SecretLookUp } from '../../src/receive/options.js';
import { type Transaction, transactional } from './transaction.js';

const secret = 'whsec-test';

describe('verifySignature', () => {
  test('takes a body, two texts, and one secret or several', () => {
    expectTypeOf(verifySignature).parameters.toEqualTypeOf<
      [rawBody: RawBody, signature: string, timestamp: string, secret: string | readonly string[]]
    >();
    expectTypeOf(verifySignature).returns.toEqualTypeOf<boolean>();
    expectTypeOf<string | Uint8Array | ArrayBuffer>().toEqualTypeOf<RawBody>();
    expectTypeOf<Buffer>().toExtend<RawBody>();
    expectTypeOf<DataView>().not.toExtend<RawBody>();
  });

  test('takes no header that may be missing, and no number', () => {
    // @ts-expect-error a header may be absent: check that first
    assertType(verifySignature('[]', undefined, '1', secret));
    // @ts-expect-error the timestamp is the text of the header
    assertType(verifySignature('[]', 'a', 1, secret));
    // @ts-expect-error an environment variable may be unset
    assertType(verifySignature('[]', 'a', '1', process.env.WEBHOOK_SECRET));
  });
});

test('onEvents gets entries and the transaction of the store, but no key of the delivery', () => {
  createReceiver({
    secret,
    store: transactional,
    async onEvents(entries, context) {
      expectTypeOf(entries).toEqualTypeOf<readonly EventEntry[]>();
      expectTypeOf(context.tx).toEqualTypeOf<Transaction>();
      expectTypeOf(context).not.toHaveProperty('idempotencyKey');
      await context.tx.query(entries.map(({ idempotencyKey }) => idempotencyKey).join());
    },
  });
  const router = createRouter<Transaction>();
  createReceiver({ secret, store: transactional, onEvents: router.dispatchAll });
  // @ts-expect-error the store has another transaction
  createReceiver({ secret, store: memoryStore(), onEvents: router.dispatchAll });
});

describe('createReceiver', () => {
  test('gives a handler the transaction of the store', () => {
    createReceiver({
      secret,
      store: transactional,
      onEvent(event, context) {
        expectTypeOf(event).toEqualTypeOf<WebhookEvent>();
        expectTypeOf(context).toEqualTypeOf<EventContext<Transaction>>();
        expectTypeOf(context.tx).toEqualTypeOf<Transaction>();
      },
    });
  });

  test('gives a handler no transaction where the store has none', () => {
    createReceiver({
      secret,
      onEvent: (_, { tx, signal }) => {
        expectTypeOf(tx).toEqualTypeOf<undefined>();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      },
    });
    createReceiver({
      secret,
      store: memoryStore(),
      onEvent: (_, { tx }) => expectTypeOf(tx).toEqualTypeOf<undefined>(),
    });
    createReceiver({ secret, store: false, onEvent: (_, { tx }) => expectTypeOf(tx).toEqualTypeOf<undefined>() });
  });

  test('takes a secret function of the request, with or without a source', () => {
    createReceiver({
      maxLookUps: 50,
      secret: ({ header, url, signal }) => {
        expectTypeOf(header).toEqualTypeOf<(name: string) => string | undefined>();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
        expectTypeOf(url).toEqualTypeOf<string | undefined>();
        return url === '/a' ? { secret, source: 'a' } : undefined;
      },
      onEvent: (_, { source, deadline, throwIfExpired, fencingToken }) => {
        expectTypeOf(source).toEqualTypeOf<string | undefined>();
        expectTypeOf(deadline).toEqualTypeOf<number>();
        expectTypeOf(throwIfExpired).toEqualTypeOf<() => void>();
        expectTypeOf(fencingToken).toEqualTypeOf<bigint | undefined>();
      },
    });
    createReceiver({ secret: async () => ({ secret: [secret], source: 'a' }), onEvent: () => {} });
    createVerifier({
      secret: async ({ signal }: SecretLookUp) => (signal.aborted ? undefined : secret),
      maxLookUps: 1,
    });
    createVerifier({ secret: ({ url }: SecretRequest) => url });
    // @ts-expect-error a limit is a number
    createVerifier({ secret, maxLookUps: '100' });
    // @ts-expect-error a source is text
    createReceiver({ secret: () => ({ secret, source: 7 }), onEvent: () => {} });
  });

  test('takes no misspelt option and no missing secret', () => {
    // @ts-expect-error there is no such option
    createReceiver({ secret, onEvent: () => {}, tolerance: 300 });
    // @ts-expect-error a secret is required
    createReceiver({ onEvent: () => {} });
  });
});

test('finality is an option of every receiver', () => {
  const finality = chainFinality({
    ...{ rpcUrl: 'http://127.0.0.1:8545', chainId: 1, level: 'finalized', wait: 'redelivery' },
    onDropped: (event, { source }) => console.log(event.id, source),
  });
  expectTypeOf(finality).toEqualTypeOf<Finality>();
  const options = { secret, finality, idempotencyKey: (event: WebhookEvent) => event.id };
  createReceiver({ ...options, onEvent: () => {} });
  createReceiver({ ...options, onEvents: () => {} });
  createReceiver({ ...options, enqueue: () => {} });
});

import { describe, expectTypeOf, test } from 'vitest';
import { expressHandler } from '../../src/adapters/express.js';
import {
  createReceiver,
  createRouter,
  type EventContext,
  type EventEmitted,
  type EventMatcher,
  memoryStore,
  type Router,
  type TransactionIncluded,
  type WebhookEvent,
} from '../../src/index.js';
import type { RouteHandler } from '../../src/receiver/router.js';
import { type Transaction, transactional } from './transaction.js';

const secret = 'whsec-test';
const handler = () => {};
const router = createRouter();

declare const unset: string | undefined;

describe('on', () => {
  test('narrows the event of a handler by its kind', () => {
    createRouter()
      .on('event.emitted', (event, context) => {
        expectTypeOf(event).toEqualTypeOf<EventEmitted>();
        expectTypeOf(context).toEqualTypeOf<EventContext>();
      })
      .on('event.emitted', { name: 'Transfer', address: '0x', contractLabel: 'token' }, (event, { tx }) => {
        expectTypeOf(event).toEqualTypeOf<EventEmitted>();
        expectTypeOf(tx).toEqualTypeOf<undefined>();
      })
      .on('transaction.included', (event, context) => {
        expectTypeOf(event).toEqualTypeOf<TransactionIncluded>();
        expectTypeOf(context).toEqualTypeOf<EventContext>();
      })
      .otherwise((event, context) => {
        expectTypeOf(event).toEqualTypeOf<WebhookEvent>();
        expectTypeOf(context).toEqualTypeOf<EventContext>();
      });
  });

  test('takes no kind, filter or handler that there is not', () => {
    // @ts-expect-error no such kind
    router.on('event.emited', handler);
    // @ts-expect-error no such key
    router.on('event.emitted', { name: 'Transfer', adress: '0x' }, handler);
    // @ts-expect-error the key is of another name
    router.on('event.emitted', { label: 'token' }, handler);
    // @ts-expect-error an environment variable may be unset, and would match every contract
    router.on('event.emitted', { name: 'Transfer', address: unset }, handler);
    // @ts-expect-error a name is text
    router.on('event.emitted', { name: /Transfer/ }, handler);
    // @ts-expect-error transactions have no filter
    router.on('transaction.included', { name: 'Transfer' }, handler);
    // @ts-expect-error no handler
    router.on('event.emitted', { name: 'Transfer' });
    // @ts-expect-error no handler
    router.otherwise();
  });
});

describe('onReverted', () => {
  test('gives its handler what the handler of on gets', () => {
    const amount: EventMatcher<bigint> = { select: () => 1n };
    createRouter<Transaction>()
      .onReverted('transaction.included', (event, { tx }) => {
        expectTypeOf(event).toEqualTypeOf<TransactionIncluded>();
        expectTypeOf(tx).toEqualTypeOf<Transaction>();
      })
      .onReverted('event.emitted', { name: 'Transfer' }, (event) => {
        expectTypeOf(event).toEqualTypeOf<EventEmitted>();
      })
      .onReverted(amount, (selected) => {
        expectTypeOf(selected).toEqualTypeOf<bigint>();
      })
      .otherwiseReverted((event) => {
        expectTypeOf(event).toEqualTypeOf<WebhookEvent>();
      });
  });

  test('takes no kind that there is not', () => {
    // @ts-expect-error no such kind
    router.onReverted('event.emited', handler);
  });
});

describe('a matcher', () => {
  test('gives its handler what it selects', () => {
    const amount: EventMatcher<bigint> = { filter: { name: 'Transfer' }, select: () => 1n };
    createRouter<Transaction>().on(amount, (selected, context) => {
      expectTypeOf(selected).toEqualTypeOf<bigint>();
      expectTypeOf(context).toEqualTypeOf<EventContext<Transaction>>();
    });
    // @ts-expect-error what is selected is no text
    router.on(amount, (_: string) => {});
    // @ts-expect-error a matcher has its own filter
    router.on(amount, { name: 'Transfer' }, handler);
  });

  test('can be written in place, with its event and what it selects inferred', () => {
    router.on(
      {
        filter: { name: 'Transfer' },
        select(event) {
          expectTypeOf(event).toEqualTypeOf<EventEmitted>();
          return event.data.event.inputs.length === 3 ? { inputs: event.data.event.inputs } : undefined;
        },
      },
      (selected) => expectTypeOf(selected).toEqualTypeOf<{ inputs: EventEmitted['data']['event']['inputs'] }>(),
    );
  });
});

describe('dispatch', () => {
  test('is an onEvent, whose transaction is that of the store', () => {
    expectTypeOf(router.dispatch).toEqualTypeOf<RouteHandler<WebhookEvent>>();
    expectTypeOf(createRouter<Transaction>()).toEqualTypeOf<Router<Transaction>>();
    createReceiver({ secret, onEvent: router.dispatch });
    createReceiver({ secret, store: memoryStore(), onEvent: router.dispatch });
    createReceiver({
      secret,
      store: transactional,
      onEvent: createRouter<Transaction>().on('event.emitted', { name: 'Transfer' }, (_, { tx }) => {
        expectTypeOf(tx).toEqualTypeOf<Transaction>();
      }).dispatch,
    });
    createReceiver({ secret, store: transactional, onEvent: createRouter<unknown>().dispatch });
  });

  test('does not fit a store of another transaction', () => {
    // @ts-expect-error the handlers of this router are promised no transaction
    createReceiver({ secret, store: transactional, onEvent: router.dispatch });
    // @ts-expect-error a store without a transaction
    createReceiver({ secret, store: memoryStore(), onEvent: createRouter<Transaction>().dispatch });
    // @ts-expect-error no store, and so no transaction
    createReceiver({ secret, onEvent: createRouter<Transaction>().dispatch });
    // @ts-expect-error no store, and so no transaction
    expressHandler({ secret, onEvent: createRouter<Transaction>().dispatch });
  });
});

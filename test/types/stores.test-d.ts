import { describe, expectTypeOf, test } from 'vitest';
import {
  createReceiver,
  createRouter,
  type EventContext,
  type IdempotencyStore,
  type OnEvent,
  type OnEvents,
  type WebhookEvent,
} from '../../src/index.js';
import type { Synchronous } from '../../src/stores/sql/index.js';

const secret = 'whsec-test';

interface Client {
  query(sql: string): Promise<void>;
}
declare const client: Client;
const options = { remainingMs: () => 1000 };

describe('a store without transactions', () => {
  const store: IdempotencyStore = {
    async once(_key, run) {
      await run();
      await run(undefined, options);
      // @ts-expect-error there is no transaction
      await run(client);
      return 'handled';
    },
    async onceEach(keys, run) {
      await run(keys);
      await run(keys, undefined, options);
      return [];
    },
  };

  test('may be an instance of a class that calls run without a transaction', () => {
    class Store implements IdempotencyStore {
      async once(_key: string, run: () => Promise<void>) {
        await run();
        return 'handled' as const;
      }
    }
    createReceiver({
      secret,
      store: new Store(),
      onEvent: (_, { tx }) => expectTypeOf(tx).toEqualTypeOf<undefined>(),
    });
  });

  test('passes for a store that hides its transaction', () => {
    expectTypeOf(store).toExtend<IdempotencyStore<unknown>>();
  });
});

describe('a store with transactions', () => {
  const store: IdempotencyStore<Client> = {
    transactional: true,
    async once(_key, run) {
      await run(client);
      await run(client, options);
      // @ts-expect-error the transaction is missing
      await run();
      // @ts-expect-error the transaction is missing
      await run(undefined, options);
      return 'handled';
    },
    async onceEach(keys, run) {
      await run(keys, client);
      // @ts-expect-error the transaction is missing
      await run(keys);
      return [];
    },
  };

  test('gives handlers its transaction', () => {
    createReceiver({ secret, store, onEvent: (_, { tx }) => expectTypeOf(tx).toEqualTypeOf<Client>() });
  });
});

interface RunResult {
  changes: number;
  lastInsertRowid: number | bigint;
}
interface Database {
  prepare(sql: string): { run(...values: unknown[]): RunResult };
}
type Tx = Synchronous<Database>;
declare const synchronous: IdempotencyStore<Tx>;

describe('a handler in a synchronous transaction', () => {
  test('may return anything but a promise', () => {
    createReceiver({
      secret,
      store: synchronous,
      onEvent: (event, { tx }) => tx.prepare('INSERT INTO seen VALUES (?)').run(event.id),
    });
    createReceiver({ secret, store: synchronous, onEvent: () => {} });
    createReceiver({ secret, store: synchronous, onEvent: (event) => event.id });
    createReceiver({
      secret,
      store: synchronous,
      onEvents: (entries, { tx }) => entries.map(({ event }) => tx.prepare('').run(event.id)),
    });
    // @ts-expect-error An async handler would end after its transaction.
    createReceiver({ secret, store: synchronous, onEvent: async () => {} });
    // @ts-expect-error An async handler would end after its transaction.
    createReceiver({ secret, store: synchronous, onEvents: async () => {} });
    // @ts-expect-error A handler that may return a promise.
    createReceiver({ secret, store: synchronous, onEvent: (event) => (event.id ? Promise.resolve() : undefined) });
  });

  test('may be the route of a router', () => {
    const router = createRouter<Tx>().on('event.emitted', (event, { tx }) => tx.prepare('').run(event.id));
    createReceiver({ secret, store: synchronous, onEvent: router.dispatch });
    createReceiver({ secret, store: synchronous, onEvents: router.dispatchAll });
    // @ts-expect-error An async route would end after its transaction.
    createRouter<Tx>().otherwise(async () => {});
  });
});

describe('a handler in any other transaction', () => {
  test('may be async', () => {
    expectTypeOf<(event: WebhookEvent, context: EventContext<Database>) => Promise<void>>().toExtend<
      OnEvent<Database>
    >();
    expectTypeOf<() => Promise<void>>().toExtend<OnEvent>();
    expectTypeOf<() => Promise<void>>().toExtend<OnEvents<unknown>>();
    // biome-ignore lint/suspicious/noExplicitAny: a store without types
    expectTypeOf<() => Promise<void>>().toExtend<OnEvent<any>>();
  });
});

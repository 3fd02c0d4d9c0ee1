import { describe, expectTypeOf, test } from 'vitest';
import {
  createReceiver,
  createRouter,
  type EventContext,
  type IdempotencyStore,
  type LeaseStore,
  type OnEvent,
  type OnEvents,
  type TransactionalStore,
  type WebhookEvent,
} from '../../src/index.js';
import type { Synchronous } from '../../src/stores/sql/index.js';

const secret = 'whsec-test';

interface Client {
  query(sql: string): Promise<void>;
}
declare const client: Client;
declare const answers: Promise<Map<string, 'duplicate'>>;

describe('a store without transactions', () => {
  test('may be an instance of a class', () => {
    class Store implements LeaseStore {
      readonly leaseMs = 60_000;
      claim = async (keys: readonly string[]) => new Map(keys.map((key) => [key, {}]));
      record = async (keys: readonly string[]) => new Map(keys.map((key) => [key, true]));
      async release() {}
    }
    createReceiver({
      secret,
      store: new Store(),
      onEvent: (_, { tx }) => expectTypeOf(tx).toEqualTypeOf<undefined>(),
    });
    expectTypeOf<Store>().toExtend<IdempotencyStore<unknown>>();
  });

  test('does not pass for one with transactions', () => {
    expectTypeOf<LeaseStore>().not.toExtend<IdempotencyStore<Client>>();
  });
});

describe('a store with transactions', () => {
  const store: TransactionalStore<Client> = {
    once(keys, _step, run) {
      void run(new Map(keys.map((key) => [key, { token: 1n }])), client);
      // @ts-expect-error the transaction is missing
      void run(new Map());
      return answers;
    },
  };

  test('gives handlers its transaction', () => {
    createReceiver({ secret, store, onEvent: (_, { tx }) => expectTypeOf(tx).toEqualTypeOf<Client>() });
    const known: IdempotencyStore<Client> = store;
    createReceiver({ secret, store: known, onEvent: (_, { tx }) => expectTypeOf(tx).toEqualTypeOf<Client>() });
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

test('a handler in any other transaction may be async', () => {
  expectTypeOf<(event: WebhookEvent, context: EventContext<Database>) => Promise<void>>().toExtend<OnEvent<Database>>();
  expectTypeOf<() => Promise<void>>().toExtend<OnEvent>();
  expectTypeOf<() => Promise<void>>().toExtend<OnEvents<unknown>>();
  // biome-ignore lint/suspicious/noExplicitAny: a store without types
  expectTypeOf<() => Promise<void>>().toExtend<OnEvent<any>>();
});

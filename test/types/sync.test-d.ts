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

interface RunResult {
  changes: number;
  lastInsertRowid: number | bigint;
}
interface Database {
  prepare(sql: string): { run(...values: unknown[]): RunResult };
}
type Tx = Synchronous<Database>;
declare const store: IdempotencyStore<Tx>;
const secret = 'whsec-test';

describe('a handler in a synchronous transaction', () => {
  test('may return anything but a promise', () => {
    createReceiver({
      secret,
      store,
      onEvent: (event, { tx }) => tx.prepare('INSERT INTO seen VALUES (?)').run(event.id),
    });
    createReceiver({ secret, store, onEvent: () => {} });
    createReceiver({ secret, store, onEvent: (event) => event.id });
    createReceiver({
      secret,
      store,
      onEvents: (entries, { tx }) => entries.map(({ event }) => tx.prepare('').run(event.id)),
    });
    // @ts-expect-error An async handler would end after its transaction.
    createReceiver({ secret, store, onEvent: async () => {} });
    // @ts-expect-error An async handler would end after its transaction.
    createReceiver({ secret, store, onEvents: async () => {} });
    // @ts-expect-error A handler that may return a promise.
    createReceiver({ secret, store, onEvent: (event) => (event.id ? Promise.resolve() : undefined) });
  });

  test('may be the route of a router', () => {
    const router = createRouter<Tx>().on('event.emitted', (event, { tx }) => tx.prepare('').run(event.id));
    createReceiver({ secret, store, onEvent: router.dispatch });
    createReceiver({ secret, store, onEvents: router.dispatchAll });
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

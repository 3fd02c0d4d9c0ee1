import { describe, expectTypeOf, test } from 'vitest';
import { createReceiver, type IdempotencyStore } from '../../src/index.js';

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
      secret: 'whsec-test',
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
    createReceiver({ secret: 'whsec-test', store, onEvent: (_, { tx }) => expectTypeOf(tx).toEqualTypeOf<Client>() });
  });

  test('may be wrapped by a store that knows nothing of its transaction', () => {
    const counted = <Tx>(inner: IdempotencyStore<Tx>): IdempotencyStore<Tx> => ({
      ...inner,
      once: (key, run) => inner.once(key, (tx, runOptions) => run(tx, runOptions)),
    });
    expectTypeOf(counted(store)).toEqualTypeOf<IdempotencyStore<Client>>();
  });
});

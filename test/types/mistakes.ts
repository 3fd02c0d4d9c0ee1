/** A program with one typical mistake. */
interface Mistake {
  readonly program: string;
  /** The first error of TypeScript 6, reviewed by hand. */
  readonly message: string;
}

export const MISTAKES: Readonly<Record<string, Mistake>> = {
  'misspelt-kind': {
    program: `
import { createRouter } from 'event-webhook-receiver';
createRouter().on('event.emited', (event) => console.log(event.id));
`,
    message: `TS2345: Argument of type '"event.emited"' is not assignable to parameter of type '"event.emitted" | "transaction.included"'.`,
  },

  'event-not-narrowed': {
    program: `
import { createReceiver } from 'event-webhook-receiver';
createReceiver({ secret: 'whsec', onEvent: (event) => console.log(event.data.event.name) });
`,
    message: `TS18048: 'event.data.event' is possibly 'undefined'.`,
  },

  'text-abi-in-matcher': {
    program: `
import { createRouter } from 'event-webhook-receiver';
import { contractEvent } from 'event-webhook-receiver/evm';
const abi = ['event Transfer(address indexed from, address indexed to, uint256 value)'] as const;
createRouter().on(contractEvent({ abi, name: 'Transfer' }), () => {});
`,
    message: `TS2322: Type 'readonly ["event Transfer(address indexed from, address indexed to, uint256 value)"]' is not assignable to type '"This ABI is text: pass it through parseAbi(...) of abitype or viem"'.`,
  },

  'text-abi-to-decode': {
    program: `
import { parseEventEmitted } from 'event-webhook-receiver';
import { decodeEvent } from 'event-webhook-receiver/evm';
decodeEvent(parseEventEmitted({}), ['event Transfer(address indexed from, address indexed to, uint256 value)']);
`,
    message: `TS2345: Argument of type 'string[]' is not assignable to parameter of type '"This ABI is text: pass it through parseAbi(...) of abitype or viem"'.`,
  },

  'abi-without-as-const': {
    program: `
import { createRouter } from 'event-webhook-receiver';
import { contractEvent } from 'event-webhook-receiver/evm';
const abi = [{ type: 'event', name: 'Transfer', inputs: [{ name: 'to', type: 'address', indexed: true }] }];
createRouter().on(contractEvent({ abi, name: 'Transfer' }), ({ args }) => console.log(args.to));
`,
    message: `TS18048: 'args' is possibly 'undefined'.`,
  },

  'event-that-the-abi-has-not': {
    program: `
import { contractEvent } from 'event-webhook-receiver/evm';
import { erc20Abi } from 'viem';
contractEvent({ abi: erc20Abi, name: 'Transferred' });
`,
    message: `TS2820: Type '"Transferred"' is not assignable to type '"Transfer" | "Approval"'. Did you mean '"Transfer"'?`,
  },

  'argument-of-another-type': {
    program: `
import { createRouter } from 'event-webhook-receiver';
import { contractEvent } from 'event-webhook-receiver/evm';
import { erc20Abi } from 'viem';
const balances = new Map<string, number>();
createRouter().on(contractEvent({ abi: erc20Abi, name: 'Transfer' }), ({ args }) => balances.set(args.to, args.value));
`,
    message: `TS2345: Argument of type 'bigint' is not assignable to parameter of type 'number'.`,
  },

  'misspelt-filter': {
    program: `
import { createRouter } from 'event-webhook-receiver';
createRouter().on('event.emitted', { name: 'Transfer', adress: '0x5FbDB2315678afecb367f032d93F642f64180aa3' }, () => {});
`,
    message: `TS2561: Object literal may only specify known properties, but 'adress' does not exist in type 'EventFilter'. Did you mean to write 'address'?`,
  },

  'handler-of-the-other-kind': {
    program: `
import { createRouter, type EventEmitted } from 'event-webhook-receiver';
createRouter().on('transaction.included', (event: EventEmitted) => console.log(event.data.event.name));
`,
    message: `TS2345: Argument of type '(event: EventEmitted) => void' is not assignable to parameter of type 'RouteHandler<TransactionIncluded, undefined>'.
  Types of parameters 'event' and 'given' are incompatible.
    Type 'TransactionIncluded' is not assignable to type 'EventEmitted'.
      Types of property 'event' are incompatible.
        Type '"transaction.included"' is not assignable to type '"event.emitted"'.`,
  },

  'misspelt-option': {
    program: `
import { createReceiver } from 'event-webhook-receiver';
createReceiver({ secret: 'whsec', toleranceSecond: 60, onEvent: (event) => console.log(event.id) });
`,
    message: `TS2561: Object literal may only specify known properties, but 'toleranceSecond' does not exist in type 'OnEventOptions<undefined>'. Did you mean to write 'toleranceSeconds'?`,
  },

  'secret-that-may-be-undefined': {
    program: `
import { createReceiver } from 'event-webhook-receiver';
createReceiver({ secret: process.env.WEBHOOK_SECRET, onEvent: (event) => console.log(event.id) });
`,
    message: `TS2322: Type 'string | undefined' is not assignable to type 'Secret | SecretFunction'.
  Type 'undefined' is not assignable to type 'Secret | SecretFunction'.`,
  },

  'onEvent-beside-enqueue': {
    program: `
import { createReceiver } from 'event-webhook-receiver';
createReceiver({ secret: 'whsec', onEvent: (event) => console.log(event.id), enqueue: async () => {} });
`,
    message: `TS2345: Argument of type '{ secret: string; onEvent: (event: WebhookEvent) => void; enqueue: () => Promise<void>; }' is not assignable to parameter of type 'ReceiverOptions<undefined>'.
  Types of property 'enqueue' are incompatible.
    Type '() => Promise<void>' is not assignable to type '"Set one of onEvent, onEvents and enqueue"'.`,
  },

  'onEvents-beside-onEvent': {
    program: `
import { createReceiver } from 'event-webhook-receiver';
createReceiver({ secret: 'whsec', onEvent: (event) => console.log(event.id), onEvents: async () => {} });
`,
    message: `TS2345: Argument of type '{ secret: string; onEvent: (event: WebhookEvent) => void; onEvents: () => Promise<void>; }' is not assignable to parameter of type 'ReceiverOptions<undefined>'.
  Types of property 'onEvents' are incompatible.
    Type '() => Promise<void>' is not assignable to type '"Set one of onEvent, onEvents and enqueue, and leave out concurrency with onEvents"'.`,
  },

  'onEvents-with-concurrency': {
    program: `
import { createReceiver } from 'event-webhook-receiver';
createReceiver({ secret: 'whsec', concurrency: 4, onEvents: async (entries) => console.log(entries.length) });
`,
    message: `TS2345: Argument of type '{ secret: string; concurrency: number; onEvents: (entries: any) => Promise<void>; }' is not assignable to parameter of type 'ReceiverOptions<undefined>'.
  Types of property 'onEvents' are incompatible.
    Type '(entries: any) => Promise<void>' is not assignable to type '"Set one of onEvent, onEvents and enqueue, and leave out concurrency with onEvents"'.`,
  },

  'async-handler-in-a-synchronous-transaction': {
    program: `
import { createReceiver } from 'event-webhook-receiver';
import { type Synchronous, type SqlStore } from 'event-webhook-receiver/stores/sql';
declare const store: SqlStore<Synchronous<{ exec(sql: string): void }>>;
createReceiver({ secret: 'whsec', store, onEvent: async (event, { tx }) => tx.exec(event.id) });
`,
    message: `TS2322: Type '(event: WebhookEvent, { tx }: EventContext<NoInfer<Synchronous<{ exec(sql: string): void; }>>>) => Promise<void>' is not assignable to type '"Set one of onEvent, onEvents and enqueue" | OnEvent<NoInfer<Synchronous<{ exec(sql: string): void; }>>> | undefined'.
  Type '(event: WebhookEvent, { tx }: EventContext<NoInfer<Synchronous<{ exec(sql: string): void; }>>>) => Promise<void>' is not assignable to type 'OnEvent<NoInfer<Synchronous<{ exec(sql: string): void; }>>>'.
    Type 'Promise<void>' is not assignable to type 'NotPromise'.
      Type 'Promise<void>' is not assignable to type 'object & { readonly then?: "The handler of a synchronous transaction must not return a promise"; }'.
        Type 'Promise<void>' is not assignable to type '{ readonly then?: "The handler of a synchronous transaction must not return a promise"; }'.
          Types of property 'then' are incompatible.
            Type '<TResult1 = void, TResult2 = never>(onfulfilled?: ((value: void) => TResult1 | PromiseLike<TResult1>) | null | undefined, onrejected?: ((reason: any) => TResult2 | PromiseLike<...>) | null | undefined) => Promise<...>' is not assignable to type '"The handler of a synchronous transaction must not return a promise"'.`,
  },

  'no-handler': {
    program: `
import { createReceiver } from 'event-webhook-receiver';
createReceiver({ secret: 'whsec' });
`,
    message: `TS2345: Argument of type '{ secret: string; }' is not assignable to parameter of type 'ReceiverOptions<undefined>'.
  Property 'onEvent' is missing in type '{ secret: string; }' but required in type 'OnEventOptions<undefined>'.`,
  },

  'transaction-of-another-store': {
    program: `
import { createReceiver, createRouter, memoryStore } from 'event-webhook-receiver';
interface Client { query(sql: string): Promise<void> }
const router = createRouter<Client>().on('event.emitted', (event, { tx }) => tx.query(event.id));
createReceiver({ secret: 'whsec', store: memoryStore(), onEvent: router.dispatch });
`,
    message: `TS2322: Type 'RouteHandler<WebhookEvent, Client>' is not assignable to type '"Set one of onEvent, onEvents and enqueue" | OnEvent<undefined> | undefined'.
  Type 'RouteHandler<WebhookEvent, Client>' is not assignable to type 'OnEvent<undefined>'.
    Types of parameters 'context' and 'context' are incompatible.
      Type 'EventContext<undefined>' is not assignable to type 'EventContext<Client>'.
        Type 'undefined' is not assignable to type 'Client'.`,
  },

  'store-without-its-transaction': {
    program: `
import type { IdempotencyStore } from 'event-webhook-receiver';
interface Client { query(sql: string): Promise<void> }
export const store: IdempotencyStore<Client> = {
  async once(key, run) {
    await run();
    return 'handled';
  },
};
`,
    message: `TS2554: Expected 1-2 arguments, but got 0.`,
  },

  'transactions-of-d1': {
    program: `
import { type D1DatabaseLike, fromD1, sqlStore } from 'event-webhook-receiver/stores/sql';
declare const database: D1DatabaseLike;
sqlStore({ db: fromD1(database), transactional: true });
`,
    message: `TS2769: No overload matches this call.
  Overload 1 of 3, '(options: SqlStoreOptions<AnyDatabase> & { readonly transactional?: false | undefined; }): SqlStore<undefined>', gave the following error.
    Type 'true' is not assignable to type 'false'.
  Overload 2 of 3, '(options: SqlStoreOptions<SynchronousDatabase<unknown>> & { readonly transactional: true; }): SqlStore<{ readonly [SYNCHRONOUS]: true; }>', gave the following error.
    Type 'LeaseDatabase' is missing the following properties from type 'SynchronousDatabase<unknown>': connection, runNow, state
  Overload 3 of 3, '(options: SqlStoreOptions<SqlDatabase<unknown>> & { readonly transactional: true; }): SqlStore<unknown>', gave the following error.
    Property 'transaction' is missing in type 'LeaseDatabase' but required in type 'SqlDatabase<unknown>'.`,
  },

  'fetch-handler-in-express': {
    program: `
import { fetchHandler } from 'event-webhook-receiver/fetch';
import express from 'express';
express().post('/webhooks', fetchHandler({ secret: 'whsec', onEvent: (event) => console.log(event.id) }));
`,
    message: `TS2769: No overload matches this call.
  The last overload gave the following error.
    Argument of type 'FetchHandler' is not assignable to parameter of type 'Application<Record<string, any>>'.
      Type 'FetchHandler' is missing the following properties from type 'Application<Record<string, any>>': init, defaultConfiguration, engine, set, and 63 more.`,
  },

  'express-handler-not-called': {
    program: `
import { expressHandler } from 'event-webhook-receiver/express';
import express from 'express';
express().post('/webhooks', expressHandler);
`,
    message: `TS2769: No overload matches this call.
  The last overload gave the following error.
    Argument of type '<Tx = undefined>(receiverOrOptions: Receiver | ReceiverOptions<Tx>, ..._callIt: "Call it: app.post(path, expressHandler(options))"[]) => ExpressHandler' is not assignable to parameter of type 'Application<Record<string, any>>'.
      Type '<Tx = undefined>(receiverOrOptions: Receiver | ReceiverOptions<Tx>, ..._callIt: "Call it: app.post(path, expressHandler(options))"[]) => ExpressHandler' is missing the following properties from type 'Application<Record<string, any>>': init, defaultConfiguration, engine, set, and 63 more.`,
  },
};

/** A program with one typical mistake, and what TypeScript 6 says of it: reviewed by hand, as users read it. */
interface Mistake {
  readonly program: string;
  readonly message: string;
}

export const MISTAKES: Readonly<Record<string, Mistake>> = {
  'misspelt-kind': {
    program: `
import { createRouter } from 'event-webhook-receiver';
createRouter().on('event.emited', (event) => console.log(event.id));
`,
    message: ``,
  },

  'event-not-narrowed': {
    program: `
import { createReceiver } from 'event-webhook-receiver';
createReceiver({ secret: 'whsec', onEvent: (event) => console.log(event.data.event.name) });
`,
    message: ``,
  },

  'text-abi-in-matcher': {
    program: `
import { createRouter } from 'event-webhook-receiver';
import { contractEvent } from 'event-webhook-receiver/evm';
const abi = ['event Transfer(address indexed from, address indexed to, uint256 value)'] as const;
createRouter().on(contractEvent({ abi, name: 'Transfer' }), () => {});
`,
    message: ``,
  },

  'text-abi-to-decode': {
    program: `
import { parseEventEmitted } from 'event-webhook-receiver';
import { decodeEvent } from 'event-webhook-receiver/evm';
decodeEvent(parseEventEmitted({}), ['event Transfer(address indexed from, address indexed to, uint256 value)']);
`,
    message: ``,
  },

  'abi-without-as-const': {
    program: `
import { createRouter } from 'event-webhook-receiver';
import { contractEvent } from 'event-webhook-receiver/evm';
const abi = [{ type: 'event', name: 'Transfer', inputs: [{ name: 'to', type: 'address', indexed: true }] }];
createRouter().on(contractEvent({ abi, name: 'Transfer' }), ({ args }) => console.log(args.to));
`,
    message: ``,
  },

  'event-that-the-abi-has-not': {
    program: `
import { contractEvent } from 'event-webhook-receiver/evm';
import { erc20Abi } from 'viem';
contractEvent({ abi: erc20Abi, name: 'Transferred' });
`,
    message: ``,
  },

  'argument-of-another-type': {
    program: `
import { createRouter } from 'event-webhook-receiver';
import { contractEvent } from 'event-webhook-receiver/evm';
import { erc20Abi } from 'viem';
const balances = new Map<string, number>();
createRouter().on(contractEvent({ abi: erc20Abi, name: 'Transfer' }), ({ args }) => balances.set(args.to, args.value));
`,
    message: ``,
  },

  'misspelt-filter': {
    program: `
import { createRouter } from 'event-webhook-receiver';
createRouter().on('event.emitted', { name: 'Transfer', adress: '0x5FbDB2315678afecb367f032d93F642f64180aa3' }, () => {});
`,
    message: ``,
  },

  'handler-of-the-other-kind': {
    program: `
import { createRouter, type EventEmitted } from 'event-webhook-receiver';
createRouter().on('transaction.included', (event: EventEmitted) => console.log(event.data.event.name));
`,
    message: ``,
  },

  'misspelt-option': {
    program: `
import { createReceiver } from 'event-webhook-receiver';
createReceiver({ secret: 'whsec', toleranceSecond: 60, onEvent: (event) => console.log(event.id) });
`,
    message: ``,
  },

  'secret-that-may-be-undefined': {
    program: `
import { createReceiver } from 'event-webhook-receiver';
createReceiver({ secret: process.env.WEBHOOK_SECRET, onEvent: (event) => console.log(event.id) });
`,
    message: ``,
  },

  'onEvent-beside-enqueue': {
    program: `
import { createReceiver } from 'event-webhook-receiver';
createReceiver({ secret: 'whsec', onEvent: (event) => console.log(event.id), enqueue: async () => {} });
`,
    message: ``,
  },

  'transaction-of-another-store': {
    program: `
import { createReceiver, createRouter, memoryStore } from 'event-webhook-receiver';
interface Client { query(sql: string): Promise<void> }
const router = createRouter<Client>().on('event.emitted', (event, { tx }) => tx.query(event.id));
createReceiver({ secret: 'whsec', store: memoryStore(), onEvent: router.dispatch });
`,
    message: ``,
  },

  'fetch-handler-in-express': {
    program: `
import { fetchHandler } from 'event-webhook-receiver/fetch';
import express from 'express';
express().post('/webhooks', fetchHandler({ secret: 'whsec', onEvent: (event) => console.log(event.id) }));
`,
    message: ``,
  },

  'express-handler-not-called': {
    program: `
import { expressHandler } from 'event-webhook-receiver/express';
import express from 'express';
express().post('/webhooks', expressHandler);
`,
    message: ``,
  },
};

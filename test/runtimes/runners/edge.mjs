// What is bundled for the Vercel edge runtime.
import * as root from 'event-webhook-receiver';
import * as evm from 'event-webhook-receiver/evm';
import * as fetch from 'event-webhook-receiver/fetch';
import * as schemas from 'event-webhook-receiver/schemas';
import * as testing from 'event-webhook-receiver/testing';
import * as verify from 'event-webhook-receiver/verify';
import { run } from './suite.mjs';

const unhandled = [];
addEventListener('unhandledrejection', (event) => unhandled.push(event.reason));

addEventListener('fetch', (event) => {
  const answer = async () => {
    const { traits, shared } = await event.request.json();
    const lines = [];
    const lib = { root, verify, fetch, evm, testing, schemas };
    const host = { unhandled, shared, foreignBytes: globalThis.foreignBytes };
    await run(lib, traits, host, (result) => lines.push(JSON.stringify(result)));
    return new Response(lines.join('\n'));
  };
  event.respondWith(answer());
});

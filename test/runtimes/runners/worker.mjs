// What is bundled for workerd: all of it inside a request, because a Worker may do nothing before.
import * as root from 'event-webhook-receiver';
import * as evm from 'event-webhook-receiver/evm';
import * as fetch from 'event-webhook-receiver/fetch';
import * as schemas from 'event-webhook-receiver/schemas';
import * as testing from 'event-webhook-receiver/testing';
import * as verify from 'event-webhook-receiver/verify';
import { run } from './suite.mjs';

const unhandled = [];
addEventListener('unhandledrejection', (event) => unhandled.push(event.reason));

export default {
  async fetch(request) {
    const { traits, shared } = await request.json();
    const lines = [];
    const lib = { root, verify, fetch, evm, testing, schemas };
    await run(lib, traits, { unhandled, shared }, (result) => lines.push(JSON.stringify(result)));
    return new Response(lines.join('\n'));
  },
};

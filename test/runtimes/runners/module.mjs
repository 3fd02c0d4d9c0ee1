// Node, Bun and Deno, from a folder that has the package installed: import.
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import * as root from 'event-webhook-receiver';
import * as evm from 'event-webhook-receiver/evm';
import * as fetch from 'event-webhook-receiver/fetch';
import * as schemas from 'event-webhook-receiver/schemas';
import * as testing from 'event-webhook-receiver/testing';
import * as verify from 'event-webhook-receiver/verify';
import { run } from './suite.mjs';

const { traits } = JSON.parse(readFileSync(new URL('./input.json', import.meta.url), 'utf8'));
const unhandled = [];
if (typeof Deno === 'undefined') process.on('unhandledRejection', (reason) => unhandled.push(reason));
else {
  globalThis.addEventListener('unhandledrejection', (event) => {
    event.preventDefault();
    unhandled.push(event.reason);
  });
}
const foreignBytes = (bytes) => runInNewContext('new Uint8Array(values)', { values: [...bytes] });
const host = { unhandled, foreignBytes };
await run({ root, verify, fetch, evm, testing, schemas }, traits, host, (result) =>
  console.log(JSON.stringify(result)),
);

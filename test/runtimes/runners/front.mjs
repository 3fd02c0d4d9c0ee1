// What is bundled for workerd and the Vercel edge runtime: the suite, within a request.
import * as root from 'event-webhook-receiver';
import * as evm from 'event-webhook-receiver/evm';
import * as fetch from 'event-webhook-receiver/fetch';
import * as schemas from 'event-webhook-receiver/schemas';
import * as testing from 'event-webhook-receiver/testing';
import * as verify from 'event-webhook-receiver/verify';
import { run } from './suite.mjs';

const unhandled = [];
addEventListener('unhandledrejection', (event) => unhandled.push(event.reason));

const utf8 = new TextEncoder();

/** Answers with a line for each result. */
export async function answer(request, host, waitUntil) {
  const { traits } = await request.json();
  const { readable, writable } = new TransformStream();
  const lines = writable.getWriter();
  const lib = { root, verify, fetch, evm, testing, schemas };
  const report = (result) => lines.write(utf8.encode(`${JSON.stringify(result)}\n`));
  waitUntil(run(lib, traits, { unhandled, ...host }, report).finally(() => lines.close()));
  return new Response(readable);
}

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Choices } from '../../kernel/choices.js';
import { World } from '../../kernel/world.js';
import { SimulatedAbortController } from './abort.js';
import { createFetch, type HttpAnswer } from './fetch.js';
import { SimulatedRequest, type SimulatedResponse } from './http.js';

const URL_OF_MODEL = 'http://node.test/';

/** What the caller of `fetch` sees. */
async function seen(answer: Promise<Response | SimulatedResponse>): Promise<unknown> {
  try {
    const { status, ok, headers, body } = await answer;
    const reader = body?.getReader();
    let text = '';
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      text += new TextDecoder().decode(part.value);
    }
    return { status, ok, retryAfter: headers.get('Retry-After'), text };
  } catch (error) {
    const { name, cause } = error as { name: string; cause?: { code?: string } };
    return { error: name, code: cause?.code };
  }
}

type Given = HttpAnswer | 'reset' | 'silent';

/** `ms`: when the caller aborts. */
async function withNode(given: Given, ms?: number): Promise<unknown> {
  const server = createServer((request, response) => {
    request.resume();
    if (given === 'reset') request.socket.destroy();
    else if (given !== 'silent') {
      response.writeHead(given.status, given.headers).flushHeaders();
      if (given.bodyAfterMs === undefined) response.end(given.text);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { signal, abort } = bound(new AbortController());
  if (ms === 0) abort();
  else if (ms !== undefined) server.once('request', () => setTimeout(abort, ms));
  try {
    const { port } = server.address() as AddressInfo;
    return await seen(fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'ask', signal }));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function withModel(given: Given, ms?: number): Promise<unknown> {
  const world = new World(Choices.ofTape([]));
  const process = world.process('app');
  const server = world.server('node');
  if (given === 'reset') server.stop();
  const answer = () => (given === 'silent' || given === 'reset' ? undefined : given);
  const ask = createFetch(process, new Map([[URL_OF_MODEL, { server, answer }]]));
  const { signal, abort } = bound(new SimulatedAbortController());
  let result: unknown;
  process.start(() => {
    if (ms === 0) abort();
    else if (ms !== undefined) process.setTimeout(abort, ms);
    const request = new SimulatedRequest(URL_OF_MODEL, { method: 'POST', body: 'ask', signal: signal as never });
    void seen(ask(request)).then((what) => {
      result = what;
    });
  });
  await world.run();
  return result;
}

function bound<Signal>(controller: { readonly signal: Signal; abort(): void }) {
  return { signal: controller.signal, abort: () => controller.abort() };
}

describe('the fetch of the simulation, like that of Node.js,', () => {
  const body: HttpAnswer = { status: 200, text: '{"result":"€"}' };
  const busy: HttpAnswer = { status: 429, headers: { 'retry-after': '3' }, text: '' };
  const ABORTED = { error: 'AbortError', code: undefined };
  it.each<[string, Given, number | undefined, unknown]>([
    ['returns an answer', body, undefined, { status: 200, ok: true, retryAfter: null, text: '{"result":"€"}' }],
    [
      'returns an error status with its headers',
      busy,
      undefined,
      { status: 429, ok: false, retryAfter: '3', text: '' },
    ],
    ['rejects when the connection breaks', 'reset', undefined, { error: 'TypeError' }],
    ['rejects when its signal was aborted before', body, 0, ABORTED],
    ['rejects when its signal is aborted', 'silent', 20, ABORTED],
    ['rejects when its signal is aborted while the body is read', { ...body, bodyAfterMs: Infinity }, 20, ABORTED],
  ])('%s', async (_, given, ms, expected) => {
    expect(await withNode(given, ms)).toMatchObject(expected as object);
    expect(await withModel(given, ms)).toMatchObject(expected as object);
  });
});

import express from 'express';
import { describe, expect, it, onTestFinished } from 'vitest';
import { expressHandler } from '../../src/adapters/express.js';
import { lambdaHandler } from '../../src/adapters/lambda.js';
import { nodeHandler } from '../../src/adapters/node.js';
import { traceDelivery } from '../../src/handle/tracing.js';
import { createReceiver, type DeliveryMessage, type ReceiverOptions } from '../../src/index.js';
import { serve } from '../matrix/app.js';
import { framed, headersOf, now, SECRET, sign } from '../matrix/deliveries.js';
import { Wire } from '../matrix/wire.js';

/** Texts of one to four bytes a character: all of them have fewer UTF-16 units than the limit and more bytes. */
const LETTERS = ['x', 'é', '日', '🎉'];
const LIMIT = 3000;

/** An authentic body of so many bytes in all. */
function bodyOf(letter: string, bytes: number): string {
  const each = Buffer.byteLength(letter);
  const room = bytes - 4;
  return `["${letter.repeat(Math.floor(room / each))}${'y'.repeat(room % each)}"]`;
}

type Send = (text: string, options: ReceiverOptions) => Promise<number | undefined>;

const options = { secret: SECRET, now, maxBodyBytes: LIMIT, onEvent: () => {}, onInvalid: () => {} };

/** A host that has read the stream and kept its text. */
const keepingText =
  (handle: (options: ReceiverOptions) => (request: never, response: never, next: never) => unknown): Send =>
  async (text, given) => {
    const handler = handle(given);
    const app = express().use(async (request, response, next) => {
      const rawBody = Buffer.concat(await request.toArray()).toString();
      await handler(Object.assign(request, { rawBody, body: {} }) as never, response as never, next as never);
    });
    const { port } = await serve(app);
    const wire = await Wire.open(port);
    await wire.send(framed(sign(text)));
    const answer = await wire.answer();
    wire.end();
    return answer?.status;
  };

const SENDERS: Record<string, Send> = {
  handle: async (text, given) => {
    const { signature, timestamp } = sign(text);
    return (await createReceiver(given).handle({ rawBody: text, signature, timestamp })).status;
  },
  'rawBody of a framework, nodeHandler': keepingText(nodeHandler),
  'rawBody of a framework, expressHandler': keepingText(expressHandler),
  'lambdaHandler, text': async (text, given) => {
    const headers = Object.fromEntries(headersOf(sign(text)));
    return (await lambdaHandler(given)({ httpMethod: 'POST', headers, body: text })).statusCode;
  },
};

describe.each(Object.entries(SENDERS))('maxBodyBytes of text given to %s', (_name, send) => {
  it.each(LETTERS)('counts the bytes of %s', async (letter) => {
    expect(Buffer.byteLength(bodyOf(letter, LIMIT))).toBe(LIMIT);
    expect(await send(bodyOf(letter, LIMIT), options)).toBe(200);
    expect(await send(bodyOf(letter, LIMIT + 1), options)).toBe(413);
  });
});

describe('bodyBytes', () => {
  it.each(LETTERS)('is the bytes of a text of %s', async (letter) => {
    const { tracingChannel } = await import('node:diagnostics_channel');
    const seen: (number | undefined)[] = [];
    const channel = tracingChannel<unknown, DeliveryMessage>('event-webhook-receiver:delivery');
    const asyncEnd = ({ bodyBytes }: DeliveryMessage) => void seen.push(bodyBytes);
    channel.subscribe({ asyncEnd } as never);
    onTestFinished(() => channel.unsubscribe({ asyncEnd } as never));
    expect(traceDelivery).toBeTypeOf('function');
    const text = bodyOf(letter, 1000);
    const { signature, timestamp } = sign(text);
    await createReceiver(options).handle({ rawBody: text, signature, timestamp });
    expect(seen).toEqual([1000]);
  });
});

it('counts lone surrogates as the three bytes that they are sent as', async () => {
  const rawBody = `["${'\ud83c'.repeat(1000)}"]`;
  const { signature, timestamp } = sign(rawBody);
  expect((await createReceiver(options).handle({ rawBody, signature, timestamp })).status).toBe(413);
});

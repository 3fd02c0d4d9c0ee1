import { equal, ok } from '../../matrix/cases/check.js';
import { bytesOf, type Delivery, headersOf, piecesOf, textOf } from '../../matrix/cases/delivery.js';
import type { Body, Lab, Traits } from './lab.js';
import { sharedCopy } from './signatures.js';
import type { Case } from './suite.js';

/** A body that gives these chunks one at a time, whatever they are. */
export function streamOf(chunks: readonly unknown[], end: 'close' | 'error' | 'stall' = 'close'): ReadableStream {
  let at = 0;
  const source = {
    async pull(controller: ReadableStreamDefaultController<unknown>) {
      // A turn of the event loop now and then, as on a network; not for each of thousands of pieces.
      if (at % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 0));
      if (at < chunks.length) controller.enqueue(chunks[at++]);
      else if (end === 'close') controller.close();
      else if (end === 'error') controller.error(new Error('the sender has gone'));
      else await new Promise(() => {});
    },
  };
  return new ReadableStream(source, { highWaterMark: 0 });
}

const IN_PIECES: readonly (readonly [
  title: string,
  make: (body: Uint8Array, lab: Lab) => unknown,
  needs?: (traits: Traits) => boolean,
])[] = [
  ['text', textOf],
  ['bytes', (body) => body],
  ['an ArrayBuffer', (body) => body.slice().buffer],
  ['a part of a larger buffer', (body) => bytesOf('xx', body, 'yy').subarray(2, -2)],
  ['a Blob', (body) => new Blob([body.slice()])],
  ['a stream of one piece', (body) => streamOf([body])],
  ['a stream of many pieces', (body) => streamOf(piecesOf(body, 100))],
  [
    'a stream with empty pieces between',
    (body) => streamOf(piecesOf(body, 700).flatMap((piece) => [piece, new Uint8Array(0)])),
  ],
  [
    'a byte stream',
    (body) => {
      const pieces = piecesOf(body, 500).map((piece) => piece.slice());
      return new ReadableStream({
        type: 'bytes',
        pull(controller) {
          const piece = pieces.shift();
          if (piece === undefined) controller.close();
          else controller.enqueue(piece);
        },
      });
    },
  ],
  ['a stream that another stream was piped through', (body) => streamOf([body]).pipeThrough(new TransformStream())],
  ['a stream of bytes of another realm', (body, lab) => foreign(body, lab), ({ realms }) => realms],
];

function foreign(body: Uint8Array, lab: Lab): ReadableStream {
  const { foreignBytes } = lab.host;
  if (foreignBytes === undefined) throw new Error('The runner makes no bytes of another realm.');
  const pieces = piecesOf(body, 300).map(foreignBytes);
  ok(Object.getPrototypeOf(pieces[0]) !== Uint8Array.prototype, 'the bytes are of this realm');
  return streamOf(pieces);
}

/** Chunks that are no bytes, the more tempting the better: the text is genuine. */
const NO_BYTES: readonly (readonly [title: string, chunkOf: (delivery: Delivery) => unknown])[] = [
  ['the text', ({ body }) => textOf(body)],
  ['an array of numbers', ({ body }) => [...body]],
  ['elements of two bytes', () => new Uint16Array(8)],
];

/** The ways in which a body comes, or does not. */
export const bodyCases: readonly Case[] = [
  ...IN_PIECES.map(([title, make, needs]) => ({
    name: `takes a body given as ${title}, and refuses it changed by one byte`,
    ...(needs ? { needs } : {}),
    async run(lab: Lab) {
      const app = lab.start();
      const delivery = await lab.genuine(lab.sample('ünïcode 🎉'));
      const changed = bytesOf(textOf(delivery.body).replace('Transfer', 'transfer'));
      equal((await app.post(delivery, { body: make(changed, lab) as Body })).status, 403);
      equal((await app.post(delivery, { body: make(delivery.body, lab) as Body })).status, 200);
      equal(app.seen.entries, ['ünïcode 🎉']);
      equal(app.codes, ['ERR_WEBHOOK_SIGNATURE']);
    },
  })),
  ...([null, '', new Uint8Array(0)] as const).map((body) => ({
    name: `refuses no body, even with a signature for nothing: ${body === null ? 'none' : typeof body}`,
    async run(lab: Lab) {
      const app = lab.start();
      equal((await app.post(await lab.sign(''), { body: body as Body })).status, 403);
      equal((await app.post(await lab.genuine(), { body: body as Body })).status, 403);
      equal(app.codes, ['ERR_WEBHOOK_SIGNATURE', 'ERR_WEBHOOK_SIGNATURE']);
    },
  })),
  {
    name: 'takes a body of exactly maxBodyBytes and refuses one of a byte more, whole and in pieces',
    async run(lab) {
      const delivery = await lab.genuine();
      const { length } = delivery.body;
      const [exact, less] = [lab.start({ maxBodyBytes: length }), lab.start({ maxBodyBytes: length - 1 })];
      for (const body of [() => delivery.body, () => streamOf(piecesOf(delivery.body, 100))] as (() => Body)[]) {
        equal((await exact.post(delivery, { body: body() })).status, 200);
        equal((await less.post(delivery, { body: body() })).status, 413);
      }
      equal(less.codes, ['ERR_WEBHOOK_BODY_TOO_LARGE', 'ERR_WEBHOOK_BODY_TOO_LARGE']);
      equal(less.seen.entries, []);
    },
  },
  {
    name: 'refuses a Content-Length over the limit without reading the body',
    async run(lab) {
      const app = lab.start({ maxBodyBytes: 1000 });
      const delivery = await lab.sign('[]');
      const request = lab.request(delivery, { headers: [...headersOf(delivery), ['Content-Length', '1001']] });
      equal((await app.handler(request)).status, 413);
      equal(request.bodyUsed, false, 'whether the body was read');
      equal(app.codes, ['ERR_WEBHOOK_BODY_TOO_LARGE']);
    },
  },
  {
    name: 'reads no further than the limit, and cancels the source',
    async run(lab) {
      const app = lab.start({ maxBodyBytes: 10_000 });
      let [given, cancelled] = [0, 0];
      const source = {
        pull(controller: ReadableStreamDefaultController<Uint8Array>) {
          given += 1000;
          // Not without an end: a library that ignores its limit shall fail here, and not take all memory.
          if (given > 1_000_000) controller.close();
          else controller.enqueue(new Uint8Array(1000));
        },
        cancel() {
          cancelled++;
        },
      };
      const body = new ReadableStream(source, { highWaterMark: 0 }) as Body;
      equal((await app.post(await lab.genuine(), { body })).status, 413);
      await new Promise((resolve) => setTimeout(resolve, 0));
      equal(app.codes, ['ERR_WEBHOOK_BODY_TOO_LARGE']);
      ok(given <= 100_000, `it read ${given} bytes`);
      equal(cancelled, 1, 'how often the source was cancelled');
    },
  },
  ...NO_BYTES.map(([title, chunkOf]) => ({
    name: `answers 503 when the stream gives ${title} for bytes, and handles nothing`,
    async run(lab: Lab) {
      const app = lab.start({ maxInFlight: 1 });
      const delivery = await lab.genuine();
      equal((await app.post(delivery, { body: streamOf([chunkOf(delivery)]) as Body })).status, 503);
      equal(app.codes, ['ERR_WEBHOOK_BODY_INCOMPLETE']);
      equal(app.seen.entries, []);
      equal((await app.post(delivery)).status, 200, 'the answer to the next');
    },
  })),
  {
    name: 'takes chunks in shared memory, or answers that they are no bytes',
    needs: ({ sharedMemory }) => sharedMemory,
    async run(lab) {
      const app = lab.start();
      const delivery = await lab.genuine();
      const { status } = await app.post(delivery, { body: streamOf([sharedCopy(delivery.body)]) as Body });
      ok(status === 200 || status === 503, `the status is ${status}`);
      equal(app.seen.entries.length, status === 200 ? 1 : 0);
    },
  },
];

import { expect } from 'vitest';
import { sampleEventEmitted } from '../../src/testing/index.js';
import { type App, startApp } from '../matrix/app.js';
import { NO_DELIVERIES } from '../matrix/cases/contents.js';
import { digitsMoved, FORGERIES } from '../matrix/cases/forgeries.js';
import { statusesOnOneConnection } from '../matrix/connections.js';
import { type Delivery, framed, genuine, genuineOfSize, headersOf, sign } from '../matrix/deliveries.js';
import type { Deviation } from '../matrix/deviations.js';
import { chunked, head, Wire } from '../matrix/wire.js';

const NO_JSON = 'the host parses first, and answers 400 itself to what is no JSON';
const WAITS = 'the host reads the body on its own clock, and asks the receiver when it is whole';

/** Sends a delivery to a host that answers it by itself; the receiver is never asked. Gives the status. */
async function statusOfHost(app: App, delivery: Delivery, headers = headersOf(delivery)): Promise<number | undefined> {
  const wire = await Wire.open(app.port);
  const sending = wire.send(framed(delivery, headers));
  const answer = await wire.answer();
  await sending;
  wire.end();
  expect(answer?.body).not.toBe('');
  expect(app.errors.entries).toEqual([]);
  expect(app.seen.entries).toEqual([]);
  return answer?.status;
}

const answersItself = (why: string, status: number, make: () => Delivery | Promise<Delivery>): Deviation => ({
  why,
  test: async (target) => expect(await statusOfHost(await startApp(target), await make())).toBe(status),
});

const forged = (title: string): Delivery | Promise<Delivery> => {
  const [, forge] = FORGERIES.find(([each]) => each === title) ?? [];
  if (forge === undefined) throw new Error(`There is no forgery "${title}".`);
  return forge(genuine(), sign);
};

const noDelivery = (title: string): Delivery => {
  const [, body] = NO_DELIVERIES.find(([each]) => each === title) ?? [];
  if (body === undefined) throw new Error(`There is no content "${title}".`);
  return sign(body);
};

/** Encodings that a parser refuses itself; ours is not asked. */
const refusesEncoding = (coding: string, status: number): Deviation => ({
  why: 'the host decodes first, and refuses what it cannot decode',
  async test(target) {
    const delivery = sign(JSON.stringify([sampleEventEmitted()]));
    const headers = [...headersOf(delivery), ['Content-Encoding', coding] as const];
    expect(await statusOfHost(await startApp(target), delivery, headers)).toBe(status);
  },
});

/** A body that stalls holds no place: others are taken meanwhile, and it is taken too when its last byte comes. */
const waitsForTheBody = (send: (wire: Wire, delivery: Delivery) => Promise<() => Promise<void>>): Deviation => ({
  why: WAITS,
  async test(target) {
    const app = await startApp(target, { receiveTimeoutMs: 30, maxInFlight: 1 });
    const slow = genuine();
    const wire = await Wire.open(app.port);
    const finish = await send(wire, slow);
    await app.requests.reaches(1);
    expect((await app.post(genuine())).status).toBe(200);
    await finish();
    expect((await wire.answer())?.status).toBe(200);
    expect(app.seen.entries).toHaveLength(2);
    expect(app.errors.entries).toEqual([]);
    wire.end();
  },
});

const inOnePiece = waitsForTheBody(async (wire, delivery) => {
  await wire.send(framed(delivery).subarray(0, -1));
  return () => wire.send(delivery.body.subarray(-1));
});

const inChunks = waitsForTheBody(async (wire, delivery) => {
  const body = chunked([delivery.body]);
  await wire.send(head([...headersOf(delivery), ['Transfer-Encoding', 'chunked']]), body.subarray(0, -5));
  return () => wire.send(body.subarray(-5));
});

/** A sender who goes half way is the host's affair. The next one is taken. */
const forgetsTheCut = (how: 'cut' | 'end'): Deviation => ({
  why: WAITS,
  async test(target) {
    const app = await startApp(target, { maxInFlight: 1 });
    const delivery = genuine();
    const wire = await Wire.open(app.port);
    await wire.send(framed(delivery).subarray(0, -100));
    await app.requests.reaches(1);
    wire[how]();
    await wire.closed();
    expect((await app.post(delivery)).status).toBe(200);
    expect(app.seen.entries).toHaveLength(1);
    expect(app.errors.entries).toEqual([]);
  },
});

/** Over the limit is 413 all the same, but only when all of it has come. */
const refusedWhenWhole: Deviation = {
  why: WAITS,
  async test(target) {
    const app = await startApp(target);
    const delivery = genuineOfSize(11 * 1024 * 1024);
    const wire = await Wire.open(app.port);
    await wire.send(framed(delivery));
    expect((await wire.answer())?.status).toBe(413);
    expect(app.seen.entries).toEqual([]);
    wire.end();
  },
};

/** What holds in place of some cases on a host that reads, decodes and parses the body before it asks a receiver. */
export const parsedFirst: readonly (readonly [title: string, Deviation])[] = [
  ...[
    'a body changed by one bit of its last byte',
    'a body without its last byte',
    'a body without its first byte',
    'a byte moved from the body to the timestamp',
  ].map((title) => [`refuses ${title}`, answersItself(NO_JSON, 400, () => forged(title))] as const),
  [
    'never handles a delivery with digits moved from its timestamp to its body',
    {
      why: NO_JSON,
      async test(target) {
        const app = await startApp(target);
        for (const moved of digitsMoved(genuine())) expect(await statusOfHost(app, moved)).toBe(400);
      },
    },
  ],
  ...['UTF-8 cut inside a character', 'UTF-16', 'not JSON', 'blank', 'a JSON string', 'JSON null'].map(
    (title) =>
      [
        `answers 400 to an authentic body that is ${title}`,
        answersItself(NO_JSON, 400, () => noDelivery(title)),
      ] as const,
  ),
  ['answers 415 to Content-Encoding br', refusesEncoding('br', 400)],
  ['answers 415 to Content-Encoding identity, gzip', refusesEncoding('identity, gzip', 415)],
  ['answers 415 to Content-Encoding nonsense', refusesEncoding('nonsense', 415)],
  ['refuses a body that says it is over the limit before any of it has come', refusedWhenWhole],
  ['answers 503 when the body stalls, and closes the connection', inOnePiece],
  ['answers 503 when a body in chunks never ends', inChunks],
  ['takes a verified delivery while another is still arriving, and then that one', inOnePiece],
  ['drops the delivery that has been arriving longest when there are too many, and answers it 503', inOnePiece],
  ['drops the delivery that has been arriving longest when there are too many bytes, and answers it 503', inOnePiece],
  [
    'serves genuine deliveries between refused ones to a client that keeps its connection',
    {
      why: NO_JSON,
      async test(target) {
        const { port } = await startApp(target);
        expect(await statusesOnOneConnection(port)).toEqual([200, 403, 200, 403, 200, 400, 200]);
      },
    },
  ],
  ['survives a sender who breaks the connection off half way, and takes the next one', forgetsTheCut('cut')],
  ['survives a sender who hangs up half way, and takes the next one', forgetsTheCut('end')],
];

/** A host with a limit of its own that is not above the receiver's answers 413 itself, whatever `maxBodyBytes` says. */
export const ownLimit: readonly (readonly [title: string, Deviation])[] = [
  'answers a sender of 20 MB over the limit who sends on regardless',
  'takes 20 MB when the limit allows it',
].map((title) => {
  const why = 'the host has a limit of its own, 10 MB, and answers 413 itself';
  const test: Deviation['test'] = async (target) => {
    const app = await startApp(target, { maxBodyBytes: 32 * 1024 * 1024 });
    expect(await statusOfHost(app, genuineOfSize(20 * 1024 * 1024))).toBe(413);
  };
  return [title, { why, test }];
});

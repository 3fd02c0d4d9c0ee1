import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleEventEmitted } from '../../src/testing/index.js';
import { expectAnswer } from '../matrix/app.js';
import { NO_DELIVERIES } from '../matrix/cases/contents.js';
import { FORGERIES } from '../matrix/cases/forgeries.js';
import { REFUSED_ENCODINGS, REFUSED_METHODS, refusedHeaders } from '../matrix/cases/headers.js';
import { type Delivery, framed, genuine, genuineOfSize, headersOf, sign } from '../matrix/deliveries.js';
import { chunked, type HeaderList, head, piecesOf, Wire } from '../matrix/wire.js';
import { bundle, createGround, type Ground } from './ground.js';
import { installed, needsRuntimes } from './installed.js';

const present = installed('edge-runtime') !== undefined;

describe.skipIf(!present)(`an edge function on the edge runtime's own server${present ? '' : needsRuntimes}`, () => {
  let ground: Ground;
  let server: ChildProcess;
  let url: URL;

  beforeAll(async () => {
    ground = await createGround(undefined);
    const { path } = await bundle(ground, 'edge-app.mjs', ['edge-light', 'worker', 'browser'], 'iife');
    const runner = fileURLToPath(new URL('./runners/edge-server.mjs', import.meta.url));
    server = spawn(process.execPath, [runner, path], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [line] = await once(server.stdout as NodeJS.ReadableStream, 'data');
    url = new URL(String(line).trim());
  }, 60_000);

  afterAll(async () => {
    server?.stdin?.end();
    await ground?.remove();
  });

  const exchange = async (...pieces: readonly Uint8Array[]) => {
    const wire = await Wire.open(Number(url.port));
    const sending = wire.send(...pieces);
    const answer = expectAnswer(await wire.answer());
    await sending;
    wire.end();
    return answer;
  };
  const post = (delivery: Delivery, headers: HeaderList = headersOf(delivery)) => exchange(framed(delivery, headers));
  const seen = async () => (await (await fetch(new URL('/seen', url))).json()) as string[];

  it('handles a delivery once, whole, in pieces and again', async () => {
    const event = sampleEventEmitted();
    const delivery = genuine(event);
    const inPieces = chunked(piecesOf(delivery.body, 100));
    expect((await post(delivery)).status).toBe(200);
    const answer = await exchange(head([...headersOf(delivery), ['Transfer-Encoding', 'chunked']]), inPieces);
    expect(answer.status).toBe(200);
    expect((await seen()).filter((id) => id === event.id)).toHaveLength(1);
  });

  it.each(FORGERIES)('refuses %s', async (_title, forge) => {
    const event = sampleEventEmitted();
    expect((await post(await forge(genuine(event), sign))).status).toBe(403);
    expect(await seen()).not.toContain(event.id);
  });

  const placeholder = genuine();
  it.each(refusedHeaders(placeholder))('refuses headers with %s', async (_title, headers) => {
    expect((await post(placeholder, headers)).status).toBe(403);
  });

  it.each(NO_DELIVERIES)('answers 400 to an authentic body that is %s', async (_title, body) => {
    expect((await post(sign(body))).status).toBe(400);
  });

  it.each(REFUSED_ENCODINGS)('answers 415 to Content-Encoding %s', async (coding) => {
    const delivery = genuine();
    expect((await post(delivery, [...headersOf(delivery), ['Content-Encoding', coding]])).status).toBe(415);
  });

  it.each(REFUSED_METHODS)('answers 405 with Allow to %s', async (method) => {
    const answer = await exchange(head([...headersOf(genuine()), ['Content-Length', '0']], method));
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('takes a body below maxBodyBytes, and refuses one above it with and without a length', async () => {
    expect((await post(genuineOfSize(90_000))).status).toBe(200);
    const large = genuineOfSize(120_000);
    expect((await post(large)).status).toBe(413);
    const pieces = chunked(piecesOf(large.body, 10_000));
    const answer = await exchange(head([...headersOf(large), ['Transfer-Encoding', 'chunked']]), pieces);
    expect(answer.status).toBe(413);
  });
});

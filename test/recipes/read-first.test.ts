import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { isWebhookError, type Receiver } from '../../src/index.js';
import { type App, startApp } from '../matrix/app.js';
import { framed, genuine, genuineOfSize, headersOf } from '../matrix/deliveries.js';
import { answerTo, chunked, head, piecesOf } from '../matrix/wire.js';
import { hasFrameworks, importRecipe, needsFrameworks } from './installed.js';

type Application = (receiver: Receiver, report: (error: unknown) => void) => RequestListener | Promise<RequestListener>;

/** What stands in the message for whoever uses the framework, by the application in which the body is read first. */
const FIXES = {
  'Hono, after context.req.json()': 'before anything reads the body (context.req.json() in Hono',
  'Hono in Express, after express.json()': 'It arrived empty, although Content-Length announces bytes',
  'Koa, after @koa/bodyparser': 'in Koa: before the body parser',
  'h3, after readBody(event)': 'readBody(event) in h3 and Nitro',
  "Elysia without parse: 'none', after a hook that uses the body": "in Elysia mount it with parse: 'none'",
  'hapi, after its parser': 'before anything reads the request',
  'NestJS without rawBody: true': 'in NestJS: NestFactory.create(AppModule, { rawBody: true })',
} as const;

const LIMITED = [
  'NestJS, with the limit that its parser has by itself',
  'Hono, behind its bodyLimit',
  'h3, behind its bodyLimit',
] as const;

async function start(application: Application, report: (error: unknown) => void): Promise<App> {
  return await startApp({
    name: 'an application that is not as it should be',
    role: 'handler',
    listener({ receiver }) {
      const listening = Promise.resolve(application(receiver, report));
      return async (request, response) => (await listening)(request, response);
    },
  });
}

describe.skipIf(!hasFrameworks)(`a framework that reads the body first${needsFrameworks}`, () => {
  const load = () =>
    importRecipe<{ wrong: Record<string, Application>; limited: Record<string, Application> }>('testing/read-first.ts');

  it.each(Object.entries(FIXES))('%s: 500, and the framework, or onError, is told what to do', async (name, fix) => {
    const { wrong } = await load();
    const reported: unknown[] = [];
    const app = await start(wrong[name] as Application, (error) => reported.push(error));
    expect((await answerTo(app.port, framed(genuine())))?.status).toBe(500);
    expect(app.seen.entries).toEqual([]);
    // nodeHandler answers itself, as nobody may be catching, and tells onError.
    const told = /^(Koa|hapi)/.test(name) ? app.errors.entries : reported.map((e) => isWebhookError(e) && e.code);
    expect(told).toEqual(['ERR_WEBHOOK_RAW_BODY_UNAVAILABLE']);
    for (const error of reported) expect(String(error)).toContain(fix);
  });

  it.each(LIMITED)('%s: 413 for what is over that, with a length and in chunks', async (name) => {
    const { limited } = await load();
    const app = await start(limited[name] as Application, () => {});
    const delivery = genuineOfSize(110_000);
    expect((await answerTo(app.port, framed(genuine())))?.status).toBe(200);
    expect((await answerTo(app.port, framed(delivery)))?.status).toBe(413);
    const inChunks = head([...headersOf(delivery), ['Transfer-Encoding', 'chunked']]);
    expect((await answerTo(app.port, inChunks, chunked(piecesOf(delivery.body, 10_000))))?.status).toBe(413);
    expect(app.seen.entries).toHaveLength(1);
  });
});

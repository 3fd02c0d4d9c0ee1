// What the project's own tests need of the frameworks: applications in which something reads the body before the receiver
// does, or in which the framework's own limit is below the receiver's. Not to be copied.
import type { RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import { node } from '@elysiajs/node';
import { server as createHapi } from '@hapi/hapi';
import { getRequestListener } from '@hono/node-server';
import { All, Controller, Next, Req, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Elysia } from 'elysia';
import type { Receiver } from 'event-webhook-receiver';
import { expressHandler } from 'event-webhook-receiver/express';
import { fetchHandler } from 'event-webhook-receiver/fetch';
import { nodeHandler } from 'event-webhook-receiver/node';
import express from 'express';
import { H3, bodyLimit as h3BodyLimit, readBody, toNodeHandler } from 'h3';
import { Hono } from 'hono';
import { bodyLimit as honoBodyLimit } from 'hono/body-limit';
import Koa from 'koa';
// The server of @elysiajs/node.
import { toNodeHandler as toElysiaListener } from 'srvx/node';

// Its types give every request of Node a rawBody that is a string.
const { bodyParser } = createRequire(import.meta.url)('@koa/bodyparser');

/** Where an application puts what its framework was told of as an error. */
type Report = (error: unknown) => void;

const wrong: Record<string, (receiver: Receiver, report: Report) => RequestListener | Promise<RequestListener>> = {
  'Hono, after context.req.json()'(receiver, report) {
    const receive = fetchHandler(receiver);
    const app = new Hono();
    app.all('/webhooks', async (context) => {
      await context.req.json();
      return receive(context.req.raw);
    });
    app.onError((error, context) => {
      report(error);
      return context.text('failed', 500);
    });
    return getRequestListener(app.fetch, { overrideGlobalObjects: false });
  },
  'Hono in Express, after express.json()'(receiver, report) {
    const receive = fetchHandler(receiver);
    const app = new Hono().all('/webhooks', (context) => receive(context.req.raw));
    app.onError((error, context) => {
      report(error);
      return context.text('failed', 500);
    });
    return express().use(express.json(), getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  },
  'Koa, after @koa/bodyparser'(receiver, report) {
    const receive = nodeHandler(receiver);
    const app = new Koa();
    app.use(bodyParser());
    app.use((context) => {
      context.respond = false;
      return receive(context.req, context.res);
    });
    app.on('error', report);
    return app.callback();
  },
  'h3, after readBody(event)'(receiver, report) {
    const receive = fetchHandler(receiver);
    const app = new H3({ silent: true, onError: (error) => void report(error.cause) });
    app.all('/webhooks', async (event) => {
      await readBody(event);
      return receive(event.req);
    });
    return toNodeHandler(app) as RequestListener;
  },
  "Elysia without parse: 'none', after a hook that uses the body"(receiver, report) {
    const receive = fetchHandler(receiver);
    const app = new Elysia({ adapter: node() })
      .onError(({ error }) => report(error))
      .onBeforeHandle(({ body }) => void body)
      .all('/webhooks', ({ request }) => receive(request));
    return toElysiaListener(app.fetch) as RequestListener;
  },
  async 'hapi, after its parser'(receiver) {
    const receive = nodeHandler(receiver);
    const app = createHapi({ autoListen: false, debug: false });
    app.route({
      method: 'POST',
      path: '/webhooks',
      async handler({ raw }, h) {
        await receive(raw.req, raw.res);
        return h.abandon;
      },
    });
    await app.initialize();
    return (request, response) => void app.listener.emit('request', request, response);
  },
  'NestJS without rawBody: true': (receiver, report) => nest(receiver, report, { rawBody: false }),
};

async function nest(receiver: Receiver, report: Report, options: { rawBody: boolean }): Promise<RequestListener> {
  @Controller('webhooks')
  class WebhooksController {
    @All()
    handle(@Req() request: never, @Res() response: never, @Next() next: Report): Promise<void> {
      return expressHandler(receiver)(request, response, (error) => {
        report(error);
        next(error);
      });
    }
  }
  const module = { module: class AppModule {}, controllers: [WebhooksController] };
  const app = await NestFactory.create<NestExpressApplication>(module, { logger: false, ...options });
  await app.init();
  return app.getHttpAdapter().getInstance();
}

const limited: typeof wrong = {
  'NestJS, with the limit that its parser has by itself': (receiver, report) =>
    nest(receiver, report, { rawBody: true }),
  'Hono, behind its bodyLimit'(receiver) {
    const receive = fetchHandler(receiver);
    const app = new Hono()
      .use(honoBodyLimit({ maxSize: 100_000 }))
      .all('/webhooks', (context) => receive(context.req.raw));
    return getRequestListener(app.fetch, { overrideGlobalObjects: false });
  },
  'h3, behind its bodyLimit'(receiver) {
    const receive = fetchHandler(receiver);
    const app = new H3({ silent: true }).use(h3BodyLimit(100_000)).all('/webhooks', (event) => receive(event.req));
    return toNodeHandler(app) as RequestListener;
  },
};

export { limited, wrong };

// What the project's own tests need of the frameworks. It stands here because their packages are found from here.
import type { RequestListener } from 'node:http';
import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { getRequestListener } from '@hono/node-server';
import { Logger } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Receiver } from 'event-webhook-receiver';
import { nodeHandler } from 'event-webhook-receiver/node';
import { toNodeHandler } from 'h3';
import { createApp as createH3 } from '../h3/app.js';
import { createApp as createHono } from '../hono/app.js';
import { createApp as createKoa } from '../koa/app.js';
import { createApp as createNest } from '../nest/app.js';
import { createApp as createNestMiddleware } from '../nest/middleware.js';

Logger.overrideLogger(false);

export const hono = (receiver: Receiver): RequestListener =>
  getRequestListener(createHono(receiver).fetch, { overrideGlobalObjects: false });

export const h3 = (receiver: Receiver): RequestListener => toNodeHandler(createH3(receiver)) as RequestListener;

export function koa(receiver: Receiver): RequestListener {
  const app = createKoa(receiver);
  app.silent = true; // or it prints each connection that breaks off
  return app.callback();
}

export const nest = (receiver: Receiver): RequestListener => initialised(createNest(receiver));

export const nestMiddleware = (receiver: Receiver): RequestListener => initialised(createNestMiddleware(receiver));

export function googleCloudFunctions(receiver: Receiver): RequestListener {
  http('webhooks', nodeHandler(receiver));
  return getTestServer('webhooks').listeners('request')[0] as RequestListener;
}

/** Requests wait until Nest is ready for them. */
function initialised(creating: Promise<NestExpressApplication>): RequestListener {
  const listening = creating.then(async (app) => {
    await app.init();
    return app.getHttpAdapter().getInstance() as RequestListener;
  });
  return async (request, response) => (await listening)(request, response);
}

import type { RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import express5 from 'express';
import express4 from 'express4';
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { Hono } from 'hono';
import { expressHandler, expressVerifier } from '../../src/adapters/express.js';
import { fastifyPlugin, fastifyVerifier } from '../../src/adapters/fastify.js';
import { fetchHandler, fetchVerifier } from '../../src/adapters/fetch.js';
import { type LambdaEvent, type LambdaResult, lambdaHandler, lambdaVerifier } from '../../src/adapters/lambda.js';
import { nodeHandler, nodeVerifier } from '../../src/adapters/node.js';
import type { DeliveryItem, Receiver, ReceiverOptions, VerifierOptions } from '../../src/index.js';
import { LAMBDA_HOSTS, type LambdaHost, lambdaListener } from './lambda.js';

/** What an adapter is mounted with. */
export interface Parts {
  readonly receiver: Receiver;
  /** The same options, for those that verify only. */
  readonly options: VerifierOptions;
  /** Where those that verify only put what was authentic. */
  readonly verified: (items: readonly DeliveryItem[]) => void;
}

export interface Target {
  readonly name: string;
  /** A handler runs user code once per event and answers for it; a verifier leaves both to its caller. */
  readonly role: 'handler' | 'verifier';
  /** Why no case is run in which the body is not whole: it never gets as far as the adapter. */
  readonly buffered?: string;
  /** Why no case is run in which a header is repeated: the adapter gets one of its values alone. */
  readonly losesRepeated?: string;
  readonly listener: (parts: Parts) => RequestListener | Promise<RequestListener>;
}

/** The options of a receiver that a verifier has too. */
export function verifierOptions(options: ReceiverOptions): VerifierOptions {
  const { onEvent, enqueue, store, idempotencyKey, concurrency, maxInFlight, handlerTimeoutMs, ...rest } = options;
  const { onInvalid, onUnknown, ...verifying } = rest;
  return verifying;
}

export const EXPRESS_VERSIONS = [
  ['Express 5', express5],
  ['Express 4', express4],
] as const;

export const nodeTarget: Target = {
  name: 'nodeHandler on node:http',
  role: 'handler',
  listener: ({ receiver }) => nodeHandler(receiver),
};

export const expressTargets: readonly Target[] = EXPRESS_VERSIONS.map(([version, express]) => ({
  name: `expressHandler on ${version}`,
  role: 'handler',
  listener: ({ receiver }) => express().all('/webhooks', expressHandler(receiver)),
}));

export const fetchTarget: Target = {
  name: 'fetchHandler in Hono on @hono/node-server',
  role: 'handler',
  listener({ receiver }) {
    const handler = fetchHandler(receiver);
    return getRequestListener(new Hono().all('/webhooks', (context) => handler(context.req.raw)).fetch);
  },
};

export const fastifyTarget: Target = {
  name: 'fastifyPlugin on Fastify 5',
  role: 'handler',
  async listener({ receiver }) {
    // Fastify itself answers 404 to a method that it was not told of.
    const app = Fastify().addHttpMethod('PROPFIND', { hasBody: true });
    await app.register(fastifyPlugin(receiver), { prefix: '/webhooks' }).ready();
    return (request, response) => app.routing(request, response);
  },
};

export const lambdaTargets: readonly Target[] = Object.entries(LAMBDA_HOSTS).flatMap(([host, { bodies, repeated }]) =>
  bodies.map((kind) => ({
    name: `lambdaHandler behind ${host}, bodies in ${kind}`,
    role: 'handler' as const,
    buffered: 'AWS takes the whole body in before it calls the function',
    ...(repeated === 'last' ? { losesRepeated: 'it hands on the last value of a header alone' } : {}),
    listener: ({ receiver }) => lambdaListener(lambdaHandler(receiver), host as LambdaHost, kind),
  })),
);

export const expressVerifierTargets: readonly Target[] = EXPRESS_VERSIONS.map(([version, express]) => ({
  name: `expressVerifier on ${version}`,
  role: 'verifier',
  listener: ({ options, verified }) =>
    express().all('/webhooks', expressVerifier(options), (request, response) => {
      verified(request.webhook?.items ?? []);
      response.status(200).end();
    }),
}));

export const fetchVerifierTarget: Target = {
  name: 'fetchVerifier on @hono/node-server',
  role: 'verifier',
  listener({ options, verified }) {
    const verify = fetchVerifier(options);
    return getRequestListener(async (request) => {
      const { delivery, refusal } = await verify(request);
      if (refusal) return refusal;
      verified(delivery.items);
      return new Response(null, { status: 200 });
    });
  },
};

export const fastifyVerifierTarget: Target = {
  name: 'fastifyVerifier on Fastify 5',
  role: 'verifier',
  async listener({ options, verified }) {
    const app = Fastify().addHttpMethod('PROPFIND', { hasBody: true });
    const preParsing = fastifyVerifier(options);
    const handler = async ({ webhook }: FastifyRequest, reply: FastifyReply) => {
      verified(webhook?.items ?? []);
      return reply.send();
    };
    app.route({ method: app.supportedMethods, url: '/webhooks', preParsing, handler });
    await app.ready();
    return (request, response) => app.routing(request, response);
  },
};

export const nodeVerifierTarget: Target = {
  name: 'nodeVerifier on node:http',
  role: 'verifier',
  listener({ options, verified }) {
    const verify = nodeVerifier(options);
    return async (request, response) => {
      const delivery = await verify(request, response);
      if (delivery === undefined) return;
      verified(delivery.items);
      response.end();
    };
  },
};

export const lambdaVerifierTarget: Target = {
  name: 'lambdaVerifier behind an HTTP API or a function URL',
  role: 'verifier',
  buffered: 'AWS takes the whole body in before it calls the function',
  listener({ options, verified }) {
    const verify = lambdaVerifier(options);
    const handler = async (event: LambdaEvent): Promise<LambdaResult> => {
      const { delivery, refusal } = await verify(event);
      if (refusal) return refusal;
      verified(delivery.items);
      return { statusCode: 200, headers: {}, body: '', isBase64Encoded: false };
    };
    return lambdaListener(handler, 'an HTTP API or a function URL', 'base64');
  },
};

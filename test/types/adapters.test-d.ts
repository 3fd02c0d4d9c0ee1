import type {
  ALBEvent,
  ALBHandler,
  ALBResult,
  APIGatewayProxyEvent,
  APIGatewayProxyEventV2,
  APIGatewayProxyHandler,
  APIGatewayProxyHandlerV2,
  APIGatewayProxyResult,
  APIGatewayProxyStructuredResultV2,
  LambdaFunctionURLEvent,
  LambdaFunctionURLHandler,
} from 'aws-lambda';
import express from 'express';
import Fastify from 'fastify';
import pino from 'pino';
import { assertType, describe, expectTypeOf, test } from 'vitest';
import { expressHandler, expressVerifier } from '../../src/adapters/express.js';
import { fastifyPlugin, fastifyVerifier } from '../../src/adapters/fastify.js';
import { type FetchHandler, fetchHandler } from '../../src/adapters/fetch.js';
import { type LambdaEvent, type LambdaResult, lambdaHandler } from '../../src/adapters/lambda.js';
import { createReceiver, createVerifier, type VerifiedDelivery } from '../../src/index.js';

const options = { secret: 'whsec-test', onEvent: () => {} };

describe('lambdaHandler', () => {
  test('takes the events of AWS, and gives the results that it asks for', () => {
    expectTypeOf<APIGatewayProxyEvent>().toExtend<LambdaEvent>();
    expectTypeOf<APIGatewayProxyEventV2>().toExtend<LambdaEvent>();
    expectTypeOf<LambdaFunctionURLEvent>().toExtend<LambdaEvent>();
    expectTypeOf<ALBEvent>().toExtend<LambdaEvent>();
    expectTypeOf<LambdaResult>().toExtend<APIGatewayProxyResult>();
    expectTypeOf<LambdaResult>().toExtend<APIGatewayProxyStructuredResultV2>();
    expectTypeOf<LambdaResult>().toExtend<ALBResult>();
  });

  test('is a handler of each of these kinds', () => {
    const handler = lambdaHandler(options);
    assertType<APIGatewayProxyHandler>(handler);
    assertType<APIGatewayProxyHandlerV2>(handler);
    assertType<LambdaFunctionURLHandler>(handler);
    assertType<ALBHandler>(handler);
  });
});

const plugin = fastifyPlugin(createReceiver(options));

test('fastifyPlugin may be registered with an app of any server and logger', () => {
  Fastify().register(plugin, { prefix: '/webhooks' });
  Fastify({ http2: true }).register(plugin, { prefix: '/webhooks' });
  Fastify({ https: {} }).register(plugin, { prefix: '/webhooks' });
  Fastify({ loggerInstance: pino() }).register(plugin, { prefix: '/webhooks' });
});

const app = express();

test('expressHandler and expressVerifier are mounted on a route, whose request has the delivery', () => {
  app.post('/webhooks', expressHandler(options));
  app.post('/webhooks', expressVerifier(createVerifier({ secret: 's' })), (request, response) => {
    expectTypeOf(request.webhook).toEqualTypeOf<VerifiedDelivery | undefined>();
    response.end();
  });
});

describe('fetchHandler', () => {
  test('takes what Workers pass after the request, and what others do', () => {
    interface Context {
      waitUntil(promise: Promise<unknown>): void;
      props: unknown;
    }
    type Fetch<Env> = (request: Request, env: Env, context: Context) => Response | Promise<Response>;
    assertType<Fetch<{ readonly SECRET: string }>>(fetchHandler(options));
    assertType<Fetch<unknown>>(fetchHandler(options));
    assertType<(request: Request, context: { params: Promise<object> }) => Promise<Response>>(fetchHandler(options));
  });

  test('takes a Request by its last signature, which a build of Next.js with webpack checks', () => {
    expectTypeOf<Parameters<FetchHandler>[0]>().toEqualTypeOf<Request>();
  });
});

test('fastifyVerifier is a hook of a route, whose request has the delivery', () => {
  Fastify().post('/webhooks', { preParsing: fastifyVerifier({ secret: 's' }) }, async (request, reply) => {
    expectTypeOf(request.webhook).toEqualTypeOf<VerifiedDelivery | undefined>();
    return reply.send();
  });
});

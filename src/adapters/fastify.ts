import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Readable } from 'node:stream';
import type { ReceiverOptions } from '../receiver/options.js';
import { asReceiver, type Receiver } from '../receiver/receiver.js';
import { type NodeRequest, toDeliveryRequest } from './node-http.js';
import { respond } from './respond.js';

/** What the plugin uses of a request of Fastify. */
export interface FastifyRequestLike {
  readonly raw: IncomingMessage | Http2ServerRequest;
  headers: object;
  readonly body: unknown;
  readonly signal?: AbortSignal;
}

/** What the plugin uses of a reply of Fastify. */
export interface FastifyReplyLike {
  readonly raw: ServerResponse | Http2ServerResponse;
  hijack(): unknown;
}

/** What the plugin uses of an instance of Fastify 5, with whatever server, logger and type provider it has. */
export interface FastifyLike {
  readonly supportedMethods: string[];
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    contentType: string,
    options: object,
    parser: (request: FastifyRequestLike, payload: Readable, done: (error: null, body?: unknown) => void) => void,
  ): unknown;
  route(options: {
    method: string[];
    url: string;
    preParsing(
      request: FastifyRequestLike,
      reply: unknown,
      payload: Readable,
      done: (error: null, payload: Readable) => void,
    ): void;
    handler(request: FastifyRequestLike, reply: FastifyReplyLike): Promise<void>;
  }): unknown;
}

/** A Fastify plugin that keeps what it does to itself: register it with a `prefix`, and not inside of `fastify-plugin`. */
export type FastifyPlugin = (instance: FastifyLike) => Promise<void>;

const FIX =
  'A preParsing hook of the app has read it: add that hook inside of the plugin whose routes need it, ' +
  'or have it keep the bytes as a Buffer in request.rawBody.';

/** Fastify refuses any other Content-Type by itself, before a parser is asked. */
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(;|$)/;

/**
 * A Fastify plugin that answers deliveries at the prefix that it is registered with, and answers 405 to every other
 * method there. It reads the untouched stream itself, up to `maxBodyBytes` whatever Fastify's `bodyLimit` is, and
 * leaves the parsers of the app alone. When a hook has used up the body, Fastify's error handler gets
 * `ERR_WEBHOOK_RAW_BODY_UNAVAILABLE`, whose message says what to do.
 *
 * `app.close()` lets the deliveries that are under way finish. While it waits Fastify itself answers 503 to new ones.
 *
 * @example
 * ```ts
 * import Fastify from 'fastify';
 * import { fastifyPlugin } from 'event-webhook-receiver/fastify';
 *
 * const app = Fastify();
 * const secret = process.env.WEBHOOK_SECRET ?? '';
 * const webhooks = fastifyPlugin({ secret, toleranceSeconds: 300, onEvent: (event) => console.log(event.id) });
 * app.register(webhooks, { prefix: '/webhooks' });
 * ```
 * @param receiverOrOptions A receiver, or options to create one with.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is missing or makes no sense.
 */
export function fastifyPlugin<Tx = undefined>(receiverOrOptions: Receiver | ReceiverOptions<Tx>): FastifyPlugin {
  const receiver = asReceiver(receiverOrOptions);

  return async (instance) => {
    instance.removeAllContentTypeParsers();
    // The payload is something other than the request when a hook has put another stream in its place.
    instance.addContentTypeParser('*', {}, ({ raw }, payload, done) =>
      done(null, payload === raw ? undefined : payload),
    );
    instance.route({
      method: instance.supportedMethods,
      url: '/',
      preParsing(request, _reply, payload, done) {
        const headers: { 'content-type'?: string } = request.headers;
        if (!MEDIA_TYPE.test(headers['content-type'] ?? '')) {
          request.headers = { ...headers, 'content-type': 'application/octet-stream' };
        }
        done(null, payload);
      },
      async handler(request, reply) {
        const { rawBody, body } = request as { rawBody?: unknown; body?: unknown };
        const host = isStream(body) ? { rawBody, stream: body } : { rawBody, body };
        // What is used of the request and the response of HTTP/2 does the same as in those of HTTP/1.
        const raw = request.raw as NodeRequest;
        const result = await receiver.handleRequest(toDeliveryRequest(raw, FIX, host));
        reply.hijack();
        // Fastify has then begun an answer of its own, which may not be on its way yet.
        if (request.signal?.reason?.code === 'FST_ERR_HANDLER_TIMEOUT') return;
        respond(raw, reply.raw as ServerResponse, result);
      },
    });
  };
}

/** By its functions, which JSON has not: a body that a hook has parsed must not pass for one. */
function isStream(value: unknown): value is Readable {
  return typeof (value as Partial<Readable> | null | undefined)?.on === 'function';
}

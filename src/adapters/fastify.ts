import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
// Names the module that is augmented below; loads nothing from it.
import type {} from 'fastify';
import { ConfigError } from '../errors.js';
import { type DeliveryResult, isUnavailable } from '../handle/answer.js';
import type { VerifiedDelivery } from '../handle/types.js';
import type { DeliveryRequest } from '../receive/request.js';
import type { ReceiverOptions, VerifierOptions } from '../receiver/options.js';
import { asReceiver, type Receiver } from '../receiver/receiver.js';
import { asVerifier, type Verifier } from '../receiver/verifier.js';
import { fromNodeRequest, type NodeRequest, respond } from './node-http.js';

/** What the adapter uses of a Fastify request. */
export interface FastifyRequestLike {
  /** The request of node:http or node:http2. */
  readonly raw: unknown;
  headers: object;
  readonly body: unknown;
  readonly signal?: AbortSignal;
}

/** What the adapter uses of a Fastify reply. */
export interface FastifyReplyLike {
  /** The response of node:http or node:http2. */
  readonly raw: unknown;
  hijack(): unknown;
}

/** What the plugin uses of a Fastify 5 instance, with any server, logger and type provider. */
export interface FastifyLike {
  readonly supportedMethods: string[];
  readonly version?: string;
  removeAllContentTypeParsers(): void;
  addContentTypeParser(contentType: string, options: object, parser: (...args: never[]) => void): unknown;
  route(options: object): unknown;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The verified delivery, set by `fastifyVerifier`. */
    webhook?: VerifiedDelivery;
  }
}

/** An encapsulated Fastify plugin: register it with a `prefix`, and do not wrap it in `fastify-plugin`. */
export type FastifyPlugin = (instance: FastifyLike) => Promise<void>;

type Done = (error: null, payload?: Readable) => void;

/** A `preParsing` hook for a Fastify route. */
export type FastifyVerifier = (
  request: FastifyRequestLike & { webhook?: VerifiedDelivery },
  reply: FastifyReplyLike,
  payload: Readable,
) => Promise<void>;

const FIX =
  'A preParsing hook of the app has read it: add that hook inside the plugin whose routes need it, ' +
  'or have it keep the bytes as a Buffer in request.rawBody.';

/**
 * Creates a Fastify plugin that answers deliveries at the prefix that it is registered with, and answers 405 to every
 * other method there. It reads the untouched stream itself, up to `maxBodyBytes` whatever Fastify's `bodyLimit` is, and
 * does not change the app's parsers. If a hook has consumed the body, Fastify's error handler gets
 * `ERR_WEBHOOK_RAW_BODY_UNAVAILABLE`, whose message says what to do.
 *
 * `app.close()` waits for deliveries in progress. Meanwhile Fastify answers new ones with 503.
 *
 * @example
 * ```ts
 * import Fastify from 'fastify';
 * import { fastifyPlugin } from 'event-webhook-receiver/fastify';
 *
 * const app = Fastify();
 * const secret = process.env.WEBHOOK_SECRET ?? '';
 * app.register(fastifyPlugin({ secret, onEvent: (event) => console.log(event.id) }), { prefix: '/webhooks' });
 * ```
 * @param receiverOrOptions A receiver, or options to create one with.
 * @returns The plugin to register. In Fastify 4 or earlier it rejects with ConfigError `ERR_WEBHOOK_CONFIG`.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is missing, unknown or invalid.
 */
export function fastifyPlugin<Tx = undefined>(receiverOrOptions: Receiver | ReceiverOptions<Tx>): FastifyPlugin {
  const receiver = asReceiver(receiverOrOptions);

  return async (instance) => {
    if (!instance.supportedMethods) {
      throw new ConfigError(
        `fastifyPlugin takes Fastify 5 or later, got ${instance.version ?? 'an older one'}. Upgrade Fastify.`,
      );
    }
    instance.removeAllContentTypeParsers();
    instance.addContentTypeParser('*', {}, (_: unknown, payload: Readable, done: Done) => done(null, payload));
    instance.route({
      method: instance.supportedMethods,
      url: '/',
      preParsing(request: FastifyRequestLike, _reply: unknown, payload: Readable, done: Done) {
        // Fastify refuses a missing or malformed Content-Type before it calls a parser.
        request.headers = { ...request.headers, 'content-type': 'application/octet-stream' };
        done(null, payload);
      },
      async handler(request: FastifyRequestLike, reply: FastifyReplyLike) {
        const { body } = request;
        const result = await receiver.handleRequest(present(request, isStream(body) ? { stream: body } : { body }));
        answer(request, reply, result);
      },
    });
  };
}

/**
 * Creates a `preParsing` hook for a route whose handler answers deliveries itself: it verifies and parses, and sets
 * `request.webhook`. It answers refused requests itself, with an empty body. `request.body` stays undefined: Fastify's
 * parsers do not run. It does not deduplicate events.
 *
 * @example
 * ```ts
 * import Fastify from 'fastify';
 * import { fastifyVerifier } from 'event-webhook-receiver/fastify';
 *
 * const app = Fastify();
 * const preParsing = fastifyVerifier({ secret: process.env.WEBHOOK_SECRET ?? '' });
 * app.post('/webhooks', { preParsing }, async (request, reply) => {
 *   console.log(request.webhook?.items.length);
 *   return reply.send();
 * });
 * ```
 * @param verifierOrOptions A verifier, or options to create one with.
 * @returns The hook.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is missing, unknown or invalid.
 */
export function fastifyVerifier(verifierOrOptions: Verifier | VerifierOptions): FastifyVerifier {
  const verifier = asVerifier(verifierOrOptions);

  return async (request, reply, payload) => {
    const { delivery, refusal } = await verifier.verifyRequest(present(request, { stream: payload }));
    // The handler must not run then, even for an authentic delivery: it will be redelivered.
    if (refusal || isAnswered(request)) return answer(request, reply, refusal);
    request.webhook = delivery;
    // The body has been read: without these headers, Fastify does not try to parse it.
    request.headers = { 'content-type': undefined, 'content-length': undefined, 'transfer-encoding': undefined };
  };
}

/** HTTP/2's request and response work like HTTP/1's here. */
function present(request: FastifyRequestLike, host: { stream?: Readable; body?: unknown }): DeliveryRequest {
  const { rawBody } = request as { rawBody?: unknown };
  return fromNodeRequest(request.raw as NodeRequest, FIX, { ...host, rawBody });
}

/** Sends the answer through Fastify, unless Fastify has started its own. */
function answer(request: FastifyRequestLike, reply: FastifyReplyLike, result: DeliveryResult | undefined): void {
  if (result && isUnavailable(result)) throw result.error;
  reply.hijack();
  if (result && !isAnswered(request)) respond(request.raw as NodeRequest, reply.raw as ServerResponse, result);
}

/** Whether a `handlerTimeout` is over: Fastify has started its own answer, which may not have been sent yet. */
function isAnswered({ signal }: FastifyRequestLike): boolean {
  return signal?.reason?.code === 'FST_ERR_HANDLER_TIMEOUT';
}

/** Checks for methods, which JSON cannot have: a body that a hook has parsed must not pass for a stream. */
function isStream(value: unknown): value is Readable {
  return typeof (value as Partial<Readable> | null | undefined)?.on === 'function';
}

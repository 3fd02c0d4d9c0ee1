import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Readable } from 'node:stream';

/** What the adapter uses of a Fastify request. */
export interface FastifyRequestLike {
  readonly raw: IncomingMessage | Http2ServerRequest;
  headers: object;
  readonly body: unknown;
  readonly signal?: AbortSignal;
}

/** What the adapter uses of a Fastify reply. */
export interface FastifyReplyLike {
  readonly raw: ServerResponse | Http2ServerResponse;
  hijack(): unknown;
}

/** What the plugin uses of a Fastify 5 instance, with any server, logger and type provider. */
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

import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from 'event-webhook-receiver';
import { attempt, isLoopback } from '../guards.js';
import { answerJson, HttpError, readJson } from '../http.js';
import type { Api } from './api.js';
import type { ResolvedOptions } from './options.js';

const MAX_CONNECTIONS = 1000;

type ServerOptions = Pick<ResolvedOptions, 'host' | 'port' | 'logger'> & { readonly apiKeys: readonly string[] };

/**
 * Serves the API over HTTP: checks host, API key and request format, and wraps the result in the response envelope.
 *
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when it cannot listen there.
 */
export async function serveApi(api: Api, { host, port, apiKeys, logger }: ServerOptions) {
  const digests = apiKeys.map(digest);
  let hosts: readonly string[] | undefined;

  function check(request: IncomingMessage): void {
    // DNS rebinding: a page of another site calls with that site's host name.
    if (hosts && !hosts.includes(String(request.headers.host).toLowerCase())) {
      throw new HttpError(421, 'This service answers only under its own address, such as 127.0.0.1.');
    }
    const [, key] = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '') ?? [];
    const given = digest(key ?? '');
    if (key === undefined || !digests.some((each) => timingSafeEqual(each, given))) {
      throw new HttpError(401, 'Send an API key of this service: "Authorization: Bearer <API_KEY>".', {
        'WWW-Authenticate': 'Bearer',
      });
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      check(request);
      const target = attempt(() => new URL(`http://service.invalid${request.url}`));
      if (target === undefined) throw new HttpError(400, 'The request target is not a valid path.');
      const { pathname, searchParams } = target;
      const { method = '' } = request;
      const body = () => readBody(request);
      const result = await api({ method, path: pathname, query: searchParams, body });
      answerJson(request, response, { status: 200, message: 'Success', ...(result !== undefined && { result }) });
    } catch (error) {
      const isKnown = error instanceof HttpError;
      if (!isKnown) logger?.error({ err: error }, 'the API of the local service failed');
      const refusal = isKnown ? error : new HttpError(500, 'The local service failed. See its log.');
      answerJson(request, response, { status: refusal.status, message: refusal.message }, refusal);
    }
  }

  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 }, (request, response) => {
    void handle(request, response);
  });
  server.maxConnections = MAX_CONNECTIONS;
  await listen(server, host, port);
  const { port: actual } = server.address() as AddressInfo;
  const literal = host.includes(':') ? `[${host}]` : host;
  if (isLoopback(host)) {
    hosts = [`127.0.0.1:${actual}`, `localhost:${actual}`, `[::1]:${actual}`, `${literal.toLowerCase()}:${actual}`];
  }
  return {
    /** The base URL for clients. */
    url: `http://${literal}:${actual}`,
    /** Closes every connection. */
    async close(): Promise<void> {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  try {
    server.listen({ host, port });
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const fix =
      code === 'EADDRINUSE'
        ? 'The port is in use. Choose another `port`, or 0 for a free one'
        : 'Check `host` and `port`';
    const refusal = new ConfigError(`The local service cannot listen on ${host}, port ${port} (${code}). ${fix}.`);
    throw Object.assign(refusal, { cause: error });
  }
}

const digest = (key: string) => createHash('sha256').update(key).digest();

function readBody(request: IncomingMessage): Promise<unknown> {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers;
  if (!/^application\/json *(; *charset="?utf-8"?)?$/i.test(type)) {
    throw new HttpError(415, 'Send the body as JSON: "Content-Type: application/json".');
  }
  if (encoding.toLowerCase() !== 'identity') throw new HttpError(415, 'Send the body without Content-Encoding.');
  return readJson(request);
}

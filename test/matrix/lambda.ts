import { once } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { LambdaEvent, LambdaResult } from '../../src/adapters/lambda.js';

/** What turns HTTP requests into events: each does it in its own way. */
export const LAMBDA_HOSTS = {
  'a REST API': { from: apiGateway, bodies: ['text', 'base64'], repeated: 'kept' },
  'an HTTP API or a function URL': { from: httpApi, bodies: ['text', 'base64'], repeated: 'kept' },
  'a load balancer': { from: loadBalancer, bodies: ['text'], repeated: 'last' },
  'a load balancer with multi-value headers': { from: loadBalancerMultiValue, bodies: ['base64'], repeated: 'kept' },
} as const;

export type LambdaHost = keyof typeof LAMBDA_HOSTS;

interface Body {
  readonly body: string | null;
  readonly isBase64Encoded: boolean;
}

/** Bytes that are no text are in base64 in any case. */
export function bodyOf(bytes: Buffer, kind: 'text' | 'base64'): Body {
  if (bytes.length === 0) return { body: null, isBase64Encoded: false };
  const text = bytes.toString();
  return kind === 'base64' || !Buffer.from(text).equals(bytes)
    ? { body: bytes.toString('base64'), isBase64Encoded: true }
    : { body: text, isBase64Encoded: false };
}

/** Names as they were sent, which are not the same name here in another case. */
function namesAndValues({ rawHeaders }: IncomingMessage): [name: string, value: string][] {
  return rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? '']] : []));
}

/** All values of each name. */
function grouped(pairs: readonly [string, string][]): Record<string, string[]> {
  const groups: Record<string, string[]> = {};
  for (const [name, value] of pairs) groups[name] = [...(groups[name] ?? []), value];
  return groups;
}

const lowerCased = (request: IncomingMessage) =>
  namesAndValues(request).map(([name, value]): [string, string] => [name.toLowerCase(), value]);

function apiGateway(request: IncomingMessage, body: Body): LambdaEvent {
  return {
    resource: '/webhooks',
    path: '/webhooks',
    httpMethod: request.method ?? '',
    headers: Object.fromEntries(namesAndValues(request)),
    multiValueHeaders: grouped(namesAndValues(request)),
    requestContext: { resourcePath: '/webhooks', httpMethod: request.method, stage: 'prod' },
    ...body,
  } as LambdaEvent;
}

function httpApi(request: IncomingMessage, { body, isBase64Encoded }: Body): LambdaEvent {
  const joined = Object.entries(grouped(lowerCased(request))).map(([name, values]) => [name, values.join(',')]);
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: '/webhooks',
    headers: Object.fromEntries(joined),
    requestContext: { http: { method: request.method ?? '', path: '/webhooks', protocol: 'HTTP/1.1' } },
    // Left out when there is none.
    ...(body === null ? {} : { body }),
    isBase64Encoded,
  } as LambdaEvent;
}

const targetGroupArn = 'arn:aws:elasticloadbalancing:us-east-1:123456789012:targetgroup/webhooks/0123456789abcdef';

function loadBalancer(request: IncomingMessage, { body, isBase64Encoded }: Body): LambdaEvent {
  return {
    requestContext: { elb: { targetGroupArn } },
    httpMethod: request.method ?? '',
    path: '/webhooks',
    headers: Object.fromEntries(lowerCased(request)),
    body: body ?? '',
    isBase64Encoded,
  } as LambdaEvent;
}

function loadBalancerMultiValue(request: IncomingMessage, body: Body): LambdaEvent {
  const event = { ...loadBalancer(request, body), multiValueHeaders: grouped(lowerCased(request)) };
  delete event.headers;
  return event;
}

/** The headers of an answer, from where this host looks for them: in no other place. */
function headersFrom(host: LambdaHost, { headers, multiValueHeaders }: LambdaResult): Record<string, string[]> {
  if (host === 'a load balancer with multi-value headers') return multiValueHeaders ?? {};
  return Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, [value]]));
}

/**
 * Serves a Lambda function over HTTP as AWS does: takes in the whole request, hands the function an event of JSON, and
 * answers with what it gives. What is no proper result, and what rejects, is answered with 502.
 */
export function lambdaListener(
  handler: (event: LambdaEvent) => Promise<LambdaResult>,
  host: LambdaHost,
  kind: 'text' | 'base64',
): RequestListener {
  return async (request, response) => {
    const chunks: Buffer[] = [];
    await once(
      request.on('data', (chunk) => chunks.push(chunk)),
      'end',
    );
    const bytes = Buffer.concat(chunks);
    const event = LAMBDA_HOSTS[host].from(request, bodyOf(bytes, kind));
    try {
      const result: LambdaResult = JSON.parse(JSON.stringify(await handler(JSON.parse(JSON.stringify(event)))));
      const { statusCode, statusDescription, body } = result;
      if (host.startsWith('a load balancer') && !statusDescription?.startsWith(`${statusCode} `)) throw new Error(host);
      response.writeHead(statusCode, headersFrom(host, result)).end(body);
    } catch {
      response.writeHead(502).end();
    }
  };
}

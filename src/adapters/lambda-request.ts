import { ConfigError, RawBodyUnavailableError } from '../errors.js';
import { type BodyReader, type DeliveryRequest, headerText, tooLarge } from '../receive/request.js';
import type { ApiGatewayEvent, HttpApiEvent } from './lambda-event.js';

const FIX =
  'Use the Lambda proxy integration, a function URL or a load balancer, which pass the body as text or in base64; ' +
  'a mapping template does not. In a test event, make the body a string.';

/** What any kind of event may have. */
export type AnyEvent = Partial<ApiGatewayEvent> &
  Omit<HttpApiEvent, 'requestContext' | 'headers'> & {
    readonly requestContext?: { readonly http?: { readonly method?: string }; readonly elb?: object } | null;
  };

/** What is used of Lambda's context. Emulators may pass none, or one without the function. */
export interface LambdaContext {
  readonly getRemainingTimeInMillis?: (() => number) | undefined;
}

/** Presents an event of Lambda. Throws for one that is not an HTTP request, or whose body the host has parsed. */
export function fromLambdaEvent(given: AnyEvent | null | undefined, context?: LambdaContext | null): DeliveryRequest {
  const event = given ?? {};
  const body = event.body ?? '';
  if (typeof body !== 'string' || Array.isArray(given)) throw new RawBodyUnavailableError(FIX);
  const method = event.httpMethod ?? event.requestContext?.http?.method;
  if (typeof method !== 'string') {
    throw new ConfigError(
      'The event is not an HTTP request of API Gateway (REST with proxy integration, or HTTP API), a function URL, or an Application Load Balancer. Check what invokes the function.',
    );
  }
  return {
    method,
    get url() {
      return urlOf(event);
    },
    header: (name) => headerOf(event.multiValueHeaders, name) ?? headerOf(event.headers, name),
    remainingMs: () => context?.getRemainingTimeInMillis?.(),
    rawBody: () => readerOf(body, event.isBase64Encoded === true ? 'base64' : 'utf8'),
  };
}

function headerOf(headers: object | null | undefined, name: string): string | undefined {
  const same = Object.entries(headers ?? {}).filter(([each]) => each.toLowerCase() === name);
  return headerText(same.flatMap(([, value]) => value ?? []));
}

function readerOf(body: string, encoding: 'base64' | 'utf8'): BodyReader {
  return async ({ maxBodyBytes, arrival }) => {
    // Known without decoding.
    if (Buffer.byteLength(body, encoding) > maxBodyBytes) throw tooLarge(maxBodyBytes);
    const bytes = Buffer.from(body, encoding);
    arrival.received(bytes.byteLength);
    return bytes;
  };
}

/** Path and query of an event, as the sender requested them. */
function urlOf(event: AnyEvent): string | undefined {
  const path = event.rawPath ?? event.path;
  if (typeof path !== 'string') return undefined;
  const query = typeof event.rawQueryString === 'string' ? event.rawQueryString : queryOf(event);
  return query === '' ? path : `${path}?${query}`;
}

/** API Gateway decodes names and values; a load balancer passes them as sent. */
function queryOf({ multiValueQueryStringParameters, queryStringParameters, requestContext }: AnyEvent): string {
  const form = requestContext?.elb ? String : encodeURIComponent;
  return Object.entries(multiValueQueryStringParameters ?? queryStringParameters ?? {})
    .flatMap(([name, values]) => [values].flat().map((value) => `${form(name)}=${form(String(value ?? ''))}`))
    .join('&');
}

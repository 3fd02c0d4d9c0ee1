import { ConfigError, RawBodyUnavailableError } from '../errors.js';
import { type DeliveryRequest, headerText } from '../receive/request.js';

const FIX =
  'Use the Lambda proxy integration, a function URL or a load balancer, which pass the body as text or in base64; ' +
  'a mapping template does not. In middy, leave out httpJsonBodyParser. In a test event, make the body a string.';

type Values = { readonly [name: string]: string | undefined };
type MultiValues = { readonly [name: string]: readonly string[] | undefined };

/**
 * An HTTP request as Lambda functions receive it, reduced to the fields used: an event of API Gateway (a REST API with
 * proxy integration, or an HTTP API in payload format 1.0 or 2.0), of a function URL, or of an Application Load
 * Balancer.
 */
export interface LambdaEvent {
  /** Absent in payload format 2.0: see `requestContext.http`. */
  readonly httpMethod?: string | undefined;
  /** Has `http` in payload format 2.0, and `elb` in an event of a load balancer. */
  readonly requestContext?: object | null | undefined;
  readonly path?: string | undefined;
  readonly queryStringParameters?: Values | null | undefined;
  readonly multiValueQueryStringParameters?: MultiValues | null | undefined;
  /** `path` in payload format 2.0. */
  readonly rawPath?: string | undefined;
  readonly rawQueryString?: string | undefined;
  /** By name, in any case. In payload format 2.0, repeated headers are joined with a comma; elsewhere the last value counts. */
  readonly headers?: Values | null | undefined;
  /** All values. A load balancer sends this instead of `headers` when its target group enables multi-value headers. */
  readonly multiValueHeaders?: MultiValues | null | undefined;
  /** The body as text, or in base64. */
  readonly body?: string | null | undefined;
  readonly isBase64Encoded?: boolean | undefined;
}

/** The part of Lambda's context that is used. Emulators may omit it, or its function. */
export interface LambdaContext {
  readonly getRemainingTimeInMillis?: (() => number) | undefined;
}

/** Wraps a Lambda event. Throws if it is not an HTTP request, or if the host has parsed its body. */
export function fromLambdaEvent(
  given: LambdaEvent | null | undefined,
  context?: LambdaContext | null,
): DeliveryRequest {
  const event = given ?? {};
  if ('arrayBuffer' in Object(event)) {
    throw new ConfigError('lambdaHandler takes an event of AWS Lambda, got a Request: use fetchHandler.');
  }
  const body = event.body ?? '';
  if (typeof body !== 'string' || Array.isArray(given)) throw new RawBodyUnavailableError(FIX);
  const method = event.httpMethod ?? contextOf(event).http?.method;
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
    rawBody: () => Buffer.from(body, event.isBase64Encoded === true ? 'base64' : 'utf8'),
  };
}

function headerOf(headers: object | null | undefined, name: string): string | undefined {
  const same = Object.entries(headers ?? {}).filter(([each]) => each.toLowerCase() === name);
  return headerText(same.flatMap(([, value]) => value ?? []));
}

/** The `requestContext` of the supported events. */
export function contextOf(event: LambdaEvent): {
  readonly http?: { readonly method?: unknown };
  readonly elb?: unknown;
} {
  return event.requestContext ?? {};
}

/** Path and query of an event, as the sender requested them. */
function urlOf(event: LambdaEvent): string | undefined {
  const path = event.rawPath ?? event.path;
  if (typeof path !== 'string') return undefined;
  const query = typeof event.rawQueryString === 'string' ? event.rawQueryString : queryOf(event);
  return query === '' ? path : `${path}?${query}`;
}

/** API Gateway decodes names and values; a load balancer passes them as sent. */
function queryOf(event: LambdaEvent): string {
  const form = contextOf(event).elb ? String : encodeURIComponent;
  return Object.entries(event.multiValueQueryStringParameters ?? event.queryStringParameters ?? {})
    .flatMap(([name, values]) => [values].flat().map((value) => `${form(name)}=${form(String(value ?? ''))}`))
    .join('&');
}

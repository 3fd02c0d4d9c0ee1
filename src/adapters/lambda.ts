import { ConfigError, RawBodyUnavailableError } from '../errors.js';
import { answerHeaders, type DeliveryResult } from '../receiver/answer.js';
import { type BodyReader, type DeliveryRequest, tooLarge } from '../receiver/intake.js';
import type { ReceiverOptions } from '../receiver/options.js';
import { asReceiver, type Receiver } from '../receiver/receiver.js';
import { type AnyEvent, type LambdaEvent, type LambdaResult, urlOf } from './lambda-event.js';
import { validStatus } from './status.js';

export type { ApiGatewayEvent, HttpApiEvent, LambdaEvent, LambdaResult, LoadBalancerEvent } from './lambda-event.js';

const FIX =
  'Use the Lambda proxy integration, a function URL or a load balancer, which hand on the body as text or in base64. ' +
  'A mapping template does not, and in an event for tests the body has to be text too.';

/** What a load balancer asks for beside the status. In node:http they are too, which takes a cold start milliseconds to load. */
const REASONS: Record<number, string> = {
  200: 'OK',
  400: 'Bad Request',
  403: 'Forbidden',
  405: 'Method Not Allowed',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Entity',
  503: 'Service Unavailable',
};

/**
 * A handler for AWS Lambda that answers deliveries. It takes the events of API Gateway (REST APIs with proxy
 * integration, HTTP APIs), of function URLs and of Application Load Balancers, and verifies the body's exact bytes.
 *
 * Lambda freezes the process when it has the answer, runs many of them and ends them without notice. So:
 * - `store` has to be one that they share: what `memoryStore()` knows, the next process does not.
 * - Set `handlerTimeoutMs` so that all events of a delivery, which run one after the other, are done before the function's
 *   own timeout (3 s by default) and that of its host (29 s for API Gateway): the handler does not look at `context`. A
 *   delivery that Lambda cuts off is sent again, and its unfinished event runs when its lease has expired.
 * - What `onError` does after it has returned may wait for the next delivery. `drain` is not needed.
 *
 * AWS refuses large bodies before the function is called: load balancers over 1 MB, the others where the whole event,
 * in which the body is escaped or in base64, is over 6 MB.
 *
 * @example
 * ```ts
 * import { lambdaHandler } from 'event-webhook-receiver/lambda';
 *
 * const secret = process.env.WEBHOOK_SECRET ?? '';
 * export const handler = lambdaHandler({
 *   secret,
 *   toleranceSeconds: 300,
 *   handlerTimeoutMs: 10_000,
 *   onEvent: (event) => console.log(event.id),
 * });
 * ```
 * @param receiverOrOptions A receiver, or options to create one with.
 * @returns The handler. It rejects, so that the host answers 502, with RawBodyUnavailableError when the host has parsed
 * the body, and with ConfigError `ERR_WEBHOOK_CONFIG` when the event is no HTTP request.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is missing or makes no sense.
 */
export function lambdaHandler<Tx = undefined>(
  receiverOrOptions: Receiver | ReceiverOptions<Tx>,
): (event: LambdaEvent) => Promise<LambdaResult> {
  const receiver = asReceiver(receiverOrOptions);
  return async (event) => toLambdaResult(event, await receiver.handleRequest(toDeliveryRequest(event)));
}

function toDeliveryRequest(event: AnyEvent | null | undefined): DeliveryRequest {
  const body = event?.body ?? '';
  if (typeof body !== 'string' || Array.isArray(event)) throw new RawBodyUnavailableError(FIX);
  const method = event?.httpMethod ?? event?.requestContext?.http?.method;
  if (typeof method !== 'string') {
    throw new ConfigError(
      'The event is no HTTP request of API Gateway (REST with proxy integration, or HTTP API), of a function URL or of an Application Load Balancer. Look at what invokes the function.',
    );
  }
  return {
    method,
    get url() {
      return urlOf(event ?? {});
    },
    header: (name) => headerOf(event?.multiValueHeaders, name) ?? headerOf(event?.headers, name),
    rawBody: () => readerOf(body, event?.isBase64Encoded === true ? 'base64' : 'utf8'),
  };
}

function headerOf(headers: object | null | undefined, name: string): string | undefined {
  const same = Object.entries(headers ?? {}).filter(([each]) => each.toLowerCase() === name);
  const values = same.flatMap(([, value]) => value ?? []);
  return values.length > 0 ? values.join() : undefined;
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

function toLambdaResult({ requestContext, multiValueHeaders }: AnyEvent, result: DeliveryResult): LambdaResult {
  const status = validStatus(result.status);
  const answer = { statusCode: status, body: '', isBase64Encoded: false } as const;
  // The connection is the host's.
  const headers = answerHeaders(result).filter(([name]) => name !== 'Connection');
  if (!requestContext?.elb) return { ...answer, headers: Object.fromEntries(headers) };
  return {
    ...answer,
    statusDescription: `${status} ${REASONS[status] ?? 'Internal Server Error'}`,
    // A load balancer drops the headers that are not in the form of its own.
    ...(multiValueHeaders
      ? { multiValueHeaders: Object.fromEntries(headers.map(([name, value]) => [name, [value]])) }
      : { headers: Object.fromEntries(headers) }),
  };
}

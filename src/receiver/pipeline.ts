import { isWebhookError } from '../errors.js';
import { answerTo, asWebhookError, type DeliveryResult } from '../handle/answer.js';
import { HostTime } from '../handle/host-time.js';
import { type DeliveryMessage, traceDelivery } from '../handle/tracing.js';
import { createArrivals } from '../receive/arrivals.js';
import type { Gate } from '../receive/gate.js';
import type { Found } from '../receive/look-up.js';
import type { VerifiedDelivery } from '../handle/types.js';
import { type DeliveryRequest, headerText, type RefusedRequest, type SignedRequest } from '../receive/request.js';
import { createIntake, type Seen, type Unread } from './intake.js';
import type { ErrorContext } from './options.js';
import type { Reporter } from './reporter.js';
import type { ResolvedVerifierOptions } from './resolve-options.js';

/** What a receiver or a verifier does with an authentic delivery. */
export type Take<Result> = (delivery: VerifiedDelivery, host?: HostTime) => Promise<Result>;

function refusedRequest({ signature, timestamp, request }: Unread, { message, body }: Seen): RefusedRequest {
  const header = (name: string) => (message.header ?? request?.header)?.(name.toLowerCase());
  return { signature, timestamp, rawBody: body, header, url: request?.url };
}

/** Verifies and parses deliveries, then passes them to `take`. Answers, traces and reports refusals. */
export function createPipeline(options: ResolvedVerifierOptions, gate: Gate, reporter: Reporter) {
  const arrivals = createArrivals(options);
  const intake = createIntake(options, arrivals);

  /** While draining, asks senders to close the connection. */
  function closing(result: DeliveryResult): DeliveryResult {
    return gate.isClosed ? { ...result, closeConnection: true } : result;
  }

  function refuse(cause: unknown, request?: () => RefusedRequest): DeliveryResult {
    const error = asWebhookError(cause);
    let isTold = false;
    // Not enumerable: a hook may log its context.
    const context: ErrorContext = Object.defineProperty({}, 'request', {
      value: () => (isTold ? undefined : request?.()),
    });
    reporter.failed(error, context);
    isTold = true;
    return closing(answerTo(error));
  }

  async function settle<Result>(
    signed: Unread,
    message: DeliveryMessage,
    take: Take<Result>,
    known?: Found,
  ): Promise<Result | DeliveryResult> {
    const seen: Seen = { message };
    try {
      gate.check();
      const { remainingMs, waitUntil } = signed;
      const host = remainingMs || waitUntil ? new HostTime(remainingMs, waitUntil) : undefined;
      return await take(await arrivals.run((arrival) => intake.verify(signed, arrival, seen, known), host), host);
    } catch (error) {
      return refuse(error, () => refusedRequest(signed, seen));
    }
  }

  return {
    arrivals,
    closing,
    refuse,
    findSecret: intake.findSecret,
    /** Never rejects. `known` is the secret of a delivery of the program's own. */
    handle<Result>(signed: SignedRequest, take: Take<Result>, known?: Found): Promise<Result | DeliveryResult> {
      const message = {};
      return traceDelivery(() => settle(signed, message, take, known), message);
    },
    /** Rejects only with RawBodyUnavailableError. */
    handleRequest<Result>(request: DeliveryRequest, take: Take<Result>): Promise<Result | DeliveryResult> {
      const message = { header: (name: string) => headerText(request.header(name)) };
      return traceDelivery(() => {
        let signed: Unread;
        try {
          signed = intake.open(request);
        } catch (error) {
          const isUnavailable = isWebhookError(error) && error.code === 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE';
          return isUnavailable && !request.answersUnavailable ? Promise.reject(error) : Promise.resolve(refuse(error));
        }
        return settle(signed, message, take);
      }, message);
    },
  };
}

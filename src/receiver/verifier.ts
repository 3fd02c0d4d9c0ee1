import type { DeliveryResult } from '../handle/answer.js';
import type { VerifiedDelivery } from '../handle/types.js';
import { hasMethods } from '../internal/check-client.js';
import { createGate } from '../receive/gate.js';
import { createReceive, type Take } from '../receive/receive.js';
import type { DeliveryRequest, SignedRequest } from '../receive/request.js';
import type { VerifierOptions } from './options.js';
import { createReporter } from './reporter.js';
import { resolveVerifierOptions } from './resolve-options.js';

/** Either the authentic delivery, or the answer that refuses the request, in an adapter in the form of its host. */
export type Verification<Refusal = DeliveryResult> =
  | { readonly delivery: VerifiedDelivery; readonly refusal?: undefined }
  | { readonly delivery?: undefined; readonly refusal: Refusal };

/** Verifies and parses deliveries for code that answers them itself. */
export interface Verifier {
  /** Verifies a delivery whose parts you have. Never rejects. */
  verify(delivery: SignedRequest): Promise<Verification>;
  /** Verifies an HTTP request; what adapters call. Never rejects. */
  verifyRequest(request: DeliveryRequest): Promise<Verification>;
}

/**
 * Creates a verifier for code that answers deliveries itself: it checks the request, the signature and the timestamp, then
 * parses the body. Refusals are reported and traced as by a receiver. It does not deduplicate events, run a handler, or
 * limit how many deliveries you handle at once.
 *
 * @example
 * ```ts
 * import { createVerifier } from 'event-webhook-receiver';
 *
 * const verifier = createVerifier({ secret: process.env.WEBHOOK_SECRET ?? '' });
 *
 * export async function receive(rawBody: Uint8Array, signature?: string, timestamp?: string): Promise<number> {
 *   const { delivery, refusal } = await verifier.verify({ rawBody, signature, timestamp });
 *   if (refusal) return refusal.status;
 *   console.log(delivery.items.length);
 *   return 200;
 * }
 * ```
 * @param options `secret` is required.
 * @returns A verifier. Create one at start-up and share it: its limits cover all deliveries that it verifies.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is missing, unknown or invalid.
 */
export function createVerifier(options: VerifierOptions): Verifier {
  const resolved = resolveVerifierOptions(options);
  const reporter = createReporter(resolved);
  const receive = createReceive(resolved, createGate(Number.POSITIVE_INFINITY, 0), reporter.failed);

  async function verifying(run: (take: Take<undefined>) => Promise<DeliveryResult | undefined>): Promise<Verification> {
    let delivery: VerifiedDelivery | undefined;
    const refusal = await run(async (verified) => {
      delivery = verified;
      reporter.verified(verified.items.length);
      return undefined;
    });
    return refusal ? { refusal } : { delivery: delivery as VerifiedDelivery };
  }

  return {
    verify: (delivery) => verifying((take) => receive.handle(delivery, take)),
    verifyRequest: (request) => verifying((take) => receive.handleRequest(request, take)),
  };
}

/** The verifier passed to an adapter, or one created from the options passed. */
export function asVerifier(verifierOrOptions: Verifier | VerifierOptions): Verifier {
  return hasMethods<Verifier>(verifierOrOptions, 'verifyRequest')
    ? verifierOrOptions
    : createVerifier(verifierOrOptions);
}

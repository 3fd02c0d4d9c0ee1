import { hmacAhead, utf8Length } from '#runtime';
import { WebhookError } from '../errors.js';
import { parseItems } from '../events/parse-delivery.js';
import type { DeliveryMessage } from '../handle/tracing.js';
import { ignorePromise, isThenable } from '../internal/guards.js';
import type { Arrivals, Arriving } from '../receive/arrivals.js';
import { createSecretFinder, type Found, LookUp } from '../receive/look-up.js';
import type { VerifiedDelivery } from '../handle/types.js';
import { type BodyReader, type DeliveryRequest, headerText, type SignedRequest, tooLarge } from '../receive/request.js';
import { headerError, signatureError, timestampError } from '../signature/refusals.js';
import { isSignature, isTimestamp, type RawBody, verifyWith } from '../signature/verify-signature.js';
import type { Secret, SecretRequest } from '../receive/secret.js';
import type { ResolvedVerifierOptions } from './resolve-options.js';

/** A delivery whose body may still be arriving. */
export type Unread = SignedRequest<RawBody | BodyReader>;

/** What is known of a delivery before it is verified. */
export interface Seen {
  readonly message: DeliveryMessage;
  /** The bytes that were refused. */
  body?: RawBody | undefined;
}

/** Turns a request into an authentic, parsed delivery. Every refusal is thrown as a WebhookError. */
export interface Intake {
  /** Makes the checks that need no body, and finds the signed parts. */
  open(request: DeliveryRequest): Unread;
  /**
   * Reads the body, verifies it, and only then parses it. Notes in `seen` what it learns on the way. A delivery with a `known`
   * secret is the program's own: its bytes are not counted, and no secret is looked up.
   */
  verify(signed: Unread, arrival: Arriving, seen: Seen, known?: Found): Promise<VerifiedDelivery>;
  /** Finds the secret for a request of the program's own. */
  findSecret(request: SecretRequest | undefined): Promise<Found>;
}

export function createIntake(options: ResolvedVerifierOptions, arrivals: Arrivals): Intake {
  const { secret, toleranceSeconds, maxBodyBytes, maxEvents, receiveTimeoutMs, now } = options;
  const findSecret = typeof secret === 'function' ? createSecretFinder(secret, options, arrivals) : undefined;
  const signatureHeader = options.headers.signature.toLowerCase();
  const timestampHeader = options.headers.timestamp.toLowerCase();

  function checkForm({ signature, timestamp }: Unread, header: DeliveryMessage['header']): [string, string] {
    if (isSignature(signature) && isTimestamp(timestamp)) return [signature, timestamp];
    throw headerError({ signature: signatureHeader, timestamp: timestampHeader }, signature, timestamp, header);
  }

  /** How far a timestamp is behind the clock, in seconds; negative if it is ahead, NaN if `now` returns NaN. */
  function ageOf(timestamp: string): number {
    let time: unknown;
    try {
      time = now();
    } catch (cause) {
      throw new WebhookError('ERR_WEBHOOK_INTERNAL', 'The function `now` failed.', { cause });
    }
    if (typeof time === 'number') return time / 1000 - Number(timestamp);
    ignorePromise(time);
    throw new WebhookError('ERR_WEBHOOK_INTERNAL', '`now` must return a number of milliseconds.');
  }

  function checkSize(bytes: number): void {
    if (bytes > maxBodyBytes) throw tooLarge(maxBodyBytes);
  }

  /** Checks the size of a body and returns it, in bytes. */
  function measure(body: RawBody, message: DeliveryMessage): number {
    // A string has at least as many bytes as characters, so one that is too long need not be counted.
    if (typeof body === 'string') checkSize(body.length);
    const bytes = typeof body === 'string' ? utf8Length(body) : body?.byteLength;
    message.bodyBytes = bytes;
    checkSize(bytes);
    return bytes;
  }

  return {
    open(request) {
      // Fake requests write it as people do. Node takes only upper case from the wire.
      if (request.method !== 'POST' && String(request.method).toUpperCase() !== 'POST')
        throw new WebhookError('ERR_WEBHOOK_METHOD', 'Send deliveries with POST.');
      const rawBody = request.rawBody();
      // A host of your own may return other values than text.
      const header = (name: string) => headerText(request.header(name));
      const encoding = header('content-encoding');
      if ((encoding || 'identity').toLowerCase() !== 'identity') {
        throw new WebhookError(
          'ERR_WEBHOOK_CONTENT_ENCODING',
          'The body is compressed. Have it sent uncompressed, as it was signed.',
        );
      }
      checkSize(Number(header('content-length') ?? 0));
      return {
        rawBody,
        signature: header(signatureHeader),
        timestamp: header(timestampHeader),
        request: findSecret && request,
        remainingMs: request.remainingMs && (() => request.remainingMs?.()),
        waitUntil: request.waitUntil && ((work) => request.waitUntil?.(work)),
      };
    },

    async verify(signed, arrival, seen, known) {
      const [signature, timestamp] = checkForm(signed, seen.message.header);
      // Read before the body, which may arrive slowly. Checked after the signature: a forgery must not be reported as stale.
      const age = toleranceSeconds === false ? 0 : ageOf(timestamp);
      const { rawBody: given } = signed;
      const isReader = typeof given === 'function';
      let body = isReader ? await given({ maxBodyBytes, timeoutMs: receiveTimeoutMs, arrival }) : given;
      const bytes = measure(body, seen.message);
      if (!isReader && !known) arrival.received(bytes);
      let found = known ?? { secret: secret as Secret };
      if (findSecret && !known) {
        const lookUp = new LookUp(signed.request, seen.message.header);
        // A look-up may not stop, but it must not retain the bytes of a dropped delivery.
        arrival.onDrop((error) => {
          body = '';
          lookUp.abort(error);
        });
        found = await findSecret(lookUp, arrival);
      }
      // From here on, use only the bytes that were hashed: the host may overwrite its buffer.
      const ahead = hmacAhead(body, timestamp, found.secret);
      const [rawBody, hmac] = isThenable(ahead) ? await ahead : ahead;
      if (!verifyWith(hmac, rawBody, signature, timestamp, found.secret)) {
        seen.body = rawBody;
        throw signatureError();
      }
      // Negated, so that NaN is refused.
      if (toleranceSeconds !== false && !(Math.abs(age) <= toleranceSeconds)) {
        seen.body = rawBody;
        throw timestampError(age, toleranceSeconds);
      }
      return { rawBody, timestamp, source: found.source, items: parseItems(rawBody, maxEvents) };
    },

    findSecret: async (request) => (findSecret ? findSecret(new LookUp(request)) : { secret: secret as Secret }),
  };
}

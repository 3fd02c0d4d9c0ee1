import { docsOf, WebhookError } from '../errors.js';
import { type HeaderNames, multibaasHeaders, serviceHeaders } from './headers.js';
import { isSignature, isTimestamp } from './verify-signature.js';

// Errors of the checks of signature and timestamp. A sender sees none of these messages.

const refusal = (code: `ERR_WEBHOOK_${'HEADER' | 'SIGNATURE' | 'TIMESTAMP'}`, message: string): WebhookError =>
  new WebhookError(code, `${message} Causes and fixes: ${docsOf(code)}`);

const CONVENTIONS = { serviceHeaders, multibaasHeaders };

/** What is wrong with a header, and what to do. Hosts join the values of a repeated header. */
function fault(name: string, value: unknown, isWellFormed: (value: string) => boolean, form: string): string {
  const parts = String(value).split(',');
  const isRepeated = parts.length > 1 && parts.every((each) => isWellFormed(each.trim()));
  if (!isRepeated) return `${name} must be ${form}. Have the sender write it so.`;
  return `${name} was sent more than once. A proxy may add it again: have it pass the header unchanged.`;
}

/** The error for headers that are missing or malformed. */
export function headerError(
  { signature, timestamp }: HeaderNames,
  given: string | undefined,
  givenTime: string | undefined,
  header: ((name: string) => string | undefined) | undefined,
): WebhookError {
  const said = (): string => {
    const missing = given === undefined ? signature : timestamp;
    if (given !== undefined && !isSignature(given)) return fault(signature, given, isSignature, '64 hex digits');
    if (given !== undefined && givenTime !== undefined) {
      return fault(timestamp, givenTime, isTimestamp, 'Unix seconds in decimal digits');
    }
    for (const [name, other] of Object.entries(CONVENTIONS)) {
      if (given === undefined && header?.(other.signature.toLowerCase()) !== undefined) {
        return `${missing} is missing. The request has ${other.signature}: set headers: ${name}.`;
      }
    }
    return `${missing} is missing. If your sender uses other names, set the option headers.`;
  };
  return refusal('ERR_WEBHOOK_HEADER', said());
}

/** The error for a signature that does not match. */
export const signatureError = (): WebhookError =>
  refusal('ERR_WEBHOOK_SIGNATURE', 'Signature mismatch: forged request, wrong secret, or modified body.');

/** The error for a delivery without a body. */
export const missingBodyError = (): WebhookError =>
  refusal('ERR_WEBHOOK_SIGNATURE', 'No body was passed. Pass the bytes of the request as `rawBody`.');

/** Nobody retries for longer: an older timestamp is no retry. */
const RETRIED_SECONDS = 7 * 86_400;

/** The error for an authentic delivery that is too old, or ahead of the clock. */
export function timestampError(ageSeconds: number, toleranceSeconds: number): WebhookError {
  const distance = `${Math.ceil(Math.abs(ageSeconds))} s ${ageSeconds < 0 ? 'ahead of' : 'behind'} this clock`;
  const mayBeRetry = ageSeconds > 0 && ageSeconds < RETRIED_SECONDS;
  const fix = mayBeRetry ? ' Set toleranceSeconds: false if your sender resends the first timestamp.' : '';
  const why = 'a replay, a delivery that waited, or a wrong clock';
  return refusal(
    'ERR_WEBHOOK_TIMESTAMP',
    `The delivery is authentic but its timestamp is ${distance} (toleranceSeconds: ${toleranceSeconds}): ${why}.${fix}`,
  );
}

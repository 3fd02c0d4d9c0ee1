import { WebhookError } from '../errors.js';
import { type HeaderNames, multibaasHeaders, serviceHeaders } from '../signature/headers.js';
import { isSignature } from '../signature/verify-signature.js';

// Errors of the checks of signature and timestamp. A sender sees none of these messages.

const MORE = 'To see why: npx event-webhooks explain';

const CONVENTIONS = { serviceHeaders, multibaasHeaders };

/** The error for headers that are missing or malformed. */
export function headerError(
  { signature, timestamp }: HeaderNames,
  given: string | undefined,
  givenTime: string | undefined,
  header: ((name: string) => string | undefined) | undefined,
): WebhookError {
  let what = `${timestamp} must be decimal digits`;
  if (given === undefined) what = `${signature} is missing`;
  else if (!isSignature(given)) what = `${signature} must be 64 hex digits`;
  else if (givenTime === undefined) what = `${timestamp} is missing`;
  let fix = 'If your sender uses other names, set the option headers';
  // Hosts join the values of a repeated header.
  const repeated = given?.includes(',') ? signature : givenTime?.includes(',') ? timestamp : undefined;
  if (repeated !== undefined) {
    what = `${repeated} was sent more than once`;
    fix = 'A proxy may add the header again: have it pass the header unchanged';
  }
  for (const [name, other] of Object.entries(CONVENTIONS)) {
    if (given === undefined && header?.(other.signature.toLowerCase()) !== undefined) {
      fix = `The request has ${other.signature}: set headers: ${name}`;
    }
  }
  return new WebhookError('ERR_WEBHOOK_HEADER', `${what}. ${fix}. ${MORE}`);
}

/** The error for a signature that does not match. */
export const signatureError = (): WebhookError =>
  new WebhookError(
    'ERR_WEBHOOK_SIGNATURE',
    `Signature mismatch: forged request, wrong secret, or modified body. ${MORE}`,
  );

/** Nobody retries for longer: an older timestamp is no retry. */
const RETRIED_SECONDS = 7 * 86_400;

/** The error for an authentic delivery that is too old, or ahead of the clock. */
export function timestampError(ageSeconds: number, toleranceSeconds: number): WebhookError {
  const distance = `${Math.ceil(Math.abs(ageSeconds))} s ${ageSeconds < 0 ? 'ahead of' : 'behind'} this clock`;
  const mayBeRetry = ageSeconds > 0 && ageSeconds < RETRIED_SECONDS;
  const fix = mayBeRetry ? ' Set toleranceSeconds: false if your sender resends the first timestamp.' : '';
  return new WebhookError(
    'ERR_WEBHOOK_TIMESTAMP',
    `The delivery is authentic but its timestamp is ${distance} (toleranceSeconds: ${toleranceSeconds}): a replay, or a wrong clock.${fix} ${MORE}`,
  );
}

import { docsOf, WebhookError } from '../errors.js';
import type { Check, SignedParts } from './authenticate.js';
import { multibaasHeaders, serviceHeaders } from './headers.js';
import { isSignature, isTimestamp } from './verify-signature.js';

// Errors of the checks of signature and timestamp. A sender sees none of these messages.

const refusal = (code: `ERR_WEBHOOK_${'HEADER' | 'SIGNATURE' | 'TIMESTAMP'}`, message: string): WebhookError =>
  new WebhookError(code, `${message} Causes and fixes: ${docsOf(code)}`);

/** Why the two headers cannot be those of a delivery; undefined if they can. Needs no body. */
export function headerError(
  { signature, timestamp }: Omit<SignedParts, 'rawBody'>,
  { headers: names, header }: Pick<Check, 'headers' | 'header'>,
): WebhookError | undefined {
  const isSigned = isSignature(signature);
  if (isSigned && isTimestamp(timestamp)) return undefined;
  const name = isSigned ? names.timestamp : names.signature;
  if ((isSigned ? timestamp : signature) !== undefined) {
    const form = isSigned ? 'Unix seconds in decimal digits' : '64 hex digits';
    return refusal('ERR_WEBHOOK_HEADER', `${name} must be ${form}, and sent once.`);
  }
  const other = Object.entries({ serviceHeaders, multibaasHeaders }).find(
    ([, each]) => !isSigned && header?.(each.signature.toLowerCase()) !== undefined,
  );
  const fix = other
    ? `The request has ${other[1].signature}: set headers: ${other[0]}.`
    : 'If your sender uses other names, set the option headers.';
  return refusal('ERR_WEBHOOK_HEADER', `${name} is missing. ${fix}`);
}

/** The error for a signature that does not match. */
export const signatureError = (): WebhookError =>
  refusal('ERR_WEBHOOK_SIGNATURE', 'Signature mismatch: forged request, wrong secret, or modified body.');

/** The error for a delivery without a body. */
export const missingBodyError = (): WebhookError =>
  refusal('ERR_WEBHOOK_SIGNATURE', 'No body was passed. Pass the bytes of the request as `rawBody`.');

/** The error for an authentic delivery that is too old, or ahead of the clock. */
export function timestampError(ageSeconds: number, toleranceSeconds: number): WebhookError {
  const distance = `${Math.ceil(Math.abs(ageSeconds))} s ${ageSeconds < 0 ? 'ahead of' : 'behind'} this clock`;
  return refusal(
    'ERR_WEBHOOK_TIMESTAMP',
    `The delivery is authentic but its timestamp is ${distance} (toleranceSeconds: ${toleranceSeconds}): a replay, a delivery that waited, or a wrong clock. Set toleranceSeconds: false if your sender resends the first timestamp.`,
  );
}

import { docsOf, WebhookError } from '../errors.js';
import type { HeaderNames } from './headers.js';
import { isSignature, isTimestamp, type SignedParts } from './verify-signature.js';

// Errors of the signature and timestamp checks. These messages are never sent to the sender.

const refusal = (code: `ERR_WEBHOOK_${'HEADER' | 'SIGNATURE' | 'TIMESTAMP'}`, message: string): WebhookError =>
  new WebhookError(code, `${message} Causes and fixes: ${docsOf(code)}`);

/** The error for missing or malformed signature headers; undefined if they are well-formed. */
export function headerError(
  { signature, timestamp }: Omit<SignedParts, 'rawBody'>,
  names: HeaderNames,
): WebhookError | undefined {
  const isSigned = isSignature(signature);
  if (isSigned && isTimestamp(timestamp)) return undefined;
  const [name, value, form] = isSigned
    ? [names.timestamp, timestamp, 'Unix seconds in decimal digits']
    : [names.signature, signature, '64 hex digits'];
  const missing =
    'is missing. If your sender uses other names, set the option headers: serviceHeaders, multibaasHeaders or your own.';
  return refusal('ERR_WEBHOOK_HEADER', `${name} ${value === undefined ? missing : `must be ${form}, and sent once.`}`);
}

/** The error for a signature that does not match. */
export const signatureError = (): WebhookError =>
  refusal('ERR_WEBHOOK_SIGNATURE', 'Signature mismatch: forged request, wrong secret, or modified body.');

/** The error for a delivery without a body. */
export const missingBodyError = (): WebhookError =>
  refusal('ERR_WEBHOOK_SIGNATURE', 'No body was passed. Pass the bytes of the request as `rawBody`.');

/** The error for a delivery that is authentic but too old, or ahead of the clock. */
export function timestampError(ageSeconds: number, toleranceSeconds: number): WebhookError {
  const distance = `${Math.ceil(Math.abs(ageSeconds))} s ${ageSeconds < 0 ? 'ahead of' : 'behind'} this clock`;
  return refusal(
    'ERR_WEBHOOK_TIMESTAMP',
    `The delivery is authentic but its timestamp is ${distance} (toleranceSeconds: ${toleranceSeconds}): a replay, a delivery that waited, or a wrong clock. Set toleranceSeconds: false if your sender resends the first timestamp.`,
  );
}

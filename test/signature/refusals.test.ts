import { expect, it } from 'vitest';
import { docsOf } from '../../src/errors.js';
import { serviceHeaders, WebhookError } from '../../src/index.js';
import { headerError, missingBodyError, signatureError, timestampError } from '../../src/signature/authenticate.js';
import { isStringified } from '../../src/signature/verify-signature.js';

const signature = '0'.repeat(64);
const ofHeaders = (changed: object) => headerError({ signature, timestamp: '1', ...changed }, serviceHeaders);

it.each<[says: string, refuse: () => WebhookError | undefined]>([
  [
    'X-Service-Signature is missing. If your sender uses other names, set the option headers',
    () => ofHeaders({ signature: undefined }),
  ],
  ['X-Service-Signature must be 64 hex digits, and sent once.', () => ofHeaders({ signature: 'no' })],
  ['X-Service-Timestamp is missing.', () => ofHeaders({ timestamp: undefined })],
  ['X-Service-Timestamp must be Unix seconds in decimal digits, and sent once.', () => ofHeaders({ timestamp: '01' })],
  ['Signature mismatch: forged request, wrong secret, or modified body.', signatureError],
  ['No body was passed. Pass the bytes of the request as `rawBody`.', missingBodyError],
  ['its timestamp is 301 s behind this clock (toleranceSeconds: 300)', () => timestampError(301, 300)],
  ['its timestamp is 301 s ahead of this clock', () => timestampError(-301, 300)],
  ['its timestamp is 0 s behind this clock', () => timestampError(0, 0)],
])('a refusal says "%s", and where its causes are listed', (says, refuse) => {
  const refusal = refuse();
  expect(refusal?.message).toContain(says);
  const code = WebhookError.codeOf(refusal);
  expect(code).toMatch(/^ERR_WEBHOOK_(HEADER|SIGNATURE|TIMESTAMP)$/);
  expect(refusal?.message).toContain(` Causes and fixes: ${docsOf(code as never)}`);
});

it('accepts well-formed headers', () => {
  expect(ofHeaders({})).toBeUndefined();
});

it('the text of a missing value or an object is known, and nothing that contains it', () => {
  expect(['undefined', 'null', 'NaN', '[object Object]', '[object ]'].filter(isStringified)).toHaveLength(5);
  expect(['a null', 'null!', 'my[object Object]', 'whsec'].filter(isStringified)).toEqual([]);
});

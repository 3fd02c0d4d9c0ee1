import { expect, it } from 'vitest';
import { docsOf } from '../../src/errors.js';
import { serviceHeaders, signDelivery, WebhookError } from '../../src/index.js';
import { authenticate } from '../../src/signature/authenticate.js';
import type { RawBody } from '../../src/signature/verify-signature.js';

const secret = 'whsec-authenticate';
const rawBody = '[{"id":"1"}]';
const nowMs = 1_700_000_000_000;
const { signature, timestamp } = signDelivery(rawBody, { secret, timestamp: nowMs / 1000 });
const check = { toleranceSeconds: 300, nowMs, headers: serviceHeaders } as const;

function answerTo(changed: object, secrets: string | readonly string[] = secret, options: object = {}): unknown {
  const parts = { rawBody, signature, timestamp, ...changed };
  const result = authenticate(parts, secrets, { ...check, ...options });
  if (!('refusal' in result)) return result;
  const { message } = result.refusal;
  const code = WebhookError.codeOf(result.refusal);
  expect(message).toContain(` Causes and fixes: ${docsOf(code as never)}`);
  return `${code}: ${message}`;
}

it('returns the parts of an authentic delivery, under any of its secrets', () => {
  expect(answerTo({})).toEqual({ rawBody, timestamp });
  expect(answerTo({}, ['whsec-other', secret])).toEqual({ rawBody, timestamp });
  expect(answerTo({ signature: signature.toUpperCase() })).toEqual({ rawBody, timestamp });
});

const [header, mismatch] = ['ERR_WEBHOOK_HEADER: X-Service-', 'ERR_WEBHOOK_SIGNATURE: Signature mismatch: forged '];

it.each<[string, object, string]>([
  ['a missing signature', { signature: undefined }, `${header}Signature is missing. If your sender uses other names`],
  [
    'a signature of 63 digits',
    { signature: signature.slice(1) },
    `${header}Signature must be 64 hex digits, and sent once.`,
  ],
  ['a missing timestamp', { timestamp: undefined }, `${header}Timestamp is missing.`],
  [
    'a timestamp that is a number',
    { timestamp: nowMs / 1000 },
    `${header}Timestamp must be Unix seconds in decimal digits`,
  ],
  [
    'a timestamp with a leading zero',
    { timestamp: `0${timestamp}` },
    `${header}Timestamp must be Unix seconds in decimal digits`,
  ],
  ['another timestamp', { timestamp: String(nowMs / 1000 + 1) }, mismatch],
  ['another body', { rawBody: `${rawBody} ` }, mismatch],
  ['a digit that moved from the timestamp to the body', { rawBody: `${rawBody}1` }, mismatch],
  ['an empty body', { rawBody: '' }, mismatch],
  ['no body', { rawBody: undefined }, mismatch],
  ['a parsed body', { rawBody: [{ id: '1' }] }, mismatch],
  ['a body that throws when it is read', { rawBody: revoked() }, mismatch],
])('refuses %s', (_, changed, code) => {
  expect(answerTo(changed)).toContain(code);
});

it('refuses under another secret, no secret, and the text of a missing one', () => {
  for (const secrets of ['whsec-other', '', [], 'undefined', [undefined] as never]) {
    expect(answerTo({}, secrets)).toContain(mismatch);
  }
});

it('refuses an authentic delivery whose timestamp is outside of the tolerance, in both directions', () => {
  for (const seconds of [-300, 300])
    expect(answerTo({}, secret, { nowMs: nowMs + seconds * 1000 })).toBeTypeOf('object');
  for (const [nowMs, distance] of [
    [1_700_000_300_001, '301 s behind this clock (toleranceSeconds: 300)'],
    [1_699_999_699_999, '301 s ahead of this clock'],
    [Number.NaN, ''],
    [Number.POSITIVE_INFINITY, ''],
  ] as const) {
    const message = `ERR_WEBHOOK_TIMESTAMP: The delivery is authentic but its timestamp is ${distance}`;
    expect(answerTo({}, secret, { nowMs })).toContain(message);
  }
  expect(answerTo({}, secret, { nowMs: 0, toleranceSeconds: false })).toBeTypeOf('object');
  expect(answerTo({ rawBody: '[]' }, secret, { nowMs: 0 })).toContain(mismatch);
});

function revoked(): RawBody {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy as RawBody;
}

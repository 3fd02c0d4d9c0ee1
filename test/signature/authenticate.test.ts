import { expect, it } from 'vitest';
import { serviceHeaders, signDelivery, WebhookError } from '../../src/index.js';
import { authenticate } from '../../src/signature/authenticate.js';
import type { RawBody } from '../../src/signature/verify-signature.js';

const secret = 'whsec-authenticate';
const rawBody = '[{"id":"1"}]';
const nowMs = 1_700_000_000_000;
const { signature, timestamp } = signDelivery(rawBody, { secret, timestamp: nowMs / 1000 });
const check = { toleranceSeconds: 300, nowMs, headers: serviceHeaders } as const;

function codeOf(changed: object, secrets: string | readonly string[] = secret, options: object = {}): unknown {
  const parts = { rawBody, signature, timestamp, ...changed };
  const result = authenticate(parts, secrets, { ...check, ...options });
  return 'refusal' in result ? WebhookError.codeOf(result.refusal) : result;
}

it('returns the parts of an authentic delivery, under any of its secrets', () => {
  expect(codeOf({})).toEqual({ rawBody, timestamp });
  expect(codeOf({}, ['whsec-other', secret])).toEqual({ rawBody, timestamp });
  expect(codeOf({ signature: signature.toUpperCase() })).toEqual({ rawBody, timestamp });
});

it.each<[string, object, string]>([
  ['a missing signature', { signature: undefined }, 'ERR_WEBHOOK_HEADER'],
  ['a signature of 63 digits', { signature: signature.slice(1) }, 'ERR_WEBHOOK_HEADER'],
  ['a missing timestamp', { timestamp: undefined }, 'ERR_WEBHOOK_HEADER'],
  ['a timestamp that is a number', { timestamp: nowMs / 1000 }, 'ERR_WEBHOOK_HEADER'],
  ['a timestamp with a leading zero', { timestamp: `0${timestamp}` }, 'ERR_WEBHOOK_HEADER'],
  ['another timestamp', { timestamp: String(nowMs / 1000 + 1) }, 'ERR_WEBHOOK_SIGNATURE'],
  ['another body', { rawBody: `${rawBody} ` }, 'ERR_WEBHOOK_SIGNATURE'],
  ['a digit that moved from the timestamp to the body', { rawBody: `${rawBody}1` }, 'ERR_WEBHOOK_SIGNATURE'],
  ['an empty body', { rawBody: '' }, 'ERR_WEBHOOK_SIGNATURE'],
  ['no body', { rawBody: undefined }, 'ERR_WEBHOOK_SIGNATURE'],
  ['a parsed body', { rawBody: [{ id: '1' }] }, 'ERR_WEBHOOK_SIGNATURE'],
  ['a body that throws when it is read', { rawBody: revoked() }, 'ERR_WEBHOOK_SIGNATURE'],
])('refuses %s', (_, changed, code) => {
  expect(codeOf(changed)).toBe(code);
});

it('refuses under another secret, no secret, and the text of a missing one', () => {
  for (const secrets of ['whsec-other', '', [], 'undefined', [undefined] as never]) {
    expect(codeOf({}, secrets)).toBe('ERR_WEBHOOK_SIGNATURE');
  }
});

it('refuses an authentic delivery whose timestamp is outside of the tolerance, in both directions', () => {
  for (const seconds of [-300, 300]) expect(codeOf({}, secret, { nowMs: nowMs + seconds * 1000 })).toBeTypeOf('object');
  for (const nowMs of [1_700_000_300_001, 1_699_999_699_999, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(codeOf({}, secret, { nowMs })).toBe('ERR_WEBHOOK_TIMESTAMP');
  }
  expect(codeOf({}, secret, { nowMs: 0, toleranceSeconds: false })).toBeTypeOf('object');
  expect(codeOf({ rawBody: '[]' }, secret, { nowMs: 0 })).toBe('ERR_WEBHOOK_SIGNATURE');
});

function revoked(): RawBody {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy as RawBody;
}

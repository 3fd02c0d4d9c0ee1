import { describe, expect, it } from 'vitest';
import { buildVerify, type Mutation, sourceOf } from '../fixtures/build-signature.js';
import { cases, type Verify } from './signature.cases.js';

// Every way in which verifySignature has been, or could be, written wrong is tried: each must be seen by the cases.
const signature = (name: string, from: string, to: string): Mutation => ({
  name,
  file: 'signature/verify-signature.ts',
  from,
  to,
});
const node = (name: string, from: string, to: string): Mutation => ({ name, file: 'signature/hmac-node.ts', from, to });
const pure = (name: string, from: string, to: string): Mutation => ({ name, file: 'signature/hmac-pure.ts', from, to });

const LENGTH = 'value.length === 64';
const NOT_HEX = '/[^0-9a-fA-F]/';
const TIMESTAMP = '/^(0|[1-9][0-9]{0,15})$/';
const FORM = '!isSignature(signature) || !isTimestamp(timestamp)';
const EQUAL = 'equalHex(hmac(body, timestamp, each), given)';
const EMPTY = 'if (!body?.length) return false';
const VIEW = '(body as Uint8Array).BYTES_PER_ELEMENT === 1 ? (body as Uint8Array) : undefined';

const mutations = [
  signature('comparison flipped', EQUAL, `!${EQUAL}`),
  signature('comparison always true', EQUAL, 'true'),
  signature('comparison never true', EQUAL, 'false'),
  signature('signature of 64 digits or more', LENGTH, 'value.length >= 64'),
  signature('signature of 63 or 64 digits', LENGTH, '[63, 64].includes(value.length)'),
  signature('signature of any length', `${LENGTH} && `, ''),
  signature('signature of any 64 characters', ' && !NOT_HEX.test(value)', ''),
  signature('signature looked at in its first place only', NOT_HEX, '/^[^0-9a-fA-F]/'),
  signature('signature looked at in its last place only', NOT_HEX, '/[^0-9a-fA-F]$/'),
  signature('signature in lower case only', NOT_HEX, '/[^0-9a-f]/'),
  signature('signature not checked', FORM, '!isTimestamp(timestamp)'),
  signature('signature that is no text', "typeof value === 'string' && value.length", '(value as string).length'),
  signature('case folding dropped', 'signature.toLowerCase()', 'signature'),
  signature('timestamp of any digits', TIMESTAMP, '/^[0-9]{1,16}$/'),
  signature('timestamp of any length', TIMESTAMP, '/^(0|[1-9][0-9]*)$/'),
  signature('timestamp of 15 digits at most', TIMESTAMP, '/^(0|[1-9][0-9]{0,14})$/'),
  signature('timestamp never 0', TIMESTAMP, '/^[1-9][0-9]{0,15}$/'),
  signature('timestamp may be empty', TIMESTAMP, '/^(0|[1-9][0-9]{0,15})?$/'),
  signature('timestamp not anchored at its start', TIMESTAMP, '/(0|[1-9][0-9]{0,15})$/'),
  signature('timestamp not anchored at its end', TIMESTAMP, '/^(0|[1-9][0-9]{0,15})/'),
  signature('timestamp with a sign', TIMESTAMP, '/^-?(0|[1-9][0-9]{0,15})$/'),
  signature('timestamp in any script', TIMESTAMP, '/^\\p{Nd}{1,16}$/u'),
  signature('timestamp as Number takes it', 'TIMESTAMP.test(value)', "value !== '' && Number(value) >= 0"),
  signature('timestamp not checked', FORM, '!isSignature(signature)'),
  signature('timestamp that is no text', "typeof value === 'string' && TIMESTAMP", 'TIMESTAMP'),
  signature('timestamp left out', 'hmac(body, timestamp, each)', "hmac(body, '', each)"),
  signature('body decoded to text first', VIEW, 'new TextDecoder().decode(body as Uint8Array)'),
  signature('body trimmed', 'return body.isWellFormed() ? body :', 'return body.isWellFormed() ? body.trimEnd() :'),
  signature('body of two-byte elements', VIEW, '(body as Uint8Array)'),
  signature(
    'body as an ArrayBuffer refused',
    '= signedBytes(rawBody);\n    if',
    '= rawBody instanceof ArrayBuffer ? undefined : signedBytes(rawBody);\n    if',
  ),
  signature('body with a lone surrogate', 'body.isWellFormed()', 'true'),
  signature('empty body', EMPTY, 'if (body === undefined) return false'),
  signature(
    'missing body as an empty one',
    'const body = signedBytes(rawBody);\n    if (!body?.length) return false',
    "const body = signedBytes(rawBody) ?? ''",
  ),
  signature('empty secret', "typeof each === 'string' && each &&", "typeof each === 'string' &&"),
  signature('secret that is no text', "typeof each === 'string' && each &&", 'each &&'),
  signature('only the first secret', '? secret : [secret]', '? secret.slice(0, 1) : [secret]'),
  signature('only the last secret', '? secret : [secret]', '? secret.slice(-1) : [secret]'),
  signature('no array of secrets', 'Array.isArray(secret) ? secret : [secret]', '[secret]'),
  signature('errors taken for authentic', 'is not an authentic delivery.\n    return false', '\n    return true'),
  signature('errors passed on', 'is not an authentic delivery.\n    return false', '\n    throw new Error()'),
  node('timestamp left out of the MAC', '.update(body).update(timestamp)', '.update(body)'),
  node('timestamp put in front', '.update(body).update(timestamp)', '.update(timestamp).update(body)'),
  node('body left out of the MAC', '.update(body).update(timestamp)', '.update(timestamp)'),
  node('body read as latin1', '.update(body)', ".update(body as string, 'latin1')"),
  node('sha256 to sha512', "createHmac('sha256'", "createHmac('sha512'"),
  node('sha256 to sha1', "createHmac('sha256'", "createHmac('sha1'"),
  node('secret hex-decoded', "createSecretKey(secret, 'utf8')", "createSecretKey(secret, 'hex')"),
  node('secret base64-decoded', "createSecretKey(secret, 'utf8')", "createSecretKey(secret, 'base64')"),
  node('secret read as latin1', "createSecretKey(secret, 'utf8')", "createSecretKey(secret, 'latin1')"),
  node('key of another secret', 'keys.get(secret)', 'keys.values().next().value'),
  node(
    'only the first half compared',
    'timingSafeEqual(left, right)',
    'left.subarray(0, 32).equals(right.subarray(0, 32))',
  ),
  node('only the last half compared', 'timingSafeEqual(left, right)', 'left.subarray(32).equals(right.subarray(32))'),
  node('all but the last digit compared', 'timingSafeEqual(left, right)', 'left.subarray(1).equals(right.subarray(1))'),
  node('compared with itself', 'timingSafeEqual(left, right)', 'timingSafeEqual(left, left)'),
  pure('timestamp left out of the MAC', '.update(utf8.encode(timestamp))', ''),
  pure(
    'the whole buffer of a part',
    'new Uint8Array(body.buffer, body.byteOffset, body.byteLength)',
    'new Uint8Array(body.buffer)',
  ),
  pure('only a prefix compared', 'i < 64', 'i < 63'),
  pure('the first digit not compared', 'i = 0', 'i = 1'),
  pure('only the last digit decides', 'difference |=', 'difference ='),
] as const;

const backends = ['signature/hmac-node.ts', 'signature/hmac-pure.ts'] as const;

/** The names of the cases that an implementation gets wrong. */
function failures(verify: Verify): string[] {
  const wrong = ({ args, expected }: (typeof cases)[number]) => {
    try {
      return verify(...args) !== expected;
    } catch {
      return true;
    }
  };
  return cases.filter(wrong).map(({ name }) => name);
}

describe('the cases of verifySignature', () => {
  it.each(backends)('all hold over %s as it is', async (hmac) => {
    expect(failures(await buildVerify(hmac))).toEqual([]);
  });

  it.each(mutations)('see: $file: $name', async (mutation) => {
    const over = mutation.file === 'signature/verify-signature.ts' ? backends : [mutation.file];
    const seen = await Promise.all(over.map(async (hmac) => failures(await buildVerify(hmac, mutation))));
    expect(seen.flat()).not.toEqual([]);
  });

  it('refuse a mutation whose text is no longer there', () => {
    expect(() => sourceOf('signature/verify-signature.ts', signature('gone', 'no such text', ''))).toThrow(
      'must find its text once',
    );
  });
});

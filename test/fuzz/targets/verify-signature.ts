import { createHmac } from 'node:crypto';
import { verifySignature } from '../../../src/signature/index.js';
import { check, partsOf, type Target } from '../target.js';

const SECRET = 'whsec-test';

/** The signature by the specification alone: HMAC-SHA256 of the body and then the timestamp, in hex of either case. */
function isGenuine(body: Buffer, signature: string, timestamp: string, secret: string): boolean {
  if (body.length === 0 || secret === '' || !/^[0-9a-f]{64}$/i.test(signature)) return false;
  if (!/^\d{1,16}$/.test(timestamp) || (timestamp.length > 1 && timestamp.startsWith('0'))) return false;
  const expected = createHmac('sha256', secret).update(body).update(timestamp).digest('hex');
  return expected === signature.toLowerCase();
}

/** A signature header, a timestamp header, a list of secrets and a body, a line each; `{sig}` is the right signature. */
export const target: Target = {
  seeds: [
    '{sig}\n1700000000\nwhsec-test\n[{"id":"1"}]',
    '{SIG}\n0\nother,whsec-test\n[]',
    `${'0'.repeat(64)}\n1700000000\nwhsec-test\n[]`,
    '{sig}\n\nwhsec-test\n\xff\xfe',
  ],
  dictionary: [
    ...'{sig} {SIG} whsec-test , 9999999999999999'.split(' '),
    '\n',
    ' ',
    '\r',
    '\0',
    '\xc3\xa9',
    '\xed\xa0\x80',
  ],
  run(input) {
    const [head = input, time = input, keys = input, body = input] = partsOf(input, 4);
    const timestamp = time.toString('latin1');
    const right = createHmac('sha256', SECRET).update(body).update(timestamp).digest('hex');
    const signature = head.toString('latin1').replace('{sig}', right).replace('{SIG}', right.toUpperCase());
    const secrets = keys.toString('utf8').split(',');
    const genuine = secrets.some((secret) => isGenuine(body, signature, timestamp, secret));

    const verdicts = [verifySignature(body, signature, timestamp, secrets)];
    verdicts.push(verifySignature(new Uint8Array(body), signature, timestamp, secrets));
    verdicts.push(verifySignature(Uint8Array.from(body).buffer, signature, timestamp, secrets));
    const text = body.toString('utf8');
    // As text it is the same delivery only if it is UTF-8.
    if (Buffer.from(text).equals(body)) verdicts.push(verifySignature(text, signature, timestamp, secrets));
    check(
      verdicts.every((verdict) => verdict === genuine),
      `verifySignature is ${genuine}, as the specification says`,
    );

    const wide = new Uint16Array(Uint8Array.from(Buffer.concat([body, body])).buffer);
    check(!verifySignature(wide as never, signature, timestamp, secrets), 'a view of larger numbers is not a body');
    for (const odd of [undefined, null, 7, [signature], { length: 64 }, new String(signature)]) {
      check(!verifySignature(body, odd as never, timestamp, secrets), 'a header that is not a string is refused');
      check(!verifySignature(body, signature, odd as never, secrets), 'a timestamp that is not a string is refused');
      check(!verifySignature(odd as never, signature, timestamp, ''), 'an empty secret verifies nothing');
    }
  },
};

import { createHmac } from 'node:crypto';
import { explainWithin } from '../../../devtools/src/explain/explain-failure.js';
import { createWork } from '../../../devtools/src/explain/search.js';
import { check, partsOf, type Target } from '../target.js';

const SECRET = 'whsec-0123456789';
const NOW = 1_700_000_000_000;
const WORK = 128 * 1024;
const CONFIDENCE = ['certain', 'likely', 'possible'];
/** What an explanation may take besides what it hashes or produces, for each byte of the delivery. */
const LONGEST_TEXT = 1000;

/** Six lines: signature, timestamp, secret, other headers, the body that was signed; and the body that came. `{sig}` is the signature of the fifth. */
export const target: Target = {
  seeds: [
    `{sig}\n1700000000\n${SECRET}\n\n[{"id":"a"}]\n[{"id":"a"}]`,
    `{sig}\n1700000000\n${SECRET} \n\n[{"id":"\\u003ca\\u003e","n":1.0}]\n[{"n":1,"id":"<a>"}]`,
    `sha256={sig}\n1700000000000\n${SECRET}\nX-Hub-Signature:sha256={sig};Date:1\n[1,2]\n[1, 2]\r\n`,
    `v1,{sig}\n2023-11-14T22:13:20Z\n"${SECRET}"\nx-service-signature:{sig};x-service-timestamp:1700000000\n[]\n\xef\xbb\xbf[]`,
    '\n\n\n\n\n',
  ],
  dictionary: [
    ...'{sig} {base64} ; : &lt; %5B + = WyJhIl0='.split(' '),
    SECRET,
    '\r\n',
    '\xef\xbb\xbf',
    '\\u2028',
    '\n',
  ],
  mostMs: 5000,
  mostMegabytes: 128,
  run(input) {
    const [head, time, key, lines, signed = input, came = input] = partsOf(input, 6).map(Buffer.from);
    const timestamp = String(time);
    const secret = String(key);
    const hmac = createHmac('sha256', SECRET).update(signed).update(timestamp).digest();
    const filled = (text: unknown) =>
      String(text).replaceAll('{sig}', hmac.toString('hex')).replaceAll('{base64}', hmac.toString('base64'));
    const signature = filled(head);
    const headers = filled(lines)
      .split(';')
      .map((line) => line.split(/:(.*)/s, 2));
    const work = createWork(WORK);
    const given = signature === '' && timestamp === '' ? {} : { signature, timestamp };
    const options = { rawBody: came, ...given, secret, requestHeaders: headers, now: NOW };
    const findings = explainWithin(options, work);

    check(work.spent <= WORK, 'the work is within its limit');
    const expected = createHmac('sha256', secret).update(came).update(timestamp).digest();
    const isAuthentic =
      secret !== '' &&
      came.length > 0 &&
      /^(0|[1-9]\d{0,15})$/.test(timestamp) &&
      signature.toLowerCase() === expected.toString('hex');
    const isFresh = Math.abs(NOW / 1000 - Number(timestamp)) <= 300;
    check(
      findings.length > 0 || (isAuthentic && isFresh) || !('signature' in given),
      'a refused delivery has findings',
    );
    check(!(isAuthentic && isFresh) || findings.length === 0, 'an authentic, fresh delivery has none');
    for (const { cause, what, confidence, fix } of findings) {
      check(
        /^[a-z0-9-]+$/.test(cause) && CONFIDENCE.includes(confidence ?? ''),
        'a finding has a cause and a confidence',
      );
      check(what.length > 0 && what.length + fix.length < LONGEST_TEXT, 'a finding is a sentence and a fix');
      const text = `${what} ${fix}`;
      check(!text.includes(expected.toString('hex')), 'a finding does not tell the expected signature');
      check(secret.length < 8 || !text.includes(secret) || isOurs(secret), 'a finding does not tell the secret');
    }
  },
};

/** Text that may be in any finding, and so cannot be looked for. */
const isOurs = (secret: string) => !secret.includes('whsec-');

import { describe, expect, it } from 'vitest';
import { sampleEventEmitted, sampleTransactionIncluded } from '../../src/testing.js';
import { startApp } from './app.js';
import { type Delivery, genuine, headersOf, SECRET, sign, TIMESTAMP } from './deliveries.js';
import type { Target } from './targets.js';
import type { HeaderList } from './wire.js';

const flip = (hexDigit: string) => (hexDigit === '0' ? '1' : '0');

/** Each makes of a genuine delivery one that is not. */
const FORGERIES: readonly (readonly [title: string, forge: (delivery: Delivery) => Delivery])[] = [
  [
    'a body changed by one byte',
    (d) => ({ ...d, body: Buffer.from(d.body.toString().replace('Transfer', 'transfer')) }),
  ],
  [
    'a body changed by one bit of its last byte',
    (d) => ({ ...d, body: d.body.map((byte, at) => (at === d.body.length - 1 ? byte ^ 1 : byte)) as Buffer }),
  ],
  ['a body without its last byte', (d) => ({ ...d, body: d.body.subarray(0, -1) })],
  ['a body without its first byte', (d) => ({ ...d, body: d.body.subarray(1) })],
  ['a body with a line feed after it', (d) => ({ ...d, body: Buffer.concat([d.body, Buffer.from('\n')]) })],
  ['a body with a byte order mark before it', (d) => ({ ...d, body: Buffer.concat([Buffer.from('\ufeff'), d.body]) })],
  [
    'a body that was parsed and written again',
    (d) => ({ ...d, body: Buffer.from(JSON.stringify(JSON.parse(d.body.toString()), null, 1)) }),
  ],
  [
    'a signature with its first digit changed',
    (d) => ({ ...d, signature: flip(d.signature.charAt(0)) + d.signature.slice(1) }),
  ],
  [
    'a signature with its last digit changed',
    (d) => ({ ...d, signature: d.signature.slice(0, -1) + flip(d.signature.charAt(63)) }),
  ],
  ['a signature that is too short', (d) => ({ ...d, signature: d.signature.slice(0, 62) })],
  ['a signature that is too long', (d) => ({ ...d, signature: `${d.signature}00` })],
  ['a signature with a tail that is no hex', (d) => ({ ...d, signature: `${d.signature}zz` })],
  ['a signature whose last digits are no hex', (d) => ({ ...d, signature: `${d.signature.slice(0, 62)}zz` })],
  ['a signature with 0x before it', (d) => ({ ...d, signature: `0x${d.signature}` })],
  ['a signature with sha256= before it', (d) => ({ ...d, signature: `sha256=${d.signature}` })],
  ['a signature in base64', (d) => ({ ...d, signature: Buffer.from(d.signature, 'hex').toString('base64') })],
  ['a signature under another secret', (d) => sign(d.body, { secret: `${SECRET}2` })],
  ['a signature of other bytes', (d) => ({ ...d, signature: sign('[]').signature })],
  ['a signature of the body alone', (d) => ({ ...d, signature: sign(d.body, { timestamp: '' }).signature })],
  [
    'a signature of the timestamp before the body',
    (d) => ({ ...d, signature: sign(TIMESTAMP + d.body, { timestamp: '' }).signature }),
  ],
  ['another timestamp', (d) => ({ ...d, timestamp: String(Number(TIMESTAMP) + 1) })],
  ['a timestamp signed with a zero before it', (d) => sign(d.body, { timestamp: `0${TIMESTAMP}` })],
  ['a timestamp signed with a sign', (d) => sign(d.body, { timestamp: `+${TIMESTAMP}` })],
  ['a negative timestamp, signed', (d) => sign(d.body, { timestamp: '-1' })],
  ['a timestamp signed with a fraction', (d) => sign(d.body, { timestamp: `${TIMESTAMP}.0` })],
  ['a timestamp signed with an exponent', (d) => sign(d.body, { timestamp: '17e8' })],
  ['a timestamp signed in hex', (d) => sign(d.body, { timestamp: '0x6553f100' })],
  ['a timestamp signed with 17 digits', (d) => sign(d.body, { timestamp: '12345678901234567' })],
  [
    'a byte moved from the body to the timestamp',
    (d) => ({ ...d, body: d.body.subarray(0, -1), timestamp: d.body.subarray(-1) + TIMESTAMP }),
  ],
  ['all of the body moved to the timestamp', (d) => ({ ...d, body: Buffer.alloc(0), timestamp: d.body + TIMESTAMP })],
];

/** What is genuine is taken, and what is not never gets further than its signature. */
export function authenticityCases(target: Target): void {
  describe('authenticity', () => {
    it.each([
      ['event.emitted', sampleEventEmitted],
      ['transaction.included', sampleTransactionIncluded],
    ])('takes a genuine %s', async (_kind, sample) => {
      const app = await startApp(target);
      const event = sample();
      expect((await app.post(genuine(event))).status).toBe(200);
      expect(app.seen.entries).toEqual([event.id]);
      expect(app.errors.entries).toEqual([]);
    });

    it('takes a signature in upper case', async () => {
      const app = await startApp(target);
      const delivery = genuine();
      expect((await app.post({ ...delivery, signature: delivery.signature.toUpperCase() })).status).toBe(200);
    });

    it('takes a delivery that is signed under any of several secrets', async () => {
      const app = await startApp(target, { secret: async () => ['whsec-new', SECRET] });
      expect((await app.post(genuine())).status).toBe(200);
      expect((await app.post(sign('[]', { secret: 'whsec-new' }))).status).toBe(200);
      expect((await app.post(sign('[]', { secret: 'whsec-old' }))).status).toBe(403);
    });

    it.each(FORGERIES)('refuses %s', async (_title, forge) => {
      const app = await startApp(target);
      expect((await app.post(forge(genuine()))).status).toBe(403);
      expect(app.seen.entries).toEqual([]);
      expect(app.errors.entries).toHaveLength(1);
    });

    it('never handles a delivery with digits moved from its timestamp to its body', async () => {
      const app = await startApp(target);
      const { body, signature } = genuine();
      const statuses: number[] = [];
      for (let moved = 1; moved <= TIMESTAMP.length; moved++) {
        const split = {
          body: Buffer.from(body + TIMESTAMP.slice(0, moved)),
          timestamp: TIMESTAMP.slice(moved),
          signature,
        };
        statuses.push((await app.post(split)).status);
      }
      // What is left of 1700000000 is canonical only as 700000000 and as 0. Then the signature holds, and the body is no JSON.
      expect(statuses).toEqual([400, 403, 403, 403, 403, 403, 403, 403, 400, 403]);
      expect(app.seen.entries).toEqual([]);
    });
  });

  describe('headers', () => {
    const delivery = genuine();
    const [type, signature, timestamp] = headersOf(delivery) as [HeaderList[0], HeaderList[0], HeaderList[0]];
    const [signatureName, signed] = signature;
    const [timestampName, time] = timestamp;

    it.each<[string, HeaderList]>([
      ['no signature', [type, timestamp]],
      ['no timestamp', [type, signature]],
      ['neither of the two', [type]],
      ['an empty signature', [type, [signatureName, ''], timestamp]],
      ['an empty timestamp', [type, signature, [timestampName, '']]],
      ['the signature twice, the same', [type, signature, signature, timestamp]],
      ['the timestamp twice, the same', [type, signature, timestamp, timestamp]],
      ['the signature twice, the first genuine', [type, signature, [signatureName, '0'.repeat(64)], timestamp]],
      ['the signature twice, the last genuine', [type, [signatureName, '0'.repeat(64)], signature, timestamp]],
      ['the timestamp twice, the first genuine', [type, signature, timestamp, [timestampName, '1']]],
      ['the timestamp twice, the last genuine', [type, signature, [timestampName, '1'], timestamp]],
      [
        'the signature twice, once in another case',
        [type, signature, [signatureName.toUpperCase(), signed], timestamp],
      ],
      ['the signature twice, once empty', [type, signature, [signatureName, ''], timestamp]],
      ['two signatures joined with a comma', [type, [signatureName, `${signed},${signed}`], timestamp]],
      ['two timestamps joined with a comma', [type, signature, [timestampName, `${time}, ${time}`]]],
      ['the names of another sender', [type, ['X-MultiBaas-Signature', signed], ['X-MultiBaas-Timestamp', time]]],
    ])('refuses headers with %s', async (_title, headers) => {
      const app = await startApp(target);
      expect((await app.post(delivery, headers)).status).toBe(403);
      expect(app.seen.entries).toEqual([]);
      expect(app.errors.entries).toEqual(['ERR_WEBHOOK_HEADER']);
    });

    it('takes header names in any case', async () => {
      const app = await startApp(target);
      const odd = [type, ['x-SERVICE-signature', signed], ['X-service-TIMESTAMP', time]] as const;
      expect((await app.post(delivery, odd)).status).toBe(200);
    });

    it('takes other header names when it was told of them', async () => {
      const headers = { signature: 'X-Other-Signature', timestamp: 'X-OTHER-timestamp' };
      const app = await startApp(target, { headers });
      expect(
        (await app.post(delivery, [type, ['X-Other-Signature', signed], ['X-Other-Timestamp', time]])).status,
      ).toBe(200);
      expect((await app.post(delivery)).status).toBe(403);
    });

    it.each([
      ['refuses', 'older than', -301, 403],
      ['takes', 'as old as', -300, 200],
      ['takes', 'as new as', 300, 200],
      ['refuses', 'newer than', 301, 403],
    ])('%s what is %s toleranceSeconds allows', async (_verb, _age, seconds, status) => {
      const app = await startApp(target, { toleranceSeconds: 300, now: () => Number(TIMESTAMP) * 1000 });
      const event = sampleEventEmitted();
      const aged = sign(JSON.stringify([event]), { timestamp: String(Number(TIMESTAMP) + seconds) });
      expect((await app.post(aged)).status).toBe(status);
      expect(app.seen.entries).toEqual(status === 200 ? [event.id] : []);
    });
  });
}

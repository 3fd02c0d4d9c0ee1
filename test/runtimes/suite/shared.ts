import { bytesOf } from '../../matrix/cases/delivery.js';
import { equal, ok } from './check.js';
import type { Lab } from './lab.js';
import type { Case } from './suite.js';

/** What the tests read of ../shared, where it is; handed to each runtime as data. */
export interface SharedData {
  /** Genuine deliveries under secrets that are text. */
  readonly vectors: readonly { secret: string; body: string; timestamp: string; signature: string }[];
  /** JSON that is right, wrong, or left to the implementation. Bodies here and above in base64. */
  readonly json: readonly {
    file: string;
    body: string;
    secret: string;
    timestamp: string;
    signature: string;
    expect: 'reject' | 'array' | 'reject-not-array' | 'any';
    items?: number;
  }[];
}

const fromBase64 = (text: string) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

const STATUSES = { reject: [400], 'reject-not-array': [400], array: [200, 422], any: [200, 400, 422] };

const dataOf = (lab: Lab) => {
  if (lab.host.shared === undefined) throw new Error('The runner gave no vectors.');
  return lab.host.shared;
};

export const sharedCases: readonly Case[] = [
  {
    name: 'verify as they are, and with nothing changed',
    needs: ({ vectors }) => vectors,
    run(lab) {
      const { verifySignature } = lab.lib.verify;
      const { vectors } = dataOf(lab);
      ok(vectors.length > 50, `there are ${vectors.length}`);
      for (const { secret, body: base64, timestamp, signature } of vectors) {
        const body = fromBase64(base64);
        equal(verifySignature(body, signature, timestamp, secret), true);
        for (const at of [0, 31, 63]) {
          const digit = signature[at] === '0' ? '1' : '0';
          const tampered = signature.slice(0, at) + digit + signature.slice(at + 1);
          equal(verifySignature(body, tampered, timestamp, secret), false);
        }
        equal(verifySignature(bytesOf(body, '\0'), signature, timestamp, secret), false);
        equal(verifySignature(body, signature, timestamp, `${secret}x`), false);
      }
    },
  },
  {
    name: 'are answered as JSON that they are, or are not',
    needs: ({ vectors }) => vectors,
    async run(lab) {
      const { json } = dataOf(lab);
      ok(json.length > 300, `there are ${json.length}`);
      for (const { file, body: base64, secret, timestamp, signature, expect, items } of json) {
        const body = fromBase64(base64);
        const app = lab.start({ secret, toleranceSeconds: false });
        const { status, outcomes } = await app.handle({ rawBody: body, signature, timestamp });
        const allowed = body.length === 0 ? [403] : STATUSES[expect];
        ok(allowed.includes(status), `${file} is answered ${status}`);
        if (status === 200 || status === 422) equal(outcomes.length, items, file);
        equal(app.seen.entries, [], file);
      }
    },
  },
];

import { equal, ok } from '../../matrix/cases/check.js';
import { bytesOf, type Delivery, SECRET } from '../../matrix/cases/delivery.js';
import { streamOf } from './bodies.js';
import type { Body, Lab, Traits } from './lab.js';
import { sharedCopy } from './signatures.js';
import type { Case } from './suite.js';

const fails = () => Promise.reject(new Error('the hardware is away'));

const KIB = 1024;
/** Around the blocks of the hash, and around the size from which WebCrypto hashes. */
const SIZES = [1, 55, 63, 64, 65, 119, 4 * KIB - 1, 4 * KIB, 4 * KIB + 1, 64 * KIB, KIB * KIB];
const LARGE = [1000, 4 * KIB, KIB * KIB];

/** An authentic body of exactly this many bytes, of several bytes a letter in part, and the status it is answered with. */
function textOfSize(lab: Lab, size: number): [text: string, status: number] {
  const event = JSON.stringify([lab.sample('sized'), 'é日🎉']);
  const { length } = bytesOf(event);
  if (size >= length) return [event + ' '.repeat(size - length), 422];
  return size === 1 ? ['1', 400] : [`[${' '.repeat(size - 2)}]`, 200];
}

/** Deliveries that differ from a genuine one in little. */
async function forgeriesOf(lab: Lab, { body, signature, timestamp }: Delivery): Promise<Delivery[]> {
  const changed = [0, Math.floor(body.length / 2), body.length - 1].map((at) => {
    const bytes = body.slice();
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    return { body: bytes, signature, timestamp };
  });
  return [
    ...changed,
    { body, signature: signature.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')), timestamp },
    { body, signature, timestamp: String(Number(timestamp) + 1) },
    { body: bytesOf(body, ' '), signature, timestamp },
    await lab.sign(body, { secret: 'whsec-of-somebody-else' }),
  ];
}

const SECRETS = [
  ['one secret', SECRET],
  ['several secrets', ['whsec-new', 'ключ', SECRET]],
] as const;

const FORMS: readonly (readonly [
  form: string,
  make: (body: Uint8Array, text: string) => unknown,
  needs?: (traits: Traits) => boolean,
])[] = [
  ['text', (_, text) => text],
  ['bytes', (body) => body],
  ['an ArrayBuffer', (body) => body.slice().buffer],
  ['a part of a larger buffer', (body) => bytesOf('xx', body, 'yy').subarray(2, -2)],
  ['shared memory', sharedCopy, ({ sharedMemory }) => sharedMemory],
];

const bySize: readonly Case[] = SIZES.flatMap((size) =>
  SECRETS.map(([title, secret]) => ({
    name: `takes ${size} bytes under ${title}, and none of them forged`,
    async run(lab: Lab) {
      const app = lab.start({ secret, store: false });
      const [text, status] = textOfSize(lab, size);
      const delivery = await lab.sign(text);
      equal(delivery.body.length, size, 'the size');
      const bodies = [text, delivery.body, streamOf([delivery.body.subarray(0, 1), delivery.body.subarray(1)])];
      for (const body of bodies) equal((await app.post(delivery, { body: body as Body })).status, status);
      const authentic = app.seen.entries.length;
      equal(authentic, status === 422 ? 3 : 0, 'how many events were handled');
      for (const forged of await forgeriesOf(lab, delivery)) equal((await app.post(forged)).status, 403);
      equal(app.seen.entries.length, authentic, 'how many events were handled after the forgeries');
    },
  })),
);

const byForm: readonly Case[] = LARGE.flatMap((size) =>
  FORMS.map(([form, make, needs]) => ({
    name: `receiver.handle takes ${size} bytes as ${form}, and refuses them under another timestamp or signature`,
    ...(needs ? { needs } : {}),
    async run(lab: Lab) {
      const app = lab.start({ secret: async () => ['whsec-new', SECRET], store: false });
      const [text, status] = textOfSize(lab, size);
      const { body, signature, timestamp } = await lab.sign(text);
      const handle = (parts: { signature?: string; timestamp?: string }) =>
        app.handle({ rawBody: make(body, text) as Uint8Array, signature, timestamp, ...parts });
      equal((await handle({})).status, status);
      equal((await handle({ signature: signature.toUpperCase() })).status, status);
      equal((await handle({ timestamp: '1700000001' })).status, 403);
      equal((await handle({ signature: `${signature.slice(1)}0` })).status, 403);
    },
  })),
);

/** Bodies from one byte to two million: what is fastest differs by size, what is right does not. */
export const sizeCases: readonly Case[] = [
  ...bySize,
  ...byForm,
  {
    name: 'keeps apart large and small deliveries that come at once, genuine and forged',
    async run(lab) {
      const app = lab.start({ store: false });
      const posts = [10, 200_000, 100, 70_000, 1000, 40_000, 300_000, 2].flatMap((size) =>
        [true, false].map((genuine) => ({ size, genuine })),
      );
      const statuses = await Promise.all(
        posts.map(async ({ size, genuine }) => {
          const delivery = await lab.sign(`[${' '.repeat(size)}]`);
          return (await app.post(genuine ? delivery : { ...delivery, body: bytesOf(delivery.body, ' ') })).status;
        }),
      );
      equal(
        statuses,
        posts.map(({ genuine }) => (genuine ? 200 : 403)),
      );
    },
  },
  {
    name: 'takes large bodies where WebCrypto is missing or fails, or says so, and takes none that is forged',
    async run(lab) {
      const genuine = await lab.sign(`[${' '.repeat(200_000)}]`);
      const forged = { ...genuine, body: bytesOf(genuine.body, ' ') };
      const failing = { ...crypto.subtle, importKey: fails, sign: fails, verify: fails, digest: fails };
      for (const [subtle, statuses] of [
        [undefined, [200]],
        [failing, [200, 500, 503]],
      ] as const) {
        const app = lab.start();
        Object.defineProperty(crypto, 'subtle', { value: subtle, configurable: true });
        try {
          ok(crypto.subtle === subtle, 'it is still there');
          const { status } = await app.post(genuine);
          ok(
            statuses.some((each) => each === status),
            `the answer is ${status}`,
          );
          ok((await app.post(forged)).status >= 400, 'a forged body was taken');
        } finally {
          Reflect.deleteProperty(crypto, 'subtle');
        }
      }
      equal((await lab.start().post(genuine)).status, 200);
    },
  },
  {
    name: 'refuses large text with a lone surrogate, which has no UTF-8',
    async run(lab) {
      const app = lab.start();
      const { signature, timestamp } = await lab.sign(`["\ufffd${'x'.repeat(200_000)}"]`);
      equal((await app.handle({ rawBody: `["\ud800${'x'.repeat(200_000)}"]`, signature, timestamp })).status, 403);
    },
  },
];

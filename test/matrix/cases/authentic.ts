import { equal } from './check.js';
import { NO_DELIVERIES, UNKNOWN_ITEM } from './contents.js';
import { headersOf, SECRET, TIMESTAMP } from './delivery.js';
import { digitsMoved, FORGERIES } from './forgeries.js';
import {
  hasRepeated,
  OTHER_NAMES,
  oddlyCased,
  REFUSED_ENCODINGS,
  REFUSED_METHODS,
  refusedHeaders,
  TAKEN_ENCODINGS,
  WINDOW,
} from './headers.js';
import type { MatrixCase, Served, Site } from './site.js';

const placeholder = { body: new Uint8Array(0), signature: '', timestamp: '' };

/** Nothing reached user code, and `onError` was given this code. */
function expectRefused({ seen, codes }: Served, code: string): void {
  equal(seen.entries, []);
  equal(codes, [code]);
}

const authenticity: readonly MatrixCase[] = [
  ...(['event.emitted', 'transaction.included'] as const).map((kind) => ({
    name: `takes a genuine ${kind}`,
    async run(site: Site) {
      const app = await site.start();
      const event = kind === 'event.emitted' ? site.sample() : site.included();
      equal((await app.post(await site.genuine(event))).status, 200);
      equal(app.seen.entries, [event.id]);
      equal(app.codes, []);
    },
  })),
  {
    name: 'takes a signature in upper case',
    async run(site) {
      const app = await site.start();
      const delivery = await site.genuine();
      equal((await app.post({ ...delivery, signature: delivery.signature.toUpperCase() })).status, 200);
    },
  },
  {
    name: 'takes a delivery that is signed under any of several secrets',
    async run(site) {
      const app = await site.start({ secret: async () => ['whsec-new', SECRET] });
      equal((await app.post(await site.genuine())).status, 200);
      equal((await app.post(await site.sign('[]', { secret: 'whsec-new' }))).status, 200);
      equal((await app.post(await site.sign('[]', { secret: 'whsec-old' }))).status, 403);
    },
  },
  ...FORGERIES.map(([title, forge]) => ({
    name: `refuses ${title}`,
    async run(site: Site) {
      const app = await site.start();
      const delivery = await site.genuine();
      equal((await app.post(await forge(delivery, site.sign))).status, 403);
      equal(app.seen.entries, []);
      equal(app.codes.length, 1, 'the number of errors');
      equal((await app.post(delivery)).status, 200, 'the answer to the genuine one');
    },
  })),
  {
    name: 'never handles a delivery with digits moved from its timestamp to its body',
    async run(site) {
      // A moved digit changes the timestamp by years.
      const app = await site.start({ toleranceSeconds: false });
      const statuses: number[] = [];
      for (const moved of digitsMoved(await site.genuine())) statuses.push((await app.post(moved)).status);
      // Only 700000000 and 0 are canonical. Then the signature holds, and the body is no JSON.
      equal(statuses, [400, 403, 403, 403, 403, 403, 403, 403, 400, 403]);
      equal(app.seen.entries, []);
    },
  },
];

const headers: readonly MatrixCase[] = [
  ...refusedHeaders(placeholder).map(([title, list], at) => ({
    name: `refuses headers with ${title}`,
    repeats: hasRepeated(list),
    async run(site: Site) {
      const app = await site.start();
      const delivery = await site.genuine();
      const [, headers = []] = refusedHeaders(delivery)[at] ?? [];
      equal((await app.post(delivery, { headers })).status, 403);
      expectRefused(app, 'ERR_WEBHOOK_HEADER');
    },
  })),
  {
    name: 'takes header names in any case',
    async run(site) {
      const app = await site.start();
      const delivery = await site.genuine();
      equal((await app.post(delivery, { headers: oddlyCased(delivery) })).status, 200);
    },
  },
  {
    name: 'takes other header names when it was told of them',
    async run(site) {
      const app = await site.start({ headers: OTHER_NAMES });
      const delivery = await site.genuine();
      equal((await app.post(delivery, { headers: headersOf(delivery, OTHER_NAMES) })).status, 200);
      equal((await app.post(delivery)).status, 403);
    },
  },
  ...WINDOW.map(([verb, age, seconds, status]) => ({
    name: `${verb} what is ${age} toleranceSeconds allows`,
    async run(site: Site) {
      const app = await site.start({ toleranceSeconds: 300 });
      const timestamp = String(Number(TIMESTAMP) + seconds);
      equal((await app.post(await site.sign(JSON.stringify([site.sample('aged')]), { timestamp }))).status, status);
      equal(app.seen.entries, status === 200 ? ['aged'] : []);
      equal(app.codes, status === 200 ? [] : ['ERR_WEBHOOK_TIMESTAMP']);
    },
  })),
  ...REFUSED_ENCODINGS.map((coding) => ({
    name: `answers 415 to Content-Encoding ${coding}`,
    async run(site: Site) {
      const app = await site.start();
      const delivery = await site.genuine();
      const headers = [...headersOf(delivery), ['Content-Encoding', coding] as const];
      equal((await app.post(delivery, { headers })).status, 415);
      expectRefused(app, 'ERR_WEBHOOK_CONTENT_ENCODING');
    },
  })),
  ...TAKEN_ENCODINGS.map((coding) => ({
    name: `takes Content-Encoding "${coding}"`,
    async run(site: Site) {
      const app = await site.start();
      const delivery = await site.genuine();
      const headers = [...headersOf(delivery), ['Content-Encoding', coding] as const];
      equal((await app.post(delivery, { headers })).status, 200);
    },
  })),
  ...REFUSED_METHODS.map((method) => ({
    name: `answers 405 with Allow to ${method}`,
    async run(site: Site) {
      const app = await site.start();
      const answer = await app.post(await site.genuine(), { method, ...(method === 'GET' && { body: null }) });
      equal([answer.status, answer.headers.get('allow')], [405, 'POST']);
      equal(app.seen.entries, []);
    },
  })),
];

const content: readonly MatrixCase[] = [
  ...NO_DELIVERIES.map(([title, body]) => ({
    name: `answers 400 to an authentic body that is ${title}`,
    async run(site: Site) {
      const app = await site.start();
      equal((await app.post(await site.sign(body))).status, 400);
      expectRefused(app, 'ERR_WEBHOOK_INVALID_BODY');
    },
  })),
  {
    name: 'takes as many items as maxEvents, none, and answers 413 to one more',
    async run(site) {
      const app = await site.start({ maxEvents: 2 });
      equal((await app.post(await site.genuine(site.sample('first'), site.sample('last')))).status, 200);
      equal((await app.post(await site.sign('[]'))).status, 200);
      equal((await app.post(await site.sign('[1,1,1]'))).status, 413);
      equal(app.codes, ['ERR_WEBHOOK_BODY_TOO_LARGE']);
      equal(app.seen.entries, ['first', 'last']);
    },
  },
  {
    name: 'hands on the good items around a bad one, in their order',
    async run(site) {
      const app = await site.start({ onInvalid: () => {} });
      const bad = { id: 'bad', event: 'event.emitted' };
      equal((await app.post(await site.genuine(site.sample('first'), bad, site.sample('last')))).status, 200);
      equal(app.seen.entries, ['first', 'last']);
    },
  },
  {
    name: 'takes an item of a kind that it does not know',
    async run(site) {
      const app = await site.start();
      equal((await app.post(await site.genuine(UNKNOWN_ITEM, site.sample('known')))).status, 200);
      equal(app.seen.entries, ['known']);
    },
  },
];

/** Handlers and verifiers take authentic deliveries, and refuse others by their signature. */
export const authenticCases = { authenticity, headers, content };

import { INVALID_ITEMS } from '../../matrix/cases/contents.js';
import { headersOf, SECRET, TIMESTAMP } from '../../matrix/cases/delivery.js';
import { digitsMoved, FORGERIES } from '../../matrix/cases/forgeries.js';
import {
  oddlyCased,
  REFUSED_ENCODINGS,
  REFUSED_METHODS,
  refusedHeaders,
  TAKEN_ENCODINGS,
  WINDOW,
} from '../../matrix/cases/headers.js';
import { equal } from './check.js';
import type { Lab } from './lab.js';
import type { Case } from './suite.js';

const placeholder = { body: new Uint8Array(0), signature: '', timestamp: '' };

const authenticity: readonly Case[] = [
  ...(['sampleEventEmitted', 'sampleTransactionIncluded'] as const).map((sample) => ({
    name: `takes a genuine ${sample === 'sampleEventEmitted' ? 'event.emitted' : 'transaction.included'}`,
    async run(lab: Lab) {
      const app = lab.start();
      const event = lab.lib.testing[sample]();
      equal((await app.post(await lab.genuine(event))).status, 200);
      equal(app.seen.entries, [event.id]);
      equal(app.codes, []);
    },
  })),
  {
    name: 'takes a signature in upper case',
    async run(lab) {
      const delivery = await lab.genuine();
      equal((await lab.start().post({ ...delivery, signature: delivery.signature.toUpperCase() })).status, 200);
    },
  },
  ...FORGERIES.map(([title, forge]) => ({
    name: `refuses ${title}`,
    async run(lab: Lab) {
      const app = lab.start();
      const delivery = await lab.genuine();
      equal((await app.post(await forge(delivery, lab.sign))).status, 403);
      equal(app.seen.entries, []);
      equal(app.codes.length, 1, 'the number of errors');
      equal((await app.post(delivery)).status, 200, 'the answer to the genuine one');
    },
  })),
  {
    name: 'never handles a delivery with digits moved from its timestamp to its body',
    async run(lab) {
      // A moved digit changes the timestamp by years.
      const app = lab.start({ toleranceSeconds: false });
      const statuses: number[] = [];
      for (const moved of digitsMoved(await lab.genuine())) statuses.push((await app.post(moved)).status);
      // Only 700000000 and 0 are canonical. Then the signature holds, and the body is no JSON.
      equal(statuses, [400, 403, 403, 403, 403, 403, 403, 403, 400, 403]);
      equal(app.seen.entries, []);
    },
  },
];

const headers: readonly Case[] = [
  ...refusedHeaders(placeholder).map(([title], at) => ({
    name: `refuses headers with ${title}`,
    async run(lab: Lab) {
      const app = lab.start();
      const delivery = await lab.genuine();
      const [, headers = []] = refusedHeaders(delivery)[at] ?? [];
      equal((await app.post(delivery, { headers })).status, 403);
      equal(app.seen.entries, []);
      equal(app.codes, ['ERR_WEBHOOK_HEADER']);
    },
  })),
  {
    name: 'takes header names in any case',
    async run(lab) {
      const delivery = await lab.genuine();
      equal((await lab.start().post(delivery, { headers: oddlyCased(delivery) })).status, 200);
    },
  },
  ...WINDOW.map(([verb, age, seconds, status]) => ({
    name: `${verb} what is ${age} toleranceSeconds allows`,
    async run(lab: Lab) {
      const app = lab.start({ toleranceSeconds: 300 });
      const aged = await lab.sign(JSON.stringify([lab.sample('aged')]), {
        timestamp: String(Number(TIMESTAMP) + seconds),
      });
      equal((await app.post(aged)).status, status);
      equal(app.seen.entries, status === 200 ? ['aged'] : []);
      equal(app.codes, status === 200 ? [] : ['ERR_WEBHOOK_TIMESTAMP']);
    },
  })),
  {
    name: 'checks the timestamp with the runtime’s clock',
    async run(lab) {
      const app = lab.start({ now: undefined });
      const { createTestDelivery } = lab.lib.testing;
      equal((await app.handler(createTestDelivery([lab.sample()], { secret: SECRET }).request())).status, 200);
      equal((await app.post(await lab.genuine())).status, 403);
      equal(app.codes, ['ERR_WEBHOOK_TIMESTAMP']);
    },
  },
  ...REFUSED_ENCODINGS.map((coding) => ({
    name: `answers 415 to Content-Encoding ${coding}`,
    async run(lab: Lab) {
      const app = lab.start();
      const delivery = await lab.genuine();
      const headers = [...headersOf(delivery), ['Content-Encoding', coding] as const];
      equal((await app.post(delivery, { headers })).status, 415);
      equal(app.codes, ['ERR_WEBHOOK_CONTENT_ENCODING']);
      equal(app.seen.entries, []);
    },
  })),
  ...TAKEN_ENCODINGS.map((coding) => ({
    name: `takes Content-Encoding "${coding}"`,
    async run(lab: Lab) {
      const delivery = await lab.genuine();
      const headers = [...headersOf(delivery), ['Content-Encoding', coding] as const];
      equal((await lab.start().post(delivery, { headers })).status, 200);
    },
  })),
  ...REFUSED_METHODS.map((method) => ({
    name: `answers 405 with Allow to ${method}`,
    async run(lab: Lab) {
      const app = lab.start();
      const delivery = await lab.genuine();
      const answer = await app.post(delivery, method === 'GET' ? { method, body: null } : { method });
      equal([answer.status, answer.headers.get('allow')], [405, 'POST']);
      equal(app.seen.entries, []);
    },
  })),
];

const contents: readonly Case[] = [
  {
    name: 'takes an empty array',
    run: async (lab) => equal((await lab.start().post(await lab.sign('[]'))).status, 200),
  },
  ...INVALID_ITEMS.map(([title, item]) => ({
    name: `answers 422 to ${title} among good ones, and handles those once`,
    async run(lab: Lab) {
      const app = lab.start();
      const delivery = await lab.genuine(lab.sample('first'), item, lab.sample('last'));
      equal((await app.post(delivery)).status, 422);
      equal((await app.post(delivery)).status, 422);
      equal(app.seen.entries, ['first', 'last']);
      equal(app.codes, ['ERR_WEBHOOK_INVALID_EVENT', 'ERR_WEBHOOK_INVALID_EVENT']);
    },
  })),
];

/** The matrix of test/matrix, over fetchHandler and requests of the runtime. */
export const matrixCases: readonly Case[] = [...authenticity, ...headers, ...contents];

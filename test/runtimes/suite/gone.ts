import { equal, ok, thrownBy } from '../../matrix/cases/check.js';
import { bytesOf, piecesOf, textOf } from '../../matrix/cases/delivery.js';
import { streamOf } from './bodies.js';
import type { Body, Lab } from './lab.js';
import type { Case } from './suite.js';

/** Ways to take the bytes away from the library. */
const READ_BEFORE: readonly (readonly [how: string, read: (request: Request) => unknown])[] = [
  ['read as text', (request) => request.text()],
  ['parsed', (request) => request.json()],
  ['cancelled', (request) => request.body?.cancel()],
  [
    'read in part and let go',
    async (request) => {
      const reader = request.body?.getReader();
      await reader?.read();
      reader?.releaseLock();
    },
  ],
];

/** Senders and hosts that take back what they gave. */
export const goneCases: readonly Case[] = [
  ...READ_BEFORE.map(([how, read]) => ({
    name: `rejects with what to do when the body was ${how}`,
    async run(lab: Lab) {
      const app = lab.start({ maxInFlight: 1 });
      const delivery = await lab.genuine();
      const request = lab.request(delivery, { body: streamOf(piecesOf(delivery.body, 100)) as Body });
      await read(request);
      const error = await thrownBy(() => app.handler(request));
      equal([error.code, error.status], ['ERR_WEBHOOK_RAW_BODY_UNAVAILABLE', 500]);
      ok(error instanceof lab.lib.root.RawBodyUnavailableError, 'it is no RawBodyUnavailableError');
      const fix = /before anything reads the body .*use request\.clone\(\)/;
      ok(fix.test(String(error.message)), `the message is ${error.message}`);
      const verify = lab.lib.fetch.fetchVerifier({ secret: 's' });
      equal((await thrownBy(() => verify(request))).code, error.code);
      equal(app.seen.entries, []);
      equal((await app.post(delivery)).status, 200, 'the answer to the next');
    },
  })),
  {
    name: 'answers 503 when the stream fails half way, and takes the next one',
    async run(lab) {
      const app = lab.start({ maxInFlight: 1 });
      const delivery = await lab.genuine();
      const half = piecesOf(delivery.body, 100).slice(0, 5);
      equal((await app.post(delivery, { body: streamOf(half, 'error') as Body })).status, 503);
      // All of it came, and still the stream failed: nobody said that this was the end.
      equal((await app.post(delivery, { body: streamOf([delivery.body], 'error') as Body })).status, 503);
      equal(app.codes, ['ERR_WEBHOOK_BODY_INCOMPLETE', 'ERR_WEBHOOK_BODY_INCOMPLETE']);
      equal(app.seen.entries, []);
      equal((await app.post(delivery)).status, 200, 'the answer to the next');
    },
  },
  {
    name: 'answers 503 when the body stalls, and takes the next one',
    async run(lab) {
      const app = lab.start({ receiveTimeoutMs: 30, maxInFlight: 1 });
      const delivery = await lab.genuine();
      equal((await app.post(delivery, { body: streamOf([delivery.body], 'stall') as Body })).status, 503);
      equal(app.codes, ['ERR_WEBHOOK_BODY_INCOMPLETE']);
      equal(app.seen.entries, []);
      equal((await app.post(delivery)).status, 200, 'the answer to the next');
    },
  },
  {
    name: 'answers a request whose signal is aborted, before or while it comes, and leaks no place',
    async run(lab) {
      const app = lab.start({ receiveTimeoutMs: 30, maxInFlight: 1 });
      const delivery = await lab.genuine();
      const before = await app.post(delivery, { signal: AbortSignal.abort() });
      // The bytes may still be there, and then they are genuine; or the runtime took them back.
      ok([200, 503].includes(before.status), `the status is ${before.status}`);
      const controller = new AbortController();
      const while_ = app.post(delivery, {
        signal: controller.signal,
        body: streamOf(piecesOf(delivery.body, 100).slice(0, 5), 'stall') as Body,
      });
      controller.abort();
      equal((await while_).status, 503);
      equal((await app.post(delivery)).status, 200, 'the answer to the next');
      equal(app.seen.entries.length, 1);
    },
  },
  ...([1000, 200_000] as const).map((padding) => ({
    name: `never handles bytes that are changed after they were given, ${padding} and more of them`,
    async run(lab: Lab) {
      const app = lab.start({ store: false });
      const { body, signature, timestamp } = await lab.genuine(lab.sample('genuine'), ' '.repeat(padding));
      const forged = bytesOf(textOf(body).replaceAll('genuine', 'forged!'));
      for (let turns = 0; turns < 30; turns++) {
        const given = body.slice();
        const [direct, streamed] = [body.slice(), body.slice()];
        const answers = [
          app.handle({ rawBody: direct, signature, timestamp }),
          app.post({ body: given, signature, timestamp }, { body: streamOf([streamed]) as Body }),
        ];
        for (let turn = 0; turn < turns; turn++)
          await (turn % 3 === 2 ? new Promise((done) => setTimeout(done, 0)) : null);
        direct.set(forged);
        streamed.set(forged);
        await Promise.all(answers);
      }
      ok(!app.seen.entries.includes('forged!'), 'an event was handled that nobody signed');
    },
  })),
];

import { equal, ok } from './check.js';
import { INVALID_ITEMS, UNKNOWN_ITEM } from './contents.js';
import { FAILURES, RETRY_AFTER } from './effects.js';
import type { MatrixCase, Served, Site } from './site.js';
import { deferred } from './waiting.js';

/** Sends a delivery that the receiver has no place for now. */
async function expectBusy(app: Served, site: Site): Promise<void> {
  const { status, headers } = await app.post(await site.genuine(site.sample('refused')));
  equal(status, 503);
  ok(RETRY_AFTER.test(headers.get('retry-after') ?? ''), 'Retry-After is not a number of seconds');
}

const items: readonly MatrixCase[] = [
  ...INVALID_ITEMS.map(([title, item]) => ({
    name: `answers 422 to ${title} among good ones, and handles those once`,
    async run(site: Site) {
      const app = await site.start();
      const delivery = await site.genuine(site.sample('first'), item, site.sample('last'));
      equal((await app.post(delivery)).status, 422);
      equal((await app.post(delivery)).status, 422);
      equal(app.seen.entries, ['first', 'last']);
      equal(app.codes, ['ERR_WEBHOOK_INVALID_EVENT', 'ERR_WEBHOOK_INVALID_EVENT']);
    },
  })),
  {
    name: 'gives a bad item to onInvalid, and answers 500 when that fails',
    async run(site) {
      const raw = { id: 7, event: 'event.emitted' };
      const given: unknown[] = [];
      const onInvalid = (item: { raw: unknown }) => {
        if (given.push(item.raw) === 1) throw new Error('the dead-letter table is away');
      };
      const app = await site.start({ onInvalid });
      const delivery = await site.genuine(raw);
      equal((await app.post(delivery)).status, 500);
      equal((await app.post(delivery)).status, 200);
      equal(given, [raw, raw]);
    },
  },
  {
    name: 'shows an item of an unknown kind to onUnknown',
    async run(site) {
      const shown: unknown[] = [];
      const app = await site.start({ onUnknown: (item) => void shown.push(item) });
      equal((await app.post(await site.genuine(UNKNOWN_ITEM))).status, 200);
      equal(shown, [{ status: 'unknown', id: 'new', kind: 'block.mined', raw: UNKNOWN_ITEM }]);
    },
  },
];

const effects: readonly MatrixCase[] = [
  ...FAILURES.map(([how, fail]) => ({
    name: `answers 500 when the handler ${how}, and on redelivery runs only what is unfinished`,
    async run(site: Site) {
      let broken = true;
      const app = await site.start({ onEvent: ({ id }) => (broken && id === 'second' ? fail() : undefined) });
      const delivery = await site.genuine(site.sample('first'), site.sample('second'), site.sample('third'));
      equal((await app.post(delivery)).status, 500);
      equal(app.seen.entries, ['first', 'second', 'third']);
      broken = false;
      equal((await app.post(delivery)).status, 200);
      equal(app.seen.entries, ['first', 'second', 'third', 'second']);
      equal(app.codes, ['ERR_WEBHOOK_HANDLER']);
    },
  })),
  {
    name: 'answers 500 when the handler hangs, and aborts its signal',
    async run(site) {
      const [aborted, released] = [deferred(), deferred()];
      const app = await site.start({
        handlerTimeoutMs: 200,
        onEvent: (_event, { signal }) => {
          signal.addEventListener('abort', () => aborted.resolve());
          return released.promise;
        },
      });
      equal((await app.post(await site.genuine())).status, 500);
      await aborted.promise;
      released.resolve();
      equal(app.codes, ['ERR_WEBHOOK_HANDLER_TIMEOUT']);
    },
  },
  {
    name: 'handles a delivery that is sent again once, and answers 200 both times',
    async run(site) {
      const app = await site.start();
      const delivery = await site.genuine();
      equal((await app.post(delivery)).status, 200);
      equal((await app.post(delivery)).status, 200);
      equal(app.seen.entries.length, 1);
    },
  },
  {
    name: 'handles a delivery that is sent twenty times at the same instant once',
    async run(site) {
      const finished = deferred();
      const app = await site.start({ onEvent: () => finished.promise });
      const delivery = await site.genuine();
      const answers = Array.from({ length: 20 }, () => app.post(delivery));
      await app.arrived?.(20);
      await app.seen.reaches(1);
      finished.resolve();
      const statuses = (await Promise.all(answers)).map(({ status }) => status).sort();
      equal([statuses[0], statuses.every((status) => status === 200 || status === 503)], [200, true]);
      equal(app.seen.entries.length, 1);
    },
  },
  {
    name: 'handles an event that is twice in one delivery once',
    async run(site) {
      const app = await site.start({ concurrency: 8 });
      equal((await app.post(await site.genuine(site.sample('twice'), site.sample('twice')))).status, 200);
      equal(app.seen.entries, ['twice']);
    },
  },
];

const load: readonly MatrixCase[] = [
  {
    name: 'answers 503 with Retry-After beyond maxInFlight, and takes it afterwards',
    async run(site) {
      const finished = deferred();
      const app = await site.start({ maxInFlight: 1, onEvent: () => finished.promise });
      const answer = app.post(await site.genuine());
      await app.seen.reaches(1);
      await expectBusy(app, site);
      finished.resolve();
      equal((await answer).status, 200);
      equal((await app.post(await site.genuine(site.sample('refused')))).status, 200);
      equal([...new Set(app.codes)], ['ERR_WEBHOOK_OVERLOADED']);
    },
  },
  {
    name: 'lets what is under way finish while draining, and answers 503 with Retry-After to the rest',
    async run(site) {
      const finished = deferred();
      const app = await site.start({ onEvent: () => finished.promise });
      const answer = app.post(await site.genuine());
      await app.seen.reaches(1);
      const drained = app.receiver.drain();
      await expectBusy(app, site);
      finished.resolve();
      equal((await answer).status, 200);
      await drained;
      equal(app.seen.entries.length, 1);
    },
  },
];

/** What becomes of items, and what is answered for it: handlers. */
export const handledCases = { items, effects, load };

import { FAILURES, RETRY_AFTER } from '../../matrix/cases/effects.js';
import { deferred } from '../../matrix/cases/waiting.js';
import { equal, ok } from './check.js';
import type { Lab } from './lab.js';
import type { Case } from './suite.js';

/** Checks an answer that asks the sender to come again. */
function expectLater(answer: Response): void {
  equal(answer.status, 503);
  ok(RETRY_AFTER.test(answer.headers.get('retry-after') ?? ''), 'Retry-After is missing');
}

/** What becomes of the events of genuine deliveries, and what is answered for it. */
export const effectCases: readonly Case[] = [
  ...FAILURES.map(([how, fail]) => ({
    name: `answers 500 when the handler ${how}, and on redelivery runs only what is unfinished`,
    async run(lab: Lab) {
      let broken = true;
      const app = lab.start({ onEvent: ({ id }) => (broken && id === 'second' ? fail() : undefined) });
      const delivery = await lab.genuine(lab.sample('first'), lab.sample('second'), lab.sample('third'));
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
    async run(lab) {
      const [aborted, released] = [deferred(), deferred()];
      const app = lab.start({
        handlerTimeoutMs: 20,
        onEvent: (_event, { signal }) => {
          signal.addEventListener('abort', () => aborted.resolve());
          return released.promise;
        },
      });
      equal((await app.post(await lab.genuine())).status, 500);
      await aborted.promise;
      released.resolve();
      equal(app.codes, ['ERR_WEBHOOK_HANDLER_TIMEOUT']);
    },
  },
  {
    name: 'handles a delivery that is sent again once, and answers 200 both times',
    async run(lab) {
      const app = lab.start();
      const delivery = await lab.genuine();
      equal((await app.post(delivery)).status, 200);
      equal((await app.post(delivery)).status, 200);
      equal(app.seen.entries.length, 1);
    },
  },
  {
    name: 'handles a delivery that is sent twenty times at the same instant once',
    async run(lab) {
      const finished = deferred();
      const app = lab.start({ onEvent: () => finished.promise });
      const delivery = await lab.genuine();
      const answers = Array.from({ length: 20 }, () => app.post(delivery));
      await app.seen.reaches(1);
      finished.resolve();
      equal([...new Set((await Promise.all(answers)).map(({ status }) => status))], [200]);
      equal(app.seen.entries.length, 1);
    },
  },
  {
    name: 'handles an event that is twice in one delivery once',
    async run(lab) {
      const app = lab.start({ concurrency: 8 });
      equal((await app.post(await lab.genuine(lab.sample('twice'), lab.sample('twice')))).status, 200);
      equal(app.seen.entries, ['twice']);
    },
  },
  {
    name: 'handles no more events of a delivery at once than concurrency says',
    async run(lab) {
      let [now, most] = [0, 0];
      const app = lab.start({
        concurrency: 3,
        onEvent: async () => {
          most = Math.max(most, ++now);
          await new Promise((resolve) => setTimeout(resolve, 1));
          now--;
        },
      });
      const events = Array.from({ length: 10 }, () => lab.sample());
      equal((await app.post(await lab.genuine(...events))).status, 200);
      equal([app.seen.entries.length, most], [10, 3]);
    },
  },
  {
    name: 'hands a delivery on as a whole, and answers 503 when that fails',
    async run(lab) {
      const given: unknown[] = [];
      const app = lab.start({
        enqueue: async (entries) => {
          given.push([entries.map(({ event }) => event.id), entries.map(({ idempotencyKey }) => idempotencyKey)]);
          if (given.length === 1) throw new Error('the queue is away');
        },
      });
      const delivery = await lab.genuine(lab.sample('first'), lab.sample('last'));
      expectLater(await app.post(delivery));
      equal((await app.post(delivery)).status, 200);
      equal(
        given,
        Array(2).fill([
          ['first', 'last'],
          ['event.emitted:first', 'event.emitted:last'],
        ]),
      );
    },
  },
  {
    name: 'answers 503 beyond maxInFlight, and takes it afterwards',
    async run(lab) {
      const finished = deferred();
      const app = lab.start({ maxInFlight: 1, onEvent: () => finished.promise });
      const [first, second] = [await lab.genuine(), await lab.genuine()];
      const answer = app.post(first);
      await app.seen.reaches(1);
      expectLater(await app.post(second));
      finished.resolve();
      equal((await answer).status, 200);
      equal((await app.post(second)).status, 200);
      equal(app.codes, ['ERR_WEBHOOK_OVERLOADED']);
    },
  },
  {
    name: 'drops the delivery that has been arriving longest, not the newcomer',
    async run(lab) {
      const app = lab.start({ maxArriving: 1 });
      const delivery = await lab.genuine();
      const sent = deferred();
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          await sent.promise;
          controller.enqueue(delivery.body);
          controller.close();
        },
      });
      const answer = app.post(delivery, { body });
      equal((await app.post(await lab.genuine())).status, 200);
      expectLater(await answer);
      sent.resolve();
      equal(app.codes, ['ERR_WEBHOOK_OVERLOADED']);
    },
  },
  {
    name: 'lets what is under way finish while draining, and answers 503 to the rest',
    async run(lab) {
      const finished = deferred();
      const app = lab.start({ onEvent: () => finished.promise });
      const answer = app.post(await lab.genuine());
      await app.seen.reaches(1);
      const drained = app.receiver.drain();
      expectLater(await app.post(await lab.genuine()));
      finished.resolve();
      equal((await answer).status, 200);
      await drained;
      equal(app.codes, ['ERR_WEBHOOK_DRAINING']);
    },
  },
  {
    name: 'answers 503 when the store or the secret function fails, and handles nothing',
    async run(lab) {
      const away = () => Promise.reject(new Error('away'));
      const delivery = await lab.genuine();
      const withoutStore = lab.start({ store: { once: away } });
      expectLater(await withoutStore.post(delivery));
      equal(withoutStore.codes, ['ERR_WEBHOOK_STORE']);
      const withoutSecret = lab.start({ secret: away });
      expectLater(await withoutSecret.post(delivery));
      equal(withoutSecret.codes, ['ERR_WEBHOOK_SECRET']);
      equal([...withoutStore.seen.entries, ...withoutSecret.seen.entries], []);
    },
  },
  {
    name: 'says with a code what is wrong with its options',
    run(lab) {
      const codes = [{}, { secret: '' }, { secret: 's' }, { secret: 's', onEvent: 7 }].map((options) => {
        try {
          lab.lib.fetch.fetchHandler(options as never);
        } catch (error) {
          return lab.lib.root.isWebhookError(error) && error.code;
        }
        return 'taken';
      });
      equal(codes, Array(4).fill('ERR_WEBHOOK_CONFIG'));
    },
  },
];

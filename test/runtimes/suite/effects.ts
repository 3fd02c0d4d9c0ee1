import { FAILURES } from '../../matrix/cases/effects.js';
import { deferred } from '../../matrix/cases/waiting.js';
import { equal } from './check.js';
import type { Lab } from './lab.js';
import type { Case } from './suite.js';

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
        handlerTimeoutMs: 200,
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
];

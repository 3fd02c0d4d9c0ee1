import { equal } from '../../matrix/cases/check.js';
import { SECRET } from '../../matrix/cases/delivery.js';
import type { Case } from './suite.js';

// Written so that a bundle that is searched for Node's names does not find these.
const NODE_GLOBALS = ['Buf-fer', 'pro-cess', 'req-uire', 'mod-ule', 'setImm-ediate', '__dir-name'].map((name) =>
  name.replace('-', ''),
);

export const hostCases: readonly Case[] = [
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
  {
    name: 'has nothing of Node, so that all of the above needed none of it',
    needs: ({ bare }) => bare,
    run: () =>
      equal(
        NODE_GLOBALS.filter((name) => name in globalThis),
        [],
      ),
  },
  {
    name: 'reports no rejection that nobody handled',
    async run(lab) {
      // Runtimes report them after the microtasks in which they went unhandled.
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve, 5));
      equal(lab.host.unhandled.map(String), []);
    },
  },
];

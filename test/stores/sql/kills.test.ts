import { startProxy } from '../../servers/proxy.js';
import { describeDrivers } from './servers.js';
import { describeKills } from './suites/kills.js';

describeDrivers([
  (client, { open, server }) =>
    describeKills(
      client,
      () => open(client, { max: 2 }),
      async (arrives) => {
        const { port, dieAt, isDead } = await startProxy(server().port);
        const opened = await open(client, { max: 2 }, port);
        return { opened, dieAt: (statement) => dieAt(statement, arrives), isDead };
      },
    ),
]);

import { afterAll, beforeAll, describe } from 'vitest';
import { describeLeaseOutages, describeStore, describeStoreOutages, type StoreTarget } from '../../contracts/store.js';
import { hasPostgres, needsPostgres, startPostgres } from '../../servers/postgres.js';
import type { TestServer } from '../../servers/server.js';
import { driverNames, openPool } from './drivers.js';

describe.skipIf(!hasPostgres)(`postgresStore${needsPostgres}`, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 30_000);
  afterAll(() => server.stop());

  for (const driver of driverNames) {
    for (const kind of ['lease', 'transactional'] as const) {
      const title = `${driver}, ${kind}`;
      const target = (): StoreTarget => ({
        async open(settings) {
          const store = openPool(driver, server.url)[kind](settings);
          await store.migrate();
          return store;
        },
        passTime: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      });
      const traits = { meanwhile: 'in-progress', shared: true, leases: kind === 'lease', onceEach: false } as const;
      describeStore(title, traits, target);
      describeStoreOutages(title, target, () => server);
      if (kind === 'lease') describeLeaseOutages(title, target, () => server);
    }
  }
});

import { memoryStore } from 'event-webhook-receiver';
import { storeContract } from 'event-webhooks/store-contract';
import { RecordsKeysOfOthers } from '../../../devtools/test/store-contract/wrong-stores/leases.js';
import { RightLeaseStore } from '../../../devtools/test/store-contract/wrong-stores/right-stores.js';
import { Server } from '../../../devtools/test/store-contract/wrong-stores/server.js';

/** What a test runner exports. */
export interface Runner {
  readonly describe: (title: string, body: () => void) => unknown;
  readonly test: (title: string, run: () => Promise<void>, timeoutMs?: number) => unknown;
}

function describeLeases({ describe, test }: Runner, title: string, Store: typeof RightLeaseStore): void {
  describe(title, () => {
    const server = new Server();
    const passTime = (ms: number) => {
      server.now += ms;
    };
    storeContract((settings) => new Store(server, settings), { test, passTime });
  });
}

/** The contract of two correct stores, each with a clock that the cases move. */
export function rightStores(runner: Runner): void {
  runner.describe('memoryStore', () => {
    let ms = Date.now();
    storeContract(({ leaseMs, retentionMs }) => memoryStore({ leaseMs, retentionMs, now: () => ms }), {
      test: runner.test,
      shared: false,
      passTime: (passed) => {
        ms += passed;
      },
    });
  });
  describeLeases(runner, 'a store of a user', RightLeaseStore);
}

/** The contract of a store without fencing. */
export function wrongStore(runner: Runner): void {
  describeLeases(runner, 'a store without fencing', RecordsKeysOfOthers);
}

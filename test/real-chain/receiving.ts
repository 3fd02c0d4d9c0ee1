import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { nodeHandler } from '../../src/adapters/node.js';
import { contractEvent, type RawLog } from '../../src/evm/index.js';
import { createReceiver, createRouter, type EventEmitted } from '../../src/index.js';
import type { OnEventOptions } from '../../src/receiver/options.js';
import type { TestDelivery } from '../../src/testing/index.js';
import { secret } from '../helpers.js';
import type { Deployed } from './chain.js';

/** What a handler was given, and by the route of which contract. */
export interface Handled {
  readonly label: string;
  readonly eventName: string;
  readonly args: unknown;
  readonly log: RawLog | undefined;
  readonly event: EventEmitted;
}

/** A router with a route of `contractEvent` for every event of every contract. An event that none selects is an error. */
export function routeAll(contracts: readonly Deployed[]) {
  const handled: Handled[] = [];
  const router = createRouter().otherwise(() => {
    throw new Error('There is no route for this event.');
  });
  for (const { label, abi, address } of contracts) {
    const names = abi.flatMap((item) => (item.type === 'event' ? item.name : []));
    for (const name of new Set(names)) {
      router.on(contractEvent({ abi, name, address }), (given) => void handled.push({ label, ...given }));
    }
  }
  return { handled, onEvent: router.dispatch };
}

/** A receiver behind a real HTTP server. */
export async function startReceiver(onEvent: OnEventOptions['onEvent']) {
  const errors: Error[] = [];
  const onError = (error: Error) => void errors.push(error);
  const receiver = createReceiver({ secret, onError, onEvent });
  const server = createServer(nodeHandler(receiver)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    errors,
    /** Posts deliveries one after another and gives the statuses that came. */
    async post(deliveries: readonly TestDelivery[]): Promise<number[]> {
      const statuses = new Set<number>();
      for (const delivery of deliveries) {
        const response = await delivery.send(url);
        await response.arrayBuffer();
        statuses.add(response.status);
      }
      return [...statuses];
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

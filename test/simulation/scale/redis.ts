import { RedisServer } from '../models/redis/server.js';
import { RedisError } from '../models/redis/values.js';
import type { Subject } from '../subject/load.js';
import { Cores } from './busy.js';
import type { Costs } from './costs.js';
import type { Setup, StoreOf } from './fleet.js';

/** Replicas with `redisStore` over one Redis, which runs commands on one core. */
export function redisFleet(subject: Subject, costs: Costs, { networkMs }: Setup, leaseMs: number) {
  let cores: Cores | undefined;
  return {
    busyMs: () => cores?.workedMs ?? 0,
    storesOf: (world: Parameters<StoreOf<undefined>>[0]): StoreOf<undefined> => {
      const server = new RedisServer(() => 1e12 + world.now);
      const core = new Cores(world, 1);
      cores = core;
      // A claim and its record are one call each.
      const { perCallMs, perKeyMs } = costs.redis.server;
      return (_, process) => {
        const { life } = process;
        const call = (command: string, ...args: string[]) =>
          new Promise<unknown>((resolve, reject) => {
            const cost = (perCallMs + perKeyMs * Number(args[1])) / 2;
            world.after(process.time - world.now + networkMs, () =>
              core.work(cost, () => {
                const reply = server.command([command, ...args]);
                world.after(networkMs, () =>
                  process.turn(life, () => {
                    if (reply instanceof RedisError) reject(new Error(reply.message));
                    else resolve(reply);
                  }),
                );
              }),
            );
          });
        return { store: subject.redisStore({ client: { call, options: { socketTimeout: 1 } } as never, leaseMs }) };
      };
    },
  };
}

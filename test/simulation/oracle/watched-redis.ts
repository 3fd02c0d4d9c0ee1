import type { IoRedisLike, NodeRedisLike, RedisLike } from '../../../src/stores/redis/client.js';
import type { Process } from '../kernel/process.js';
import type { OnCommand } from '../models/redis/host.js';
import { SimulatedIoRedis } from '../models/redis/ioredis.js';
import type { SimulatedNodeRedis } from '../models/redis/node-redis.js';
import type { LeaseCall } from './lease-claims.js';
import type { Leases } from './leases.js';

const PREFIX = 'webhook:';
/** The words that only one of the scripts answers. */
const WORDS: readonly (readonly [string, LeaseCall])[] = [
  ["'claimed'", 'claim'],
  ["'recorded'", 'complete'],
  ["'released'", 'release'],
];

const kinds = new Map<string, LeaseCall>();

function kindOf(script: string): LeaseCall {
  let kind = kinds.get(script);
  if (kind === undefined) {
    kind = WORDS.find(([word]) => script.includes(word))?.[1];
    if (kind === undefined) throw new Error(`The oracle does not know the script: ${script}`);
    kinds.set(script, kind);
  }
  return kind;
}

const nameOf = (key: string) => (key.startsWith(PREFIX) ? key.slice(PREFIX.length) : key);

/** Tells the oracle of what the server serves. */
export function watchServer(leases: Leases): OnCommand {
  return (_, [command, script = '', count = '', ...rest], reply) => {
    if (command !== 'eval' || !Array.isArray(reply)) return;
    const kind = kindOf(script);
    const keys = Number(count);
    for (let index = 0; index < keys; index++) {
      leases.served(kind, nameOf(rest[index] ?? ''), rest[keys + 1 + index] ?? '', reply[index]);
    }
  };
}

/** A client that tells the oracle of what a store asks, and of what it is told, before the store is. */
export function watchClient(
  leases: Leases,
  process: Process,
  client: SimulatedIoRedis | SimulatedNodeRedis,
): RedisLike {
  function watched(
    script: string,
    keys: readonly string[],
    owners: readonly string[],
    send: () => Promise<unknown>,
  ): Promise<unknown> {
    const told = leases.asked(process, kindOf(script), keys.map(nameOf), owners);
    const sent = send();
    sent.then(
      (answer) => told.answered(Array.isArray(answer) ? answer : []),
      () => told.failed(),
    );
    return sent;
  }
  const { options } = client;
  if (client instanceof SimulatedIoRedis) {
    const call = (command: string, script = '', count = '', ...rest: string[]) => {
      const keys = Number(count);
      const send = () => client.call(command, script, count, ...rest);
      return watched(script, rest.slice(0, keys), rest.slice(keys + 1), send);
    };
    return { options, call } as IoRedisLike;
  }
  const run: NodeRedisLike['eval'] = (script, given) =>
    watched(script, given.keys, given.arguments.slice(1), () => client.eval(script, given));
  // The store looks for the options.
  return { options, eval: run } as NodeRedisLike;
}

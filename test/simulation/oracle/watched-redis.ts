import type { IoRedisLike } from '../../../src/stores/redis/client.js';
import type { Process } from '../kernel/process.js';
import type { Server } from '../kernel/server.js';
import { RedisServer } from '../models/redis/server.js';
import { Wire } from '../models/wire.js';
import type { LeaseCall } from './lease-claims.js';
import type { Leases } from './leases.js';

const PREFIX = 'webhook:';
const SOCKET_TIMEOUT_MS = 300;
/** The words that only one of the scripts answers. */
const WORDS: readonly (readonly [string, LeaseCall])[] = [
  ["'claimed'", 'claim'],
  ["'recorded'", 'record'],
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

/**
 * A Redis in a world, with clients that tell the oracle of what a store asks, of what is served, and of what the store is
 * told, before it is. All that a client decides is whether commands without an answer are sent again on the next
 * connection, as ioredis does, or rejected, as node-redis does. test/stores/redis runs the real clients.
 */
export class WatchedRedis {
  readonly #redis: RedisServer;

  constructor(private readonly server: Server) {
    this.#redis = new RedisServer(() => server.wall());
  }

  client(process: Process, leases: Leases, resends: boolean): IoRedisLike {
    const wire = new Wire(process, this.server, { resends, silentMs: SOCKET_TIMEOUT_MS });
    const call = (_eval: string, script = '', count = '', ...rest: string[]): Promise<unknown> => {
      const kind = kindOf(script);
      const keys = rest.slice(0, Number(count));
      const args = rest.slice(Number(count));
      const [names, owners] = [keys.map(nameOf), args.slice(kind === 'claim' ? 3 : 1)];
      const told = leases.asked(process, kind, names, owners);
      const sent = wire.call(() => {
        const words = this.#redis.eval(script, keys, args) as unknown[];
        for (const [at, name] of names.entries()) leases.served(kind, name, owners[at] ?? '', words[at]);
        return words;
      });
      sent.then(
        (words) => told.answered(words),
        () => told.failed(),
      );
      return sent;
    };
    // The store looks for the option.
    return { options: { socketTimeout: SOCKET_TIMEOUT_MS }, call } as IoRedisLike;
  }
}

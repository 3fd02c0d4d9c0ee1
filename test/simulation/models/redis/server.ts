// A Redis server: one primary with strings that expire by its wall clock, and scripts, each of them one atomic step.
//
// Modelled: EVAL of the Lua that lua.ts knows, and in it TIME, SET with PX, GET and DEL. A key that has
// expired is removed when it is looked at, so a clock that is set back brings back what nobody has looked at meanwhile, as
// Redis does until it removes expired keys by itself. Left out: other types, persistence (every write survives, as with
// `appendfsync always`), eviction, replicas and failover, clusters.
import { type Call, scriptOf } from './lua.js';

interface Entry {
  readonly value: string;
  /** The last millisecond in which the key exists. */
  readonly expiresAt: number;
}

export class RedisServer {
  readonly #keys = new Map<string, Entry>();

  /** `clock` is the wall clock of the server, in ms. */
  constructor(private readonly clock: () => number) {}

  /** Runs a script. Time stands still meanwhile. */
  eval(text: string, keys: readonly string[], args: readonly string[]): unknown {
    const now = Math.floor(this.clock());
    const call: Call = (name, ...given) => this.#call(now, name, given.map(String));
    return scriptOf(text)(keys, args, { call, pcall: call });
  }

  #entryOf(key: string, now: number): Entry | undefined {
    const entry = this.#keys.get(key);
    if (entry && entry.expiresAt < now) this.#keys.delete(key);
    return this.#keys.get(key);
  }

  /** What a script sees: false for nothing. */
  #call(now: number, name: string, [key = '', value = '', ...options]: readonly string[]): unknown {
    const entry = this.#entryOf(key, now);
    switch (name) {
      case 'get':
        return entry?.value ?? false;
      case 'del':
        return Number(this.#keys.delete(key));
      case 'time':
        return [String(Math.floor(now / 1000)), String((now % 1000) * 1000)];
      case 'set': {
        const ms = options.includes('px') ? Number(options[options.indexOf('px') + 1]) : Number.POSITIVE_INFINITY;
        this.#keys.set(key, { value, expiresAt: now + ms });
        return { ok: 'OK' };
      }
      default:
        throw new Error(`The Redis model does not know the command ${name}.`);
    }
  }
}

// A Redis server: one primary with strings that expire by its wall clock, and scripts, each of them one atomic step.
//
// Modelled: PING, SET with NX, PX and KEEPTTL, GET, DEL, PEXPIRE, PEXPIRETIME, lists as the other type, EVAL of the subset of Lua that
// lua.ts states, and the errors of all of these. Time stands still during a script. A key that has expired is removed when it is looked at, so a clock that is set back
// brings back what nobody has looked at meanwhile, as Redis does until it removes expired keys by itself. Left out: persistence (every write
// survives, as with `appendfsync always`), eviction, replicas and failover, clusters, transactions, text outside of ASCII.
import { createHash } from 'node:crypto';
import { type Keyspace, runCommand } from './keyspace.js';
import { compileScript, type Script } from './lua.js';
import type { Frame } from './lua-expressions.js';
import { LuaTable, RedisError, type Reply, toLua, toReply, unknown } from './values.js';

/** An error of a command that a script does not catch. */
class Uncaught {
  constructor(
    readonly message: string,
    readonly line: number,
  ) {}
}

/** Shared by all servers: compiling takes longer than a schedule. */
const scripts = new Map<string, Script>();

const ASCII = /^[\0-\x7f]*$/;

export class RedisServer {
  readonly #keys: Keyspace = new Map();
  readonly #clock: () => number;

  /** `clock` is the wall clock of the server, in ms. */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Runs a command as a client sends it. */
  command(args: readonly string[]): Reply {
    for (const each of args) if (!ASCII.test(each)) unknown('text outside of ASCII');
    const [name = '', ...rest] = args;
    const command = name.toLowerCase();
    const now = Math.floor(this.#clock());
    return command === 'eval' ? this.#eval(rest, now) : runCommand(this.#keys, command, rest, now);
  }

  #eval([text = '', count = '', ...rest]: readonly string[], now: number): Reply {
    if (!/^\d{1,5}$/.test(count)) return new RedisError('ERR value is not an integer or out of range');
    const keys = Number(count);
    if (keys > rest.length) return new RedisError("ERR Number of keys can't be greater than number of args");
    let script = scripts.get(text);
    if (script === undefined) {
      script = compileScript(text);
      scripts.set(text, script);
    }
    const frame: Frame = {
      slots: new Array(script.slots),
      keys: new LuaTable(rest.slice(0, keys)),
      args: new LuaTable(rest.slice(keys)),
      result: undefined,
      command: (args, line) => {
        const [name = '', ...others] = args;
        const reply = runCommand(this.#keys, name.toLowerCase(), others, now);
        if (!(reply instanceof RedisError)) return toLua(reply);
        // Redis words these differently for a script.
        if (reply.message.startsWith('ERR wrong number')) unknown(`a script that calls ${args.join(' ')}`);
        if (line !== undefined) throw new Uncaught(reply.message, line);
        return toLua(reply);
      },
    };
    try {
      return toReply(script.run(frame));
    } catch (error) {
      if (!(error instanceof Uncaught)) throw error;
      const sha = createHash('sha1').update(text).digest('hex');
      return new RedisError(`${error.message} script: ${sha}, on @user_script:${error.line}.`);
    }
  }
}

import type { Process } from '../../kernel/process.js';
import type { Server } from '../../kernel/server.js';
import type { World } from '../../kernel/world.js';
import { RedisServer } from './server.js';
import type { Reply } from './values.js';

/** Called when the server has run a command of a process. */
export type OnCommand = (process: Process, args: readonly string[], reply: Reply) => void;

/** A Redis server in a world: its keys expire by the wall clock of the machine that it runs on. */
export class RedisHost {
  readonly server: Server;
  readonly #redis: RedisServer;
  readonly #onCommand: OnCommand;

  constructor(world: World, onCommand: OnCommand = () => {}) {
    this.server = world.server('redis');
    this.#redis = new RedisServer(() => this.server.wall());
    this.#onCommand = onCommand;
  }

  serve(process: Process, args: readonly string[]): Reply {
    const reply = this.#redis.command(args);
    this.#onCommand(process, args, reply);
    return reply;
  }
}

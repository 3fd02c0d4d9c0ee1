import type { D1DatabaseLike, D1StatementLike } from '../../../src/stores/sql/index.js';
import type { Process } from '../kernel/process.js';
import { type RequestFaults, request } from '../kernel/request.js';
import { Server } from '../kernel/server.js';
import type { World } from '../kernel/world.js';
import type { D1Engine } from './d1-engine.js';

/** Called when the server has run a statement. */
export type OnStatement = (text: string, values: readonly string[], rows: readonly object[]) => void;

/**
 * A D1 database that processes reach over requests, each with its own latency: one may be lost, take effect although its
 * answer is lost, or never be answered. Left out: that a Worker ends with its request.
 */
export class D1Service {
  readonly server: Server;
  readonly engine: D1Engine;
  readonly onStatement: OnStatement[] = [];
  readonly #faults: () => RequestFaults;

  constructor(world: World, engine: D1Engine, faults: () => RequestFaults) {
    this.server = new MillisecondServer(world, 'd1');
    world.servers.push(this.server);
    this.engine = engine;
    this.#faults = faults;
  }

  /** What a Worker has as `env.DB`. */
  bindingOf(process: Process): D1DatabaseLike {
    const statement = (text: string, values: readonly string[]): D1StatementLike => ({
      bind: (...bound) => statement(text, bound),
      all: () =>
        request<{ readonly results: readonly object[] }>(
          process,
          this.server,
          (reply, fail) => {
            let results: readonly object[];
            try {
              results = this.engine.query(text, values, this.server.wall());
            } catch (cause) {
              fail(new Error(`D1_ERROR: ${(cause as Error).message}`, { cause }));
              return;
            }
            for (const listener of this.onStatement) listener(text, values, results);
            reply({ results });
          },
          this.#faults,
        ),
    });
    return { prepare: (text) => statement(text, []), batch: unknown, exec: unknown };
  }
}

/** The clock of SQLite has no fractions. */
class MillisecondServer extends Server {
  override wall(): number {
    return Math.floor(super.wall());
  }
}

function unknown(): never {
  throw new Error('The D1 model knows neither `batch` nor `exec`.');
}

// A client like ioredis 5, held to it by clients.servers.test.ts.
//
// Modelled: commands wait while there is no connection; after a break it connects again, later each time, and sends first
// what was not answered, so that a command may run twice, then what waits; `socketTimeout`, which replaces a connection that
// does not answer; `maxRetriesPerRequest`. Left out: what the link leaves out, and every option that is not named here.
import type { Process } from '../../kernel/process.js';
import type { Timer } from '../../kernel/timers.js';
import type { RedisHost } from './host.js';
import { Link, type Pending, settle } from './link.js';

export interface IoRedisOptions {
  readonly socketTimeout: number;
  readonly maxRetriesPerRequest: number | null;
}

export class SimulatedIoRedis {
  /** Where the store looks for `socketTimeout`. */
  readonly options: IoRedisOptions;
  readonly #process: Process;
  readonly #link: Link;
  /** Sent on this connection, or on the last one until the next is open, and not answered. */
  #sent: Pending[] = [];
  /** Sent on the last connection that was ready, to be sent again. */
  #unfulfilled: Pending[] = [];
  #offline: Pending[] = [];
  #attempts = 0;
  #timer: { readonly timer: Timer; readonly epoch: number } | undefined;

  constructor(process: Process, host: RedisHost, options: IoRedisOptions, onReady?: () => void) {
    this.options = options;
    this.#process = process;
    this.#link = new Link(process, host, {
      onWrite: () => this.#watch(),
      onRead: () => this.#unwatch(),
      onConnect: () => {
        this.#sent = [];
      },
      onReady: () => {
        onReady?.();
        this.#ready();
      },
      onClose: (wasReady) => this.#closed(wasReady),
    });
    this.#link.connect();
  }

  call(command: string, ...args: string[]): Promise<unknown> {
    return new Promise((resolve, reject) => this.#send({ args: [command, ...args], resolve, reject }));
  }

  #send(command: Pending): void {
    if (!this.#link.isReady) {
      this.#offline.push(command);
      return;
    }
    const sent = this.#sent;
    sent.push(command);
    this.#link.write(command.args, (reply) => {
      sent.shift();
      settle(command, reply);
    });
  }

  #ready(): void {
    this.#attempts = 0;
    const waiting = [...this.#unfulfilled.splice(0), ...this.#offline];
    this.#offline = [];
    for (const command of waiting) this.#send(command);
  }

  #closed(wasReady: boolean): void {
    if (wasReady && this.#sent.length > 0) this.#unfulfilled = this.#sent;
    this.#attempts++;
    this.#process.setTimeout(() => this.#link.connect(), Math.min(50 * this.#attempts, 2000));
    const { maxRetriesPerRequest: most } = this.options;
    if (most === null || this.#attempts % (most + 1) !== 0) return;
    const failed = [...this.#offline.splice(0), ...this.#sent.splice(0)];
    for (const { reject } of failed) {
      reject(
        new Error(
          `Reached the max retries per request limit (which is ${most}). Refer to "maxRetriesPerRequest" option for details.`,
        ),
      );
    }
  }

  /** Its timer survives the connection that it was set for, and then ends the next one. */
  #watch(): void {
    if (this.#timer !== undefined) return;
    const end = () => {
      this.#link.destroy();
      this.#timer = undefined;
    };
    this.#timer = { timer: this.#process.setTimeout(end, this.options.socketTimeout), epoch: this.#link.epoch };
  }

  #unwatch(): void {
    if (this.#timer?.epoch !== this.#link.epoch) return;
    this.#timer.timer.clear();
    this.#timer = undefined;
    if (this.#sent.length > 0) this.#watch();
  }
}

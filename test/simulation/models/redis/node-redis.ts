// A client like node-redis 6 with the options that the store asks for, held to it by clients.servers.test.ts.
//
// Modelled: commands wait while there is no connection, and are sent with the handshake of the next; after a break it
// connects again, and rejects what was sent and not answered; a socket timeout that counts writes as activity, and pings. Left out: what the link leaves out, and every option
// that is not named here.
import type { Process } from '../../kernel/process.js';
import type { Timer } from '../../kernel/timers.js';
import type { RedisHost } from './host.js';
import { Link, type Pending, settle } from './link.js';

export class SimulatedNodeRedis {
  /** Where the store looks for them. */
  readonly options: {
    readonly pingInterval: number;
    readonly socket: { readonly socketTimeout: number; reconnectStrategy(tries: number): number };
  };
  readonly #process: Process;
  readonly #link: Link;
  #waiting: Pending[] = [];
  readonly #toWrite: Pending[] = [];
  #isScheduled = false;
  #tries = 0;
  #idle: Timer | undefined;
  #ping: Timer | undefined;
  #failure = 'Socket closed unexpectedly';

  constructor(process: Process, host: RedisHost, socketTimeout: number, onReady?: () => void) {
    this.options = {
      pingInterval: socketTimeout / 3,
      socket: { socketTimeout, reconnectStrategy: (tries) => Math.min(50 * tries, 500) },
    };
    this.#process = process;
    this.#link = new Link(process, host, {
      onWrite: () => this.#isActive(),
      onRead: () => this.#isActive(),
      onConnect: () => this.#write(),
      onReady: () => {
        onReady?.();
        this.#ready();
      },
      onClose: (wasReady) => this.#closed(wasReady),
    });
    this.#link.connect();
  }

  eval(script: string, { keys, arguments: args }: { keys: string[]; arguments: string[] }): Promise<unknown> {
    return this.sendCommand(['eval', script, String(keys.length), ...keys, ...args]);
  }

  sendCommand(args: readonly string[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#toWrite.push({ args, resolve, reject });
      this.#schedule();
    });
  }

  /** It writes what a turn asks for at once, after it. */
  #schedule(): void {
    if (this.#isScheduled || !this.#link.isReady) return;
    this.#isScheduled = true;
    this.#process.deliver(0, () => {
      this.#isScheduled = false;
      if (this.#link.isReady) this.#write();
    });
  }

  #write(): void {
    for (const command of this.#toWrite.splice(0)) {
      this.#waiting.push(command);
      this.#link.write(command.args, (reply) => {
        this.#waiting.shift();
        settle(command, reply);
      });
    }
  }

  #ready(): void {
    this.#tries = 0;
    this.#setPing();
    this.#schedule();
  }

  #setPing(): void {
    this.#ping?.clear();
    this.#ping = this.#process.setTimeout(() => {
      if (!this.#link.isReady) return;
      this.sendCommand(['ping']).then(
        () => this.#setPing(),
        () => this.#setPing(),
      );
    }, this.options.pingInterval);
  }

  #closed(wasReady: boolean): void {
    this.#idle?.clear();
    const error = new Error(this.#failure);
    this.#failure = 'Socket closed unexpectedly';
    for (const { reject } of this.#waiting.splice(0)) reject(error);
    // It connects again at once if it was connected.
    const tries = wasReady ? 0 : ++this.#tries;
    if (wasReady) this.#link.connect();
    else this.#process.setTimeout(() => this.#link.connect(), this.options.socket.reconnectStrategy(tries));
  }

  #isActive(): void {
    this.#idle?.clear();
    const { socketTimeout } = this.options.socket;
    this.#idle = this.#process.setTimeout(() => {
      this.#failure = `Socket timeout timeout. Expecting data, but didn't receive any in ${socketTimeout}ms.`;
      this.#link.destroy();
    }, socketTimeout);
  }
}

import type { Process } from './process.js';
import type { Server } from './server.js';

/**
 * A TCP connection from a process to a server. Messages arrive in order in both directions, each after a latency. It can be
 * cut, which loses what is under way and which both sides learn of some time later, or go half open, which nobody learns of.
 * When the client closes it or dies, what it has sent still arrives, as the kernels deliver it.
 */
export class Connection {
  readonly #life: number;
  state: 'open' | 'half open' | 'closed' = 'open';
  /** Whether what the process has sent and the server has not read is lost. */
  #isLost = false;
  #reachesServerAt = 0;
  #reachesProcessAt = 0;
  /** What has come for the process and was not read: it reads in order. */
  readonly #inbox: (() => void)[] = [];
  readonly #onClose: { readonly who: 'client' | 'server'; readonly listener: () => void }[] = [];

  constructor(
    readonly process: Process,
    readonly server: Server,
  ) {
    this.#life = process.life;
    process.connections.add(this);
    server.onStop(() => {
      this.#isLost = true;
      this.cut();
    });
  }

  get isOpen(): boolean {
    return this.state !== 'closed';
  }

  /** Calls the listener when its side learns that the connection is closed, unless it closed it itself. */
  onClose(who: 'client' | 'server', listener: () => void): void {
    this.#onClose.push({ who, listener });
  }

  /** `arrive` runs at the server, unless the connection breaks before. After `close` it still runs. */
  send(arrive: () => void): void {
    if (this.state !== 'open') return;
    const { world } = this.process;
    this.#reachesServerAt = Math.max(this.#reachesServerAt, this.process.time + world.choices.latency());
    world.after(this.#reachesServerAt - world.now, () => {
      this.server.serve(() => {
        if (!this.#isLost && this.server.isUp) arrive();
      });
    });
  }

  /** `arrive` runs as a turn of the process, unless the connection breaks before. */
  answer(arrive: () => void): void {
    if (this.state !== 'open') return;
    const { world } = this.process;
    this.#reachesProcessAt = Math.max(this.#reachesProcessAt, world.now + world.choices.latency());
    world.after(this.#reachesProcessAt - world.now, () => {
      if (this.state !== 'open') return;
      this.#inbox.push(arrive);
      // What the kernel has received is read even if the connection breaks before.
      this.process.turn(this.#life, () => this.#inbox.shift()?.());
    });
  }

  /** Breaks it: both sides learn of it, each after a latency. */
  cut(): void {
    if (this.state === 'closed') return;
    const { world, name } = this.process;
    world.history.add(name, `loses its connection to ${this.server.name}`);
    this.#isLost = true;
    this.#close();
    this.#tell('server');
    this.#tell('client');
  }

  /** From now on nothing arrives, and nobody learns of it. */
  halfOpen(): void {
    if (this.state !== 'open') return;
    this.process.world.history.add(this.process.name, `has a half-open connection to ${this.server.name}`);
    this.state = 'half open';
    this.#isLost = true;
  }

  /** Closed by the client, or with its process. The server learns of it, unless it is half open. */
  close(): void {
    const isHeard = this.state === 'open';
    this.#close();
    if (isHeard) this.#tell('server');
  }

  #close(): void {
    this.state = 'closed';
    this.process.connections.delete(this);
  }

  #tell(who: 'client' | 'server'): void {
    const { world } = this.process;
    const listeners = this.#onClose.filter((each) => each.who === who);
    if (listeners.length === 0) return;
    const tell = () => {
      for (const { listener } of listeners) listener();
    };
    const latency = world.choices.latency();
    if (who === 'client') {
      world.after(latency, () => this.process.turn(this.#life, tell));
      return;
    }
    // The end of a stream comes after what was sent before.
    const ms = this.#isLost ? latency : Math.max(latency, this.#reachesServerAt - world.now);
    world.after(ms, () => this.server.serve(tell));
  }
}

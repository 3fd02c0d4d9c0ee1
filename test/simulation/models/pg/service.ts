/**
 * A Postgres in a world: the database of models/postgres behind the kernel's connections, for the real Pool and Client of
 * pg. A restart ends all sessions and keeps what was committed. Left out: statements
 * that take time, other than pg_sleep and those that wait for a lock.
 */
import type { Server } from '../../kernel/server.js';
import type { Scheduled, World } from '../../kernel/world.js';
import { PostgresServer, type Result } from '../postgres/server.js';

export class PostgresService {
  readonly server: Server;
  readonly database: PostgresServer;
  /** Called when a message has been run, without results if it failed. */
  readonly onAnswer: ((text: string, results: readonly Result[] | undefined, tookMs: number) => void)[] = [];
  readonly #world: World;
  #waking: Scheduled | undefined;
  #wakesAt: number | undefined;

  constructor(world: World, options?: { readonly version?: number }) {
    this.#world = world;
    this.server = world.server('postgres');
    this.database = new PostgresServer(() => this.server.wall(), { ...options, monotonic: () => world.now });
  }

  /** Runs statements at once, outside of the world's time: to prepare a schedule. */
  runNow(...texts: readonly string[]): void {
    const session = this.database.connect();
    for (const text of texts) {
      let isDone = false;
      session.query(text, (error) => {
        if (error) throw error;
        isDone = true;
      });
      if (!isDone) throw new Error(`The statement waits: ${text}`);
    }
    session.end();
  }

  /** Schedules the next time limit of the server. Called after whatever may have changed it. */
  rearm(): void {
    const at = this.database.nextWake();
    if (at === this.#wakesAt) return;
    this.#waking?.cancel();
    this.#wakesAt = at;
    if (at !== undefined) this.#waking = this.#world.after(Math.max(0, at - this.#world.now), this.#wake);
  }

  readonly #wake = (): void => {
    this.server.serve(() => {
      this.#wakesAt = undefined;
      this.database.wake();
      this.rearm();
    });
  };
}
